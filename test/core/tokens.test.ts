import { expect, it } from "vitest";
import { estimateTokens, roomFor, weight } from "../../src/core/tokens.ts";

it.each([
  ["", 0],
  ["x".repeat(3_500), 1_150],
  ["漢".repeat(1_000), 1_150],
  ["ж".repeat(1_000), 575],
  ["🙂".repeat(100), 230],
])("%#: an estimate with its margin", (text, tokens) => expect(estimateTokens(text)).toBe(tokens));

it("Chinese is not counted as if it were English", () => expect(estimateTokens("漢字".repeat(50_000))).toBeGreaterThan(100_000));

it("a text that fits the room costs no more than the tokens", () => {
  const room = roomFor(1_000);
  expect(estimateTokens("x".repeat(Math.floor(room / weight("x"))))).toBeLessThanOrEqual(1_000);
});
