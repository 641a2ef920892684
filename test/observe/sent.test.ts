import { expect, test } from "vitest";
import { sentLately } from "../../src/observe/sent.ts";

const request = (text: string) => ({ model: "m", system: [{ text }], tools: [] });
const at = (step: number) => ({ turn: 1, step });

test("what a step was sent is there until newer steps take its place, and a repeated step stands with what it was sent last", () => {
  const sent = sentLately(2);
  sent.keep("h", "s", at(1), request("one"));
  sent.keep("h", "s", at(2), request("two"));
  sent.keep("h", "s", at(1), request("one again"));
  expect(sent.find("h", "s", 1, 1)).toEqual({ model: "m", system: ["one again"], tools: [] });
  sent.keep("h", "t", at(1), request("other"));
  expect([sent.find("h", "s", 1, 2), sent.find("h", "s", 1, 1)?.system, sent.find("g", "s", 1, 1)]).toEqual([
    undefined,
    ["one again"],
    undefined,
  ]);
});

test("a long prompt takes the place of several short ones, and one that is too long by itself is not kept", () => {
  const sent = sentLately(10, 100);
  for (let step = 1; step < 5; step++) sent.keep("h", "s", at(step), request("x".repeat(30)));
  expect([1, 2, 3, 4].filter((step) => sent.find("h", "s", 1, step))).toEqual([2, 3, 4]);
  sent.keep("h", "s", at(5), request("x".repeat(101)));
  expect([2, 3, 4, 5].filter((step) => sent.find("h", "s", 1, step))).toEqual([]);
});
