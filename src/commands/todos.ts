/**
 * `todos`: the plan of the thread it is said in, and the open plans of all places whose memory the asker may see from here: in a direct
 * message the team's, their own and those of the private places they are a member of; in a channel the team's and that channel's.
 *
 * T1. Guests and externals are told of the channel they are in, and of no other.
 * T2. Threads whose plan is done fold into one line.
 */
import { rootOf } from "../core/id.ts";
import type { Reply, SessionRow } from "../core/ports.ts";
import type { Part } from "../core/view.ts";
import { type Asked, page, titleOf } from "./asked.ts";

const THREADS = 12;
const LINES = 12;
const FOLDED = 3;
/** Conversations looked through, the latest first. */
const LOOKED = 1_000;

export async function todos(asked: Asked): Promise<Reply> {
  const rows = await seen(asked);
  const own = asked.command.place.thread === null ? undefined : rows.find(({ session }) => session === asked.session);
  const others = rows.filter((row) => row !== own);
  const open = others.filter(isOpen);
  const done = others.filter((row) => row.todos.length > 0 && !isOpen(row));
  const here: Part[] = asked.command.place.thread === null ? [] : thisThread(own);
  const none: Part[] =
    open.length || own?.todos.length ? [] : [{ kind: "note", text: "No thread that may be shown here has an open plan." }];
  return page("Plans", [
    ...here,
    ...(here.length && open.length ? [{ kind: "text" as const, text: "**In other threads**" }] : []),
    ...open.slice(0, THREADS).flatMap((row) => thread(asked, row)),
    ...more(open.length - THREADS, "more threads have open plans"),
    ...folded(asked, done),
    ...none,
  ]);
}

async function seen({ journal, scopes, who, command: { place } }: Asked): Promise<SessionRow[]> {
  const rows = await journal.sessions({ scopes, limit: LOOKED });
  return rows.filter((row) => {
    if (rootOf(row.session) !== row.session) return false;
    return who?.member === true || (row.place.platform === place.platform && row.place.channel === place.channel);
  });
}

const isOpen = ({ todos: all }: SessionRow): boolean => all.some(({ status }) => status !== "completed");

const thisThread = (row: SessionRow | undefined): Part[] =>
  row?.todos.length
    ? [
        { kind: "text", text: "**In this thread**" },
        { kind: "todos", todos: row.todos },
      ]
    : [{ kind: "note", text: "There is no plan in this thread." }];

function thread({ on }: Asked, row: SessionRow): Part[] {
  const finished = row.todos.filter(({ status }) => status === "completed").length;
  const left = row.todos.filter(({ status }) => status !== "completed");
  return [
    { kind: "text", text: `${titleOf(on, row)}${finished ? ` (${finished} of ${row.todos.length} done)` : ""}` },
    { kind: "todos", todos: left.slice(0, LINES) },
    ...more(left.length - LINES, "more lines in its thread"),
  ];
}

const more = (count: number, what: string): Part[] => (count > 0 ? [{ kind: "note", text: `${count} ${what}` }] : []);

function folded({ on }: Asked, done: readonly SessionRow[]): Part[] {
  if (!done.length) return [];
  const some = done.slice(0, FOLDED).map((row) => titleOf(on, row));
  const rest = done.length > FOLDED ? `, and ${done.length - FOLDED} more` : "";
  return [{ kind: "note", text: `Done: ${some.join(", ")}${rest}` }];
}
