/** What a home remembers by scope, what is allowed in it once and for all, and why messages were or were not answered. */
import type { Child } from "hono/jsx";
import type { Grant } from "../../../src/core/event.ts";
import type { Remembered, SessionRow, Silence } from "../../../src/core/ports.ts";
import { isPrivate, type Scope } from "../../../src/core/scope.ts";
import { Closed, Nothing, Pages, query, RoomPage, type Standing, scopeWords, When } from "./room.tsx";
import { sessionPath } from "./sessions.tsx";

const PER_PAGE = 50;

interface MemoryProps {
  at: Standing;
  scopes: readonly Scope[];
  scope: Scope;
  /** Undefined: it is private, and not open. */
  lines: readonly Remembered[] | undefined;
  page: number;
}

export function MemoryPage({ at, scopes, scope, lines, page }: MemoryProps): Child {
  const { home } = at;
  const way = (to: number) => `/memory${query({ home, scope, page: to, open: isPrivate(scope) ? 1 : 0 })}`;
  const shown = lines?.slice(page * PER_PAGE, (page + 1) * PER_PAGE) ?? [];
  return (
    <RoomPage at={at} title="Memory" about="What the agent remembers, each fact with who said it, where and when.">
      <nav class="pills" aria-label="Scope">
        {scopes.map((one) => (
          <a href={`/memory${query({ home, scope: one })}`} {...(one === scope ? { "aria-current": "true" } : {})}>
            {one === "team" ? "Team" : one.slice(one.indexOf(":") + 1)}
          </a>
        ))}
      </nav>
      {lines === undefined ? (
        <Closed href={`/memory${query({ home, scope, open: 1 })}`} what={`This is what is remembered for the ${scopeWords(scope)}.`} />
      ) : (
        shown.length === 0 && <Nothing>Nothing is remembered here.</Nothing>
      )}
      <ol class="rows">
        {shown.map(({ text, origin }) => (
          <li class="row">
            <span dir="auto">{text}</span>
            <span class="facts">
              {origin ? (
                <>
                  <span>{origin.by}</span>
                  <span>{origin.at}</span>
                  <span>{origin.in}</span>
                  {origin.session && <a href={sessionPath(home, origin.session)}>where it was said</a>}
                </>
              ) : (
                <span>written by people</span>
              )}
            </span>
          </li>
        ))}
      </ol>
      <Pages page={page} more={(lines?.length ?? 0) > (page + 1) * PER_PAGE} way={way} />
    </RoomPage>
  );
}

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
