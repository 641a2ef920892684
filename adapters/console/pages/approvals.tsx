/** What waits for a decision in all homes, with the buttons of its cards. */
import type { Child } from "hono/jsx";
import type { Pending } from "../../../src/core/ports.ts";
import { isPrivate } from "../../../src/core/scope.ts";
import { ViewBody } from "../view.tsx";
import { Closed, Nothing, Pages, RoomPage, ScopeTag, type Standing, When } from "./room.tsx";

const PER_PAGE = 20;

/** `open`: the private ones are shown as well. */
export function ApprovalsPage({ at, all, page, open }: { at: Standing; all: readonly Pending[]; page: number; open: boolean }): Child {
  const shown = all.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  const hidden = open ? 0 : shown.filter(({ scope }) => isPrivate(scope)).length;
  return (
    <RoomPage
      at={at}
      title="Approvals"
      about="What waits for a person, in all homes. You decide as the operator; the card says so."
      follows
    >
      {shown.length === 0 && <Nothing>Nothing waits for a decision.</Nothing>}
      {hidden > 0 && (
        <Closed
          href={`/approvals?open=1${page ? `&page=${page}` : ""}`}
          what={`${hidden} of these wait${hidden === 1 ? "s" : ""} in private.`}
        />
      )}
      <ol class="cards">
        {shown.map((pending) => (
          <li>
            <Card pending={pending} open={open || !isPrivate(pending.scope)} />
          </li>
        ))}
      </ol>
      <Pages page={page} more={all.length > (page + 1) * PER_PAGE} way={(to) => `/approvals?page=${to}${open ? "&open=1" : ""}`} />
    </RoomPage>
  );
}

export function Card({ pending, open }: { pending: Pending; open: boolean }): Child {
  const { home, session, call, scope, title, since, view, link } = pending;
  const id = `card-${home}-${session}-${call}`.replace(/[^\w-]/g, "_");
  return (
    <article class="pending" data-home={home}>
      <header class="facts">
        <span class="tag">{home}</span>
        <ScopeTag scope={scope} />
        {since !== null && (
          <span>
            since <When at={since} />
          </span>
        )}
        <a href={`/session?home=${encodeURIComponent(home)}&id=${encodeURIComponent(session)}`} dir="auto">
          {open ? title || "its conversation" : "its conversation"}
        </a>
        {link && (
          <a href={link} target="_blank" rel="noopener noreferrer">
            its card
          </a>
        )}
      </header>
      {open ? (
        <div class="entry card open">
          <div class="body">
            <ViewBody view={view} id={id} />
          </div>
        </div>
      ) : (
        <p class="note">A decision in private.</p>
      )}
    </article>
  );
}
