import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesLabel, touches } from "../../src/workspace/glob.ts";

test.each([
  ["execute", "execute", true],
  ["execute", "execute2", false],
  ["ops/*", "ops/deploy", true],
  ["ops/*", "ops2/deploy", false],
  ["*", "ops/deploy", true],
  ["*", "", true],
  ["*/drop_*", "db/drop_table", true],
  ["*/drop_*", "drop_table", false],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["*b*b", "b", false],
  ["a.c", "abc", false],
  ["(a+)+*", "(a+)+x", true],
])("the pattern %s for the tool %s: %s", (pattern, label, matches) => {
  expect(matchesLabel(pattern, label)).toBe(matches);
});

test("a pattern matches exactly what the regular expression made from it does", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "/", "*", "."), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (pattern, label) => {
      const source = pattern.split("*").map((piece) => piece.replaceAll(".", "\\."));
      expect(matchesLabel(pattern, label)).toBe(new RegExp(`^${source.join(".*")}$`).test(label));
    }),
  );
});

test.each([
  ["files/legal/**", "files/legal/a.md", true],
  ["files/legal/**", "files/legal/2024/a.md", true],
  ["files/legal/**", "files/legal", true],
  ["files/legal/**", "files/legalese/a.md", false],
  ["files/legal/**", "files/a.md", false],
  ["files/legal/**", "/files//./legal/a.md", true],
  ["files/legal/**", "FILES/Legal/a.md", true],
  ["files/legal", "files/legal/a.md", true],
  ["files/*.key", "files/a.key", true],
  ["files/*.key", "files/x/a.key", false],
  ["files/**/*.key", "files/a.key", true],
  ["files/**/*.key", "files/x/y/a.key", true],
  ["files/**/*.key", "files/x/y", false],
  ["**", "anything/at/all", true],
  ["files/caf\u00e9/**", "files/cafe\u0301/a", true],
])("protecting %s, a change of %s is caught: %s", (glob, path, caught) => {
  expect(touches(glob, path, false)).toBe(caught);
});

test.each([
  ["files/legal/**", "files", true],
  ["files/legal/**", "", true],
  ["files/legal/**", "files/other", false],
  ["files/**/*.key", "files/x/y", true],
  ["files/a/*.key", "files/a/b.md", false],
])("protecting %s, erasing the folder %s is caught: %s", (glob, path, caught) => {
  expect(touches(glob, path, true)).toBe(caught);
});

test("what is below a caught path is caught as well", () => {
  const piece = fc.constantFrom("a", "b", "*", "**", "a*");
  const name = fc.constantFrom("a", "b", "ab", "c");
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.array(name, { maxLength: 4 }), name, (glob, path, below) => {
      fc.pre(touches(glob.join("/"), path.join("/"), false));
      expect(touches(glob.join("/"), [...path, below].join("/"), false)).toBe(true);
    }),
  );
});
