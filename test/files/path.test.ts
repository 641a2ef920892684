import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { components, isWithin, normalise } from "../../src/files/path.ts";
import { safeName } from "../../src/files/safe-name.ts";

describe("paths", () => {
  it.each([
    ["", "/"],
    ["/", "/"],
    [".", "/"],
    ["a", "/a"],
    ["a//b/./c/", "/a/b/c"],
    ["/notes..md", "/notes..md"],
    ["/...", "/..."],
    ["/%2e%2e/x", "/%2e%2e/x"],
    ["/a b/ü", "/a b/ü"],
    ["/home/~x", "/home/~x"],
    [`/${"é".repeat(127)}`, `/${"é".repeat(127)}`],
  ])("spells %j as %j", (text, path) => expect(normalise(text)).toEqual({ ok: true, path }));

  it.each([
    "/../etc/passwd",
    "..",
    "a/../../b",
    "/a/..",
    "..\\..\\x",
    "a\\b",
    "~/x",
    "~root/x",
    "C:\\x",
    "C:/x",
    "c:x",
    "/a\0b",
    "/a\nb",
    "/a\u007fb",
    "/\ud800",
    `/${"é".repeat(128)}`,
    `/${"a/".repeat(3_000)}`,
  ])("P7 refuses %j with a sentence", (text) => {
    const result = normalise(text);
    expect(result.ok ? result.path : result.error).toMatch(/ /);
    expect(result.ok).toBe(false);
  });

  it("never throws, is stable, and never leads upwards", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(fc.constantFrom("..", ".", "/", "a", "\\", "~", "\0", "C:"), { maxLength: 12 }).map((parts) => parts.join("")),
        ),
        (text) => {
          const result = normalise(text);
          if (!result.ok) return result.error.length > 0;
          const again = normalise(result.path);
          return (
            again.ok &&
            again.path === result.path &&
            result.path.startsWith("/") &&
            !components(result.path).some((name) => name === ".." || name === ".")
          );
        },
      ),
    );
  });

  it("compares by whole names", () => {
    expect(isWithin("/mem", "/memory.txt")).toBe(false);
    expect(isWithin("/mem", "/mem")).toBe(true);
    expect(isWithin("/mem", "/mem/x")).toBe(true);
    expect(isWithin("/", "/x")).toBe(true);
  });
});

describe("safe names", () => {
  it("keeps ids of platforms readable", () => {
    expect(safeName("slack:T1:C1:1700000000.000100")).toBe("slack_T1_C1_1700000000.000100");
  });

  it("P6 gives distinct ids distinct names that are safe everywhere", () => {
    const ids = [
      "a/b",
      "a_b",
      "a:b",
      "a=2Fb",
      "",
      ".",
      "..",
      ".git",
      "a",
      "A/",
      "x".repeat(300),
      `${"x".repeat(300)}y`,
      "ü",
      "u\u0308",
      "\0",
      "../../x",
    ];
    const names = ids.map(safeName);
    expect(new Set(names).size).toBe(ids.length);
    const near = fc.array(fc.constantFrom("a", "_", ":", "=", "/", ".", "2F", "5F"), { maxLength: 6 }).map((parts) => parts.join(""));
    fc.assert(fc.property(near, near, (a, b) => (safeName(a) === safeName(b)) === (a === b)));
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (id) => {
        const name = safeName(id);
        return /^[A-Za-z0-9=_-][A-Za-z0-9._=-]*$/.test(name) && name.length <= 120 && name !== "";
      }),
    );
  });
});
