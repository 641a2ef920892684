/** 200 sessions that take ten steps each, all at once. */
import { compare } from "../rig/compare.ts";
import { limitRow, percentile, type Row, ratioRow } from "../row.ts";

export async function parallel(): Promise<Row[]> {
  const { ours, bare } = await compare({ history: 0, warm: 0, rounds: 1, parallel: 200, calls: 9, same: false }, 3);
  return [
    ratioRow("CPU a step, 200 sessions x 10 steps at once", ours.cpu, bare.cpu, 1.5, "ms", "cold processes, nothing warmed"),
    limitRow(
      "memory there",
      ours.rss,
      300,
      "MB",
      `largest resident set, the loader of TypeScript included; bare ${bare.rss.toFixed(0)} MB`,
    ),
    limitRow("p99 of an acknowledgement there", percentile(ours.acks, 0.99), 50, "ms", "200 messages in one turn of the event loop"),
  ];
}
