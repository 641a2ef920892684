/** CPU of one step: the model's answer with a call, the call, and what is posted; with a short and with a long history behind it. */
import { type Row, ratioRow } from "../row.ts";
import { compare } from "../rig/compare.ts";

const NOTE = "CPU of the process a request, whole turns of ten calls and an answer";

export async function steps(): Promise<Row[]> {
  const short = await compare({ history: 3, warm: 15, rounds: 30, parallel: 1, calls: 10, same: false }, 3);
  const long = await compare({ history: 740, warm: 1, rounds: 2, parallel: 1, calls: 10, same: true }, 3);
  return [
    ratioRow("CPU a step, 20 messages of history", short.ours.cpu, short.bare.cpu, 1.5, "ms", NOTE),
    ratioRow("CPU a step, 3,000 messages of history", long.ours.cpu, long.bare.cpu, 1.1, "ms", NOTE),
  ];
}
