/** A long turn with all that people see of one: a plan, tools, a decision, tables, code and a long answer. */

import type { Script } from "../rigs/anthropic.ts";
import type { JsonObject } from "../rigs/anthropic-turn.ts";

const PLAN = ["Read what failed last night", "Find the change that broke it", "Roll the service back", "Write down what happened"];
const todos = (done: number): [string, JsonObject] => [
  "write_todos",
  { todos: PLAN.map((content, at) => ({ content, status: at < done ? "completed" : at === done ? "in_progress" : "pending" })) },
];
const ANSWER = `## What happened

The nightly import failed **three times** after 02:10 UTC. Deploy \`4f2c91e\` renamed the column \`amount\` to \`amount_cents\`, and the importer still reads the old name.

| Run | Started | Rows | Outcome |
| --- | --- | ---: | --- |
| 1 | 02:10 | 0 | column "amount" does not exist |
| 2 | 02:40 | 0 | column "amount" does not exist |
| 3 | 03:10 | 18,204 | stopped by hand, see [the log](https://ops.example.org/runs/3) |

I rolled the service back to the deploy before it. To check:

\`\`\`sql
select count(*) from imports
where started_at > now() - interval '1 day';
\`\`\`

### What is left

1. Rename the column in \`importer/map.ts\`.
2. Deploy again, **after** the import of tonight.
3. Tell the finance team that the numbers of Tuesday are late.

| Who | What |
| --- | --- |
| Ben | review |
| Ola | deploy |`;

export const ABOUT = "nightly import";
export const QUESTION = "why did the nightly import fail? Please mend it.";
export const TURNS: Script[] = [
  {
    words: "I look at the runs of last night first.",
    calls: [todos(0), ["ops__echo", { text: "runs of the nightly import since yesterday" }], ["ls", { path: "/" }]],
  },
  {
    words: "The importer broke with the last deploy. I would roll it back.",
    calls: [todos(2), ["ops__deploy", { target: "importer@previous" }]],
  },
  { calls: [todos(4)] },
  { text: ANSWER },
];

/** A drawing without what is different each time. */
export const steady = (drawing: string): string => drawing.replace(/\d\d\d\d-\d\d-\d\d/g, "DATE").replace(/\b\d\d:\d\d\b(?! │)/g, "TIME");
