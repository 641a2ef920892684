/** Bytes written for a step: flat, however long the history. */
import { existsSync } from "node:fs";
import { run } from "../child.ts";
import type { Writing, Written } from "../programs/writes.ts";
import { withFolder } from "../rig/folder.ts";
import { limitRow, type Row } from "../row.ts";

const NOTE = "wchar of /proc/self/io, model inside the process; enough steps for the log to be moved into the file";

export async function writes(): Promise<Row[]> {
  if (!existsSync("/proc/self/io")) return [];
  const short = await perStep(2);
  const long = await perStep(750);
  return [
    limitRow("bytes written a step, 20 messages of history", short / 1_024, 24, "KB", NOTE),
    limitRow("bytes written a step, 3,000 messages of history", long / 1_024, 24, "KB", NOTE),
    { what: "the same, long to short: flat", ours: `${(long / short).toFixed(2)}x`, target: "<= 1.5x", ok: long <= 1.5 * short },
  ];
}

const perStep = (history: number): Promise<number> =>
  withFolder(async (dir) => {
    const { bytes, steps } = await run<Written>("writes", { dir, history, turns: 30, calls: 10 } satisfies Writing);
    return bytes / steps;
  });
