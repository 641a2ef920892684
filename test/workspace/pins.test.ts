import { expect, it } from "vitest";
import { changedSince } from "../../src/workspace/pins.ts";

const before = { pin: "e1.w1.s1", at: Date.UTC(2026, 10, 3) };
it.each<[string, string | undefined, string | undefined]>([
  ["the same", "e1.w1.s1", undefined],
  ["a tool of our own", undefined, undefined],
  ["another description", "e1.w2.s1", "its description has changed since 2026-11-03."],
  ["another schema and entry", "e2.w1.s2", "the entry of its server and what it takes or gives have changed since 2026-11-03."],
  [
    "something else in every way",
    "x",
    "the entry of its server, its description and what it takes or gives have changed since 2026-11-03.",
  ],
])("P3: %s", (_what, pin, words) =>
  expect(changedSince(before, pin)).toBe(words && `⚠️ This tool is not what was approved before: ${words}`),
);
it("what was never approved is new, not changed", () => expect(changedSince(undefined, "a.b.c")).toBeUndefined());
