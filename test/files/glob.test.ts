import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matcher } from "../../src/files/glob.ts";

const PATHS = ["/a.md", "/b.ts", "/x/b.md", "/x/y/c.ts", "/x/.h.md", "/.d/e.md", "/x/[a].md", "/x/report (1).md", "/x/y/z/d.md"];
const matching = (pattern: string, folder = "/"): string[] | string => {
  const found = matcher(pattern, folder);
  return found.ok ? PATHS.filter(found.matches) : found.error;
};

describe("glob patterns", () => {
  it.each<[string, string, string[]]>([
    ["*.md", "/", ["/a.md", "/x/b.md", "/x/[a].md", "/x/report (1).md", "/x/y/z/d.md"]],
    ["*.md", "/x/y", ["/x/y/z/d.md"]],
    ["**/*.md", "/", ["/a.md", "/x/b.md", "/x/[a].md", "/x/report (1).md", "/x/y/z/d.md"]],
    ["x/*.md", "/", ["/x/b.md", "/x/[a].md", "/x/report (1).md"]],
    ["y/*.ts", "/x", ["/x/y/c.ts"]],
    ["/x/y/**", "/elsewhere", ["/x/y/c.ts", "/x/y/z/d.md"]],
    ["x/**/*.md", "/", ["/x/b.md", "/x/[a].md", "/x/report (1).md", "/x/y/z/d.md"]],
    ["*.{md,ts}", "/x/y", ["/x/y/c.ts", "/x/y/z/d.md"]],
    ["[bc].*", "/", ["/b.ts", "/x/b.md", "/x/y/c.ts"]],
    ["\\[a\\].md", "/", ["/x/[a].md"]],
    ["report (1).md", "/", ["/x/report (1).md"]],
    ["**/.*", "/", ["/x/.h.md"]],
    [".d/*", "/", ["/.d/e.md"]],
    ["./x/./b.md", "/", ["/x/b.md"]],
    ["?.ts", "/", ["/b.ts", "/x/y/c.ts"]],
    ["none", "/", []],
    ["!a.md", "/", []],
  ])("%j in %j", (pattern, folder, expected) => expect(matching(pattern, folder)).toEqual(expected));

  it.each([
    "",
    "/",
    "../**",
    "/x/../..",
    "a\0",
    "*a*a*a*b",
    "x".repeat(501),
    "*/*/*/*/*/*/*",
    "{a,b",
    "{a/b,c}",
    "{a,aa}{a,aa}{a,aa}{a,aa}b",
  ])("P7 refuses %j", (pattern) => expect(typeof matching(pattern)).toBe("string"));

  it("needs to look at nothing but the folder in which every match lies", () => {
    expect(matcher("docs/a/*.md", "/home")).toMatchObject({ base: "/home/docs/a" });
    expect(matcher("/home/skills/**", "/x")).toMatchObject({ base: "/home/skills" });
    expect(matcher("*.md", "/home")).toMatchObject({ base: "/home" });
  });

  it("no pattern holds up the process", () => {
    const evil = `/${"a".repeat(255)}/${"a".repeat(255)}/${"a/".repeat(1_500)}a`;
    const began = performance.now();
    for (const pattern of [
      "*a*a*b",
      "**/*a*a*b/**/*a*a*b/**",
      "{a,aa}{a,aa}{a,aa}b",
      "(a+)+b",
      "**/".repeat(160),
      "+(a|aa)b",
      "[a-z]*a*a!",
    ]) {
      const found = matcher(pattern, "/");
      if (found.ok) found.matches(evil);
    }
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it("answers any text with a matcher or a sentence", () => {
    const text = fc.array(
      fc.constantFrom("*", "**", "/", "[", "]", "{", "}", ",", "a", "!", "\\", "(", ")", "-", "z", ".", "?", "^", "$"),
      { maxLength: 12 },
    );
    fc.assert(fc.property(text, (parts) => Array.isArray(matching(parts.join(""))) || parts.length >= 0));
  });
});
