/** Words about how the product is and what it costs. */
import type { Reply } from "../core/ports.ts";
import { type Asked, lines, page } from "./asked.ts";

export async function status({ on, rules }: Asked): Promise<Reply> {
  const policy = rules.broken ?? `Who may talk: ${rules.who("talk")}. Who may approve: ${rules.who("approve")}.`;
  return lines("How I am", [...on.status(), policy], "");
}

export async function usage({ on, journal, command }: Asked): Promise<Reply> {
  const day = new Date(on.now()).toISOString().slice(0, 10);
  const own = await journal.usage(day, command.by.id);
  const all = await journal.usage(day);
  const sum = (rows: typeof all) => rows.reduce((total, row) => total + row.input + row.output, 0).toLocaleString("en");
  return page("Tokens today (UTC)", [
    {
      kind: "fields",
      rows: [
        ["You", sum(own)],
        ["This home", sum(all)],
      ],
    },
  ]);
}
