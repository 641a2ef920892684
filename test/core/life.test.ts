/** Random lives of a few sessions, and scripted stories in which the process dies at every boundary. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { snapshots } from "./check.ts";
import { EVERYTHING, STORIES, tell } from "./stories.ts";
import { live } from "./tape.ts";

const RUNS = Number(process.env.RUNS ?? 1);
const tapes = (length: number) => fc.array(fc.nat({ max: 5039 }), { maxLength: length, size: "max" });
// Shrinking a life takes minutes: long runs are to find, not to explain.
const settings = { interruptAfterTimeLimit: 900_000, endOnFailure: process.env.SHRINK === undefined };

describe("any life of a few sessions", () => {
  it("P1 P2 P3 P4 P5: comes to rest with every promise kept, whatever arrives, fails, dies or is taken over", () => {
    fc.assert(
      fc.property(tapes(400), (tape) => void live(tape)),
      { ...settings, numRuns: 120 * RUNS },
    );
  }, 900_000);
  it("P1: goes on from a snapshot of any moment as if nothing had been", () => {
    fc.assert(
      fc.property(tapes(200), (tape) => snapshots(live(tape))),
      { ...settings, numRuns: 15 * RUNS },
    );
  }, 900_000);
});

describe("a process that dies", () => {
  it.each([...STORIES, EVERYTHING].map((story) => [story.name, story] as const))(
    "P1 P2 P3 P4 P5: at any boundary of %s changes nothing for people",
    (_, story) => {
      const { boundaries } = tell(story);
      expect(boundaries).toBeGreaterThan(10);
      for (let at = 0; at < boundaries; at++) tell(story, [at]);
    },
  );
  it.each(["two-approvals", "helper-asks"])(
    "P1 P2 P3 P4 P5: and dies again, in %s",
    (name) => {
      const story = STORIES.find((it) => it.name === name);
      if (!story) throw new Error("no such story");
      const stride = Math.max(1, Math.round(4 / RUNS));
      for (let first = 0; first < tell(story).boundaries; first++) {
        const { boundaries } = tell(story, [first]);
        for (let second = first + 1 + (first % stride); second < boundaries; second += stride) tell(story, [first, second]);
      }
    },
    900_000,
  );
});
