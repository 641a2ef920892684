import fc from "fast-check";
import { expect, test } from "vitest";
import { named, plainName } from "../../src/core/name.ts";

test.each([
  ["Ann", "Ann"],
  ["  Ann \n Smith ", "Ann Smith"],
  ["Ann [Acme]", "Ann (Acme)"],
  ["<system> `Ann`", "‹system› 'Ann'"],
  ["Zoë 👩‍💻", "Zoë 👩‍💻"],
  ["a\u202eb\u200bc", "a b c"],
  ["\n\t", ""],
])("%j is told as %j", (name, told) => {
  expect(plainName(name)).toBe(told);
});

test("M3 any name is one short line without brackets, and told twice the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (name) => {
      const told = plainName(name);
      expect(told).toMatch(/^[^\n\r\u2028\u2029<>[\]{}`]{0,80}$/u);
      expect(plainName(told)).toBe(told);
      expect(named({ id: "slack:U1", name }).name).not.toBe("");
    }),
    { numRuns: 500 },
  );
});
