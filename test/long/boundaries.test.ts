/**
 * A real SIGKILL at every boundary of a story with an approval: on Slack in a channel, in a DM, where progress is streamed, and over signed
 * HTTP; on Discord in a thread, and where there are none.
 */
import { expect, test } from "vitest";
import { everyBoundary, faultsOf } from "../e2e/boundaries.ts";
import type { Way } from "../e2e/stages.ts";

/** Every so many boundaries are enough where time is short. */
const EVERY = Number(process.env.EVERY ?? 1);

test.each<[Way, number]>([
  ["slack over sockets, in a channel", 1],
  ["slack over sockets, in a DM", 1],
  ["slack over signed HTTP, in a channel", 2],
  ["discord, in a thread", 1],
  ["discord, where there are no threads", 2],
])("P1 P2 P3 P5 %s: 0 lost, 0 answered twice unmarked, 0 done twice", { timeout: 1_800_000 }, async (way, step) => {
  const told = await everyBoundary(way, step * EVERY);
  const sum = (of: "marked" | "unknown") => told.reduce((all, one) => all + one[of], 0);
  console.log(`${way}: ${told.length - 1} kills, ${sum("marked")} marked, ${sum("unknown")} with an outcome unknown`);
  expect(faultsOf(told)).toEqual([]);
  expect(told.length).toBeGreaterThan(24 / step / EVERY);
});
