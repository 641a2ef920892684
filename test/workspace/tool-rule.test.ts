import fc from "fast-check";
import { expect, test } from "vitest";
import { literalLength, matchesLabel } from "../../src/workspace/glob.ts";
import type { ToolRule } from "../../src/workspace/policy.ts";
import { restrictions, rule } from "../../src/workspace/tool-rule.ts";

const allow = (...decisions: ("approve" | "edit" | "deny")[]) => ({ allow: decisions });

test.each<[string, Record<string, ToolRule>, string, ToolRule | undefined]>([
  ["nothing said", {}, "ops/deploy", undefined],
  ["nothing meant", { "ops2/*": true }, "ops/deploy", undefined],
  ["an exact name", { "ops/deploy": false, "ops/*": true }, "ops/deploy", false],
  ["an exact name before a longer pattern", { ask: true, "ask*": false, "a*sk": false }, "ask", true],
  ["the longest literal part", { "*": true, "ops/*": false, "ops/dep*": true }, "ops/deploy", true],
  ["its order does not matter", { "ops/dep*": true, "ops/*": false, "*": true }, "ops/deploy", true],
  ["a tie, the stricter", { "ops/*": false, "*eploy": true, "op*loy": true }, "ops/deploy", true],
  ["a tie between deny and ask", { "ops/de*": false, "*/deploy": true }, "ops/deploy", true],
  ["a tie of a list and true", { "a*": true, "*b": allow("approve", "deny") }, "ab", allow("approve", "deny")],
  ["a tie of two lists", { "a*": allow("approve", "deny"), "*b": allow("edit", "deny") }, "ab", allow("deny")],
  ["a tie of lists with nothing in common", { "a*": allow("approve"), "*b": allow("edit") }, "ab", allow("deny")],
  ["a name that objects have by themselves", {}, "constructor", undefined],
])("%s", (_, interruptOn, label, expected) => {
  expect(rule({ interruptOn }, label)).toEqual(expected);
});

const label = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 5 });
const pattern = fc.string({ unit: fc.constantFrom("a", "b", "/", "*"), maxLength: 5 });
const value = fc.oneof(
  fc.boolean(),
  fc.record({ allow: fc.subarray<"approve" | "edit" | "deny">(["approve", "edit", "deny"], { minLength: 1 }) }),
);
const entries = fc.uniqueArray(fc.tuple(pattern, value), { selector: ([key]) => key, maxLength: 6 });

test("the order of the rules never matters", () => {
  fc.assert(
    fc.property(entries, label, (rules, tool) => {
      const forth = rule({ interruptOn: Object.fromEntries(rules) }, tool);
      expect(rule({ interruptOn: Object.fromEntries(rules.toReversed()) }, tool)).toEqual(forth);
    }),
  );
});

test("a question is lifted only if every rule that is closest lifts it", () => {
  fc.assert(
    fc.property(entries, label, (rules, tool) => {
      const meant = rules.filter(([key]) => matchesLabel(key, tool));
      const exact = meant.filter(([key]) => key === tool);
      const longest = Math.max(...meant.map(([key]) => literalLength(key)));
      const closest = exact.length ? exact : meant.filter(([key]) => literalLength(key) === longest);
      const expected = closest.length > 0 && closest.every(([, said]) => said === false);
      expect(rule({ interruptOn: Object.fromEntries(rules) }, tool) === false).toBe(expected);
    }),
  );
});

test("restrictions on a tool all hold where several are equally close", () => {
  const access = { "fin/*": { people: ["slack:U1"] }, "*/pay": { places: ["slack:C1"] }, "*": { people: ["*"] } };
  expect(restrictions({ access }, "fin/pay")).toEqual([{ people: ["slack:U1"] }, { places: ["slack:C1"] }]);
  expect(restrictions({ access }, "other")).toEqual([{ people: ["*"] }]);
  expect(restrictions({ access: {} }, "fin/pay")).toEqual([]);
});
