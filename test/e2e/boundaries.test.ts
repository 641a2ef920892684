/** The boundaries that matter most in every run of the suite; all of them are a long proof. */
import { expect, test } from "vitest";
import { atBoundaries, faultsOf, type Kill } from "./boundaries.ts";
import type { Way } from "./stages.ts";

test.each<[Way, Kill[]]>([
  ["slack over sockets, in a channel", ["after the deed"]],
  ["discord, in a thread", ["after POST /channels/:c/messages"]],
])(
  "P1 P2 P3 P5 a story with an approval (%s), killed at %j: nothing is lost, doubled or done twice",
  { timeout: 120_000 },
  async (way, kills) => {
    const told = await atBoundaries(way, kills);
    expect(faultsOf(told)).toEqual([]);
    expect(told.every(({ at }) => at !== undefined)).toBe(true);
  },
);
