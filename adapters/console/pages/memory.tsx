/** What a home remembers by scope, each fact with where it comes from; and every change of it with the way back. */
import type { Child } from "hono/jsx";
import type { MemoryEdit, MemoryStep, Page, Remembered } from "../../../src/core/ports.ts";
import { isPrivate, type Scope } from "../../../src/core/scope.ts";
import { reveal } from "../../shared/escape.ts";
import { Closed, Nothing, Pages, query, RoomPage, type Standing, scopeWords, When } from "./room.tsx";
import { sessionPath } from "./sessions.tsx";

const PER_PAGE = 50;

interface Seen {
  at: Standing;
  scopes: readonly Scope[];
  scope: Scope;
  page: number;
}
interface MemoryProps extends Seen {
  words: string;
  /** Undefined: it is private, and not open. */
  lines: readonly Remembered[] | undefined;
}

const flagOf = (scope: Scope): number => (isPrivate(scope) ? 1 : 0);

export function MemoryPage({ at, scopes, scope, words, lines, page }: MemoryProps): Child {
  const { home } = at;
  const found = lines?.filter(({ text, origin }) => holds(`${text} ${origin?.by ?? ""} ${origin?.in ?? ""}`, words)) ?? [];
  const shown = found.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  const way = (to: number) => `/memory${query({ home, scope, words, page: to, open: flagOf(scope) })}`;
  return (
    <RoomPage at={at} title="Memory" about="What the agent remembers, each fact with who said it, where and when.">
      <Scopes at={at} scopes={scopes} scope={scope} />
      {lines === undefined ? (
        <Closed href={`/memory${query({ home, scope, open: 1 })}`} what={`This is what is remembered for the ${scopeWords(scope)}.`} />
      ) : (
        <>
          <Search at={at} scope={scope} words={words} />
          {shown.length === 0 && <Nothing>{words ? "Nothing here has these words." : "Nothing is remembered here."}</Nothing>}
          <ol class="rows">
            {shown.map((line) => (
              <li class="row with-button">
                <Line home={home} scope={scope} line={line} />
              </li>
            ))}
          </ol>
          <Pages page={page} more={found.length > (page + 1) * PER_PAGE} way={way} words={["Back", "More"]} />
          <Rewrite scope={scope} before="" />
        </>
      )}
    </RoomPage>
  );
}

const holds = (text: string, words: string): boolean =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));

function Scopes({ at: { home }, scopes, scope }: Pick<Seen, "at" | "scopes" | "scope">): Child {
  const nameOf = (one: Scope): string => (one === "team" ? "Team" : one.slice(one.indexOf(":") + 1));
  if (scopes.length > PILLS) {
    return (
      <form method="get" action="/memory" class="pick">
        <input type="hidden" name="home" value={home} />
        <label for="scope">Scope</label>
        <select id="scope" name="scope">
          {scopes.map((one) => (
            <option value={one} selected={one === scope}>
              {nameOf(one)}
            </option>
          ))}
        </select>
        <button type="submit">Show</button>
      </form>
    );
  }
  return (
    <nav class="pills" aria-label="Scope">
      {scopes.map((one) => (
        <a href={`/memory${query({ home, scope: one })}`} {...(one === scope ? { "aria-current": "true" } : {})}>
          {nameOf(one)}
        </a>
      ))}
    </nav>
  );
}
const PILLS = 6;

function Search({ at: { home }, scope, words }: { at: Standing; scope: Scope; words: string }): Child {
  return (
    <form method="get" action="/memory" class="filter">
      <input type="hidden" name="home" value={home} />
      <input type="hidden" name="scope" value={scope} />
      {isPrivate(scope) && <input type="hidden" name="open" value="1" />}
      <label class="unseen" for="words">
        Words in what is remembered
      </label>
      <input id="words" type="search" name="words" value={words} placeholder="Words, or who said it" maxlength={100} />
      <button type="submit">Search</button>
      <a href={`/memory/changes${query({ home, scope, open: flagOf(scope) })}`}>History</a>
    </form>
  );
}

function Line({ home, scope, line: { text, origin } }: { home: string; scope: Scope; line: Remembered }): Child {
  if (!origin) {
    return (
      <>
        <span>
          <span dir="auto">{reveal(text)}</span>
          <span class="facts">written by people</span>
        </span>
        <Rewrite scope={scope} before={text} />
      </>
    );
  }
  return (
    <>
      <span>
        <span dir="auto">{reveal(text)}</span>
        <span class="facts">
          <span>{origin.by}</span>
          <span>{origin.at}</span>
          <span>{origin.in}</span>
          {origin.session && <a href={sessionPath(home, origin.session)}>where it was said</a>}
        </span>
      </span>
      <button
        type="button"
        data-do="forget"
        data-scope={scope}
        data-id={origin.id}
        data-sure="Forget this? It is not learned again by itself."
      >
        Forget
      </button>
    </>
  );
}

/** Changes a line of people's own; an empty one is taken out. Without a line: adds one. */
function Rewrite({ scope, before }: { scope: Scope; before: string }): Child {
  const fresh = before === "";
  return (
    <details class="rewrite">
      <summary>{fresh ? "Add a line" : "Edit"}</summary>
      <form data-form="rewrite" data-scope={scope} data-before={before}>
        <input name="after" value={before} aria-label={fresh ? "New line" : "This line"} autocomplete="off" maxlength={1_000} />
        <button type="submit">{fresh ? "Add" : "Save"}</button>
        {!fresh && <small class="hint">Empty: it is taken out.</small>}
      </form>
    </details>
  );
}

// ---- history --------------------------------------------------------------------------------------------------------

const CAUSES = { remember: "remembered", update: "changed", forget: "forgotten", undo: "taken back", night: "tidied at night" } as const;

/** `changes`: undefined where it is private, and not open. */
export function MemoryChangesPage({ at, scopes, scope, changes, page }: Seen & { changes: Page<MemoryStep> | undefined }): Child {
  const { home } = at;
  const here = (to: number) => `/memory/changes${query({ home, scope, page: to, open: flagOf(scope) })}`;
  return (
    <RoomPage at={at} title="Memory: history" about="Every change of what is remembered: who, when, why. Each can be taken back.">
      <Scopes at={at} scopes={scopes} scope={scope} />
      {changes === undefined ? (
        <Closed href={`/memory/changes${query({ home, scope, open: 1 })}`} what={`This is about the ${scopeWords(scope)}.`} />
      ) : (
        <>
          <p class="facts">
            <a href={`/memory${query({ home, scope, open: flagOf(scope) })}`}>What is remembered</a>
          </p>
          {changes.items.length === 0 && <Nothing>Nothing has been remembered or forgotten yet.</Nothing>}
          <ol class="rows">
            {changes.items.map((change) => (
              <li class="row">
                <Step scope={scope} change={change} />
              </li>
            ))}
          </ol>
          <Pages page={page} more={changes.more} way={here} />
        </>
      )}
    </RoomPage>
  );
}

function Step({ scope, change: { n, at, cause, by, edits } }: { scope: Scope; change: MemoryStep }): Child {
  return (
    <>
      <div class="facts">
        <b>{CAUSES[cause]}</b>
        {by && <span>{by}</span>}
        <When at={at} />
        {edits.length > 1 && (
          <button type="button" data-do="unlearn" data-scope={scope} data-n={String(n)} data-sure="Take all of this back?">
            Take all {String(edits.length)} back
          </button>
        )}
      </div>
      {edits.map((edit, index) => (
        <div class="with-button">
          <EditOf edit={edit} />
          <button type="button" data-do="unlearn" data-scope={scope} data-n={String(n)} data-edit={String(index)}>
            Take back
          </button>
        </div>
      ))}
    </>
  );
}

function EditOf({ edit: { before, after, why } }: { edit: MemoryEdit }): Child {
  return (
    <div class="grown">
      <pre class="code diff" tabindex={0}>
        {before !== undefined && <span class="gone">{`- ${reveal(before)}\n`}</span>}
        {after !== undefined && <span class="added">{`+ ${reveal(after)}\n`}</span>}
      </pre>
      {why && <p class="note">{why}</p>}
    </div>
  );
}
