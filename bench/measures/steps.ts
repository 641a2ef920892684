/** CPU of one step: the model's answer with a call, the call, and what is posted; with a short and with a long history behind it. */

import { compare } from "../rig/compare.ts";
import { type Row, ratioRow } from "../row.ts";

const NOTE = "CPU of the process for each request, in turns of ten calls and an answer, after 250 such turns (60 with the long history)";

export async function steps(): Promise<Row[]> {
  const short = await compare({ history: 3, warm: 250, rounds: 100, parallel: 1, calls: 10, apart: 0, same: false }, 3);
  const long = await compare({ history: 740, warm: 60, rounds: 3, parallel: 1, calls: 10, apart: 0, same: true }, 3);
  return [
    ratioRow("CPU a step, 20 messages of history", short.ours.cpu, short.bare.cpu, 1.5, "ms", NOTE),
    ratioRow("CPU a step, 3,000 messages of history", long.ours.cpu, long.bare.cpu, 1.1, "ms", NOTE),
  ];
}
