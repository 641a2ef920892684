/** Words about the conversations of a place: plans, what waits for a decision, the threads themselves. */
import type { Reply } from "../core/ports.ts";
import { type Part, todoLine } from "../core/view.ts";
import { type Asked, here, lines, page, titleOf } from "./asked.ts";

export async function todos(asked: Asked): Promise<Reply> {
  const { command, journal, session, scopes, on } = asked;
  if (command.place.thread) {
    const { todos: all, opened } = await journal.state(session);
    const own = opened && scopes.includes(opened.scope) ? all : [];
    return page("Plan of this thread", [
      own.length ? { kind: "todos", todos: [...own] } : { kind: "note", text: "There is no plan in this thread." },
    ]);
  }
  const open = (await here(asked)).filter((row) => row.todos.some((todo) => todo.status !== "completed"));
  if (!open.length) return page("Plans", [{ kind: "note", text: "No thread of this channel has an open plan." }]);
  return page(
    "Plans",
    open.slice(0, 10).flatMap((row): Part[] => [
      { kind: "text", text: titleOf(on, row) },
      { kind: "todos", todos: row.todos },
    ]),
  );
}

export async function sessions(asked: Asked): Promise<Reply> {
  const rows = await here(asked);
  const items = rows
    .slice(0, 15)
    .map((row) => `${row.settled ? "" : "▶ "}${titleOf(asked.on, row)}${row.todos[0] ? ` — ${todoLine(row.todos[0])}` : ""}`);
  return lines("Conversations of this channel", items, "There are none yet.");
}
