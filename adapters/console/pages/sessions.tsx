/** The sessions of a home as a list, and the plans that are open in them. */
import type { Child } from "hono/jsx";
import type { Page, SessionRow } from "../../../src/core/ports.ts";
import { isPrivate } from "../../../src/core/scope.ts";
import { Nothing, Pages, query, RoomPage, ScopeTag, type Standing, When } from "./room.tsx";

interface Listed {
  at: Standing;
  rows: Page<SessionRow>;
  page: number;
}

export function SessionsPage({ at, rows, page, words }: Listed & { words: string }): Child {
  const { home } = at;
  return (
    <RoomPage at={at} title="Sessions" about="Every conversation of this home, the latest first. Open one to follow it step by step.">
      <form method="get" action="/sessions" class="filter">
        <input type="hidden" name="home" value={home} />
        <label class="unseen" for="words">
          Words in the title
        </label>
        <input
          id="words"
          type="search"
          name="words"
          value={words}
          placeholder="Words in a title"
          title="Of the team’s sessions"
          maxlength={100}
        />
        <button type="submit">Filter</button>
      </form>
      {rows.items.length === 0 && <Nothing>{words ? "No session has these words in its title." : "There are no sessions yet."}</Nothing>}
      <ol class="rows">
        {rows.items.map((row) => (
          <li>
            <Row home={home} row={row} />
          </li>
        ))}
      </ol>
      <Pages page={page} more={rows.more} way={(to) => `/sessions${query({ home, words, page: to })}`} />
    </RoomPage>
  );
}

/** What was said in private has no name until it is opened. */
export const titleOf = (row: SessionRow, open: boolean): string =>
  isPrivate(row.scope) && !open ? "A private conversation" : row.title || "Untitled";

export const sessionPath = (home: string, id: string, rest: Record<string, string | number | undefined> = {}): string =>
  `/session${query({ home, id, ...rest })}`;

function Row({ home, row }: { home: string; row: SessionRow }): Child {
  const { session, scope, title, place, at, settled } = row;
  return (
    <a class="row" href={sessionPath(home, session)}>
      <span class="row-title" dir="auto">
        {isPrivate(scope) ? "A private conversation" : title || "Untitled"}
      </span>
      <span class="facts">
        {!settled && <span class="state working">under way</span>}
        <ScopeTag scope={scope} />
        <span>
          {place.platform}
          {place.channel === place.team ? "" : ` ${place.channel}`}
        </span>
        <When at={at} />
      </span>
    </a>
  );
}

const MARKS = { completed: "done", in_progress: "being done", pending: "to do" } as const;

/** `open`: what is planned in private is shown as well. */
export function TodosPage({ at, rows, page, open }: Listed & { open: boolean }): Child {
  const { home } = at;
  const hidden = open ? [] : rows.items.filter(({ scope }) => isPrivate(scope));
  return (
    <RoomPage at={at} title="Todos" about="The plans of all threads in which something is still to be done.">
      {rows.items.length === 0 && <Nothing>No thread has an open plan.</Nothing>}
      {hidden.length > 0 && (
        <p class="note">
          {hidden.length} of these {hidden.length === 1 ? "is" : "are"} private.{" "}
          <a href={`/todos${query({ home, page, open: 1 })}`}>Open them (this is logged)</a>
        </p>
      )}
      <ol class="plans">
        {rows.items.map((row) => {
          const shown = open || !isPrivate(row.scope);
          return (
            <li class="plan-of">
              <h2 dir="auto">
                <a href={sessionPath(home, row.session)}>{shown ? row.title || "Untitled" : "A private conversation"}</a>
              </h2>
              <p class="facts">
                <ScopeTag scope={row.scope} />
                <span>{row.place.platform}</span>
                <When at={row.at} />
              </p>
              {shown && (
                <ol class="todos">
                  {row.todos.map((todo) => (
                    <li class={todo.status} dir="auto">
                      <span class="mark" role="img" aria-label={MARKS[todo.status]} />
                      <span>{todo.content}</span>
                    </li>
                  ))}
                </ol>
              )}
            </li>
          );
        })}
      </ol>
      <Pages page={page} more={rows.more} way={(to) => `/todos${query({ home, page: to, open: open ? 1 : 0 })}`} />
    </RoomPage>
  );
}
