/** What is allowed in a home once and for all, and why messages were or were not answered. */
import type { Child } from "hono/jsx";
import type { Grant } from "../../../src/core/event.ts";
import type { SessionRow, Silence } from "../../../src/core/ports.ts";
import { Nothing, Pages, query, RoomPage, type Standing, When } from "./room.tsx";
import { sessionPath } from "./sessions.tsx";

const PER_PAGE = 50;

interface GrantsProps {
  at: Standing;
  all: readonly { session: string; grant: Grant; row: SessionRow | undefined }[];
  page: number;
}

export function GrantsPage({ at, all, page }: GrantsProps): Child {
  const { home } = at;
  const shown = all.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  return (
    <RoomPage
      at={at}
      title="Grants"
      about="What people allowed once and for all, so that it does not ask any more. Revoking one holds from the next call on."
    >
      {shown.length === 0 && <Nothing>Nothing is allowed for good: everything risky asks.</Nothing>}
      <ol class="rows">
        {shown.map(({ session, grant, row }) => (
          <li class="row with-button">
            <span>
              <b>{grant.tool}</b> <code>{grant.subject}</code>
              <span class="facts">
                <span>
                  by {grant.by.name} ({grant.by.id})
                </span>
                <When at={grant.at} />
                {row ? <a href={sessionPath(home, session)}>in one thread</a> : <span>everywhere</span>}
              </span>
            </span>
            <button type="button" data-do="revoke" data-session={session} data-id={grant.id}>
              Revoke
            </button>
          </li>
        ))}
      </ol>
      <Pages page={page} more={all.length > (page + 1) * PER_PAGE} way={(to) => `/grants${query({ home, page: to })}`} />
    </RoomPage>
  );
}

/** `open`: what was said in private is shown as well. */
export function WhyPage({ at, all, open, page }: { at: Standing; all: readonly Silence[]; open: boolean; page: number }): Child {
  const { home } = at;
  const shown = all.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  return (
    <RoomPage at={at} title="Why" about="Why the last messages of each channel were or were not answered, since Denizen was started.">
      {shown.length === 0 && <Nothing>No messages were seen since the start.</Nothing>}
      {shown.map(({ place, lines, private: closed }) => (
        <section class="plan-of">
          <h2 dir="auto">
            {place.platform} {place.channel}
          </h2>
          {closed && !open ? (
            <p class="note">
              A private place. <a href={`/why${query({ home, page, open: 1 })}`}>Open it (this is logged)</a>
            </p>
          ) : (
            <ul class="reasons">
              {lines.map((line) => (
                <li dir="auto">{line}</li>
              ))}
            </ul>
          )}
        </section>
      ))}
      <Pages page={page} more={all.length > (page + 1) * PER_PAGE} way={(to) => `/why${query({ home, page: to, open: open ? 1 : 0 })}`} />
    </RoomPage>
  );
}
