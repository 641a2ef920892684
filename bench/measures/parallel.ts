/** 200 sessions that take ten steps each, at the same time. */
import { compare } from "../rig/compare.ts";
import { limitRow, percentile, type Row, ratioRow } from "../row.ts";

const SHAPE = { history: 0, warm: 60, rounds: 1, parallel: 200, calls: 9, same: false };

export async function parallel(): Promise<Row[]> {
  const { ours, bare } = await compare({ ...SHAPE, apart: 5 }, 3);
  const burst = await compare({ ...SHAPE, apart: 0 }, 1);
  const memory = `largest resident set, with the loader of TypeScript; bare ${bare.rss.toFixed(0)} MB`;
  const acks = `messages 5 ms apart while the others work; all 200 in one instant: ${percentile(burst.ours.acks, 0.99).toFixed(0)} ms`;
  return [
    ratioRow("CPU a step, 200 sessions x 10 steps at once", ours.cpu, bare.cpu, 1.5, "ms", "after 60 turns one by one"),
    limitRow("memory there", ours.rss, 300, "MB", memory),
    limitRow("p99 of an acknowledgement there", percentile(ours.acks, 0.99), 50, "ms", acks),
  ];
}
