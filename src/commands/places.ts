/** Words about the conversations of a place. */
import type { Reply } from "../core/ports.ts";
import { todoLine } from "../core/view.ts";
import { type Asked, here, lines, titleOf } from "./asked.ts";

export async function sessions(asked: Asked): Promise<Reply> {
  const rows = await here(asked);
  const items = rows
    .slice(0, 15)
    .map((row) => `${row.settled ? "" : "▶ "}${titleOf(asked.on, row)}${row.todos[0] ? ` — ${todoLine(row.todos[0])}` : ""}`);
  return lines("Conversations of this channel", items, "There are none yet.");
}
