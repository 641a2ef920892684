/** Making room for the model: double the work for double the input, and no more. */

import { LIMITS } from "../../src/core/next.ts";
import { makesRoom } from "../../src/core/room.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { compact } from "../../src/harness/compact.ts";
import { resultEviction } from "../../src/hooks/result-eviction.ts";
import { withFolder } from "../rig/folder.ts";
import { eventsOf, fold, sessionOf } from "../rig/history.ts";
import { LOOKUP } from "../rig/house.ts";
import { momentHere, sceneOf } from "../rig/moment.ts";
import { scripted } from "../rig/scripted.ts";
import type { Row } from "../row.ts";

const TIMES = 15;
const MOST = 2.2;
const MB = 1024 * 1024;

export const room = (): Promise<Row[]> => withFolder(rows);

/** Kept on the disk, as in a home: a store in memory would be measured by its own copies. */
async function rows(dir: string): Promise<Row[]> {
  const hook = resultEviction(() => diskFiles(dir));
  let calls = 0;
  const evict = async (text: string): Promise<void> => {
    await hook.postActing?.(momentHere(), LOOKUP, `1.1.${calls++}`, { content: text, failed: false });
  };
  const logs = (size: number): string => "2025-01-06T12:00:00Z service=import level=info account=417 done\n".repeat(size / 64);
  const wide = (size: number): string => "x".repeat(size);
  return [
    await doubled("eviction of 4 MB of lines to 8 MB", 4 * MB, async (size) => evictOf(logs(size), evict)),
    await doubled("eviction of one line of 4 MB to 8 MB", 4 * MB, async (size) => evictOf(wide(size), evict)),
    await doubled("compaction of 2,000 turns to 4,000", 2_000, summarising),
  ];
}

async function evictOf(text: string, evict: (text: string) => Promise<void>): Promise<() => Promise<void>> {
  return () => evict(text);
}

/** A state of its own each time: what was counted once is kept with it. */
async function summarising(turns: number): Promise<() => Promise<void>> {
  const state = fold(eventsOf(turns, sessionOf("t"), "t"));
  const window = turns * 1_000;
  return async () => {
    makesRoom(state, Date.now(), { ...LIMITS, window });
    const plan = await compact(sceneOf(state, scripted(), window), { do: "compact", subject: "talk" });
    const [write] = (await plan.act?.()) ?? [];
    if (write?.[1][0]?.type !== "context.compacted") throw new Error("nothing was summarised");
  };
}

/** Both in turns: what else the machine does meets both alike. */
async function doubled(what: string, size: number, make: (size: number) => Promise<() => Promise<void>>): Promise<Row> {
  let [one, two] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let n = 0; n < TIMES; n++) {
    one = Math.min(one, await costOf(await make(size)));
    two = Math.min(two, await costOf(await make(2 * size)));
  }
  return {
    what,
    ours: `${one.toFixed(0)} → ${two.toFixed(0)} ms CPU`,
    ratio: two / one,
    target: `<= ${MOST}x`,
    ok: two / one <= MOST,
  };
}

/** Of CPU, in ms: waiting for a busy disk is no work. */
async function costOf(act: () => Promise<void>): Promise<number> {
  const began = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}
