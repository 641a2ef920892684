import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrontMatter } from "../../src/workspace/front-matter.ts";

declare global {
  var ranFromFrontMatter: boolean | undefined;
}
const CODE = "{ name: (globalThis.ranFromFrontMatter = true, 'x') }";

describe("front matter", () => {
  it.each([
    ["a plain head", "---\nname: a\n---\nBody\n", { name: "a" }, "Body"],
    ["a byte order mark", "\uFEFF---\nname: a\n---\nBody", { name: "a" }, "Body"],
    ["Windows line ends", "---\r\nname: a\r\ndescription: b\r\n---\r\nOne\r\nTwo\r\n", { name: "a", description: "b" }, "One\nTwo"],
    ["dashes in the body", "---\nname: a\n---\nOne\n\n---\n\nTwo\n---\n", { name: "a" }, "One\n\n---\n\nTwo\n---"],
    ["a colon in a value", "---\nname: a\ndescription: Use when: always\n---\nB", { name: "a", description: "Use when: always" }, "B"],
    ["a folded value", "---\ndescription: >\n  one\n  two\n---\nB", { description: "one two\n" }, "B"],
    ["an empty head", "---\n---\nB", {}, "B"],
    ["no body", "---\nname: a\n---", { name: "a" }, ""],
    ["replacement patterns", "---\nname: $& $1\n---\n$`", { name: "$& $1" }, "$`"],
  ])("reads %s", (_, text, data, body) => expect(readFrontMatter(text)).toEqual({ ok: true, data, body }));

  it.each([
    ["no head", "Just text", /begin with a head/],
    ["a head that is never closed", "---\nname: a\nText", /not closed/],
    ["broken YAML", "---\nname: [a\n---\nB", /not valid YAML/],
    ["a list for a head", "---\n- a\n---\nB", /no names with values/],
    ["a custom tag that would run code", "---\nname: !!js/function 'function () {}'\n---\nB", /not valid YAML/],
    ["a head too large to be meant", `---\nname: ${"a".repeat(70_000)}\n---\nB`, /longer than 64 KB/],
  ])("says what is wrong with %s", (_, text, wrong) =>
    expect(readFrontMatter(text)).toEqual({ ok: false, wrong: expect.stringMatching(wrong) }),
  );

  it.each(["js", "javascript", "JS", "coffee", "json", " js"])(
    "P11: code under the language “%s” is refused, and never runs",
    (language) => {
      expect(readFrontMatter(`---${language}\n${CODE}\n---\nBody`).ok).toBe(false);
      expect(globalThis.ranFromFrontMatter).toBeUndefined();
    },
  );

  it("what is read is shared with nobody", () => {
    const text = "---\nname: a\n---\nB";
    const first = readFrontMatter(text);
    if (first.ok) first.data.name = "changed";
    expect(readFrontMatter(text)).toMatchObject({ data: { name: "a" } });
  });

  it("never throws, whatever the text", () => {
    const line = fc.oneof(fc.constantFrom("---", "name: a", "a: b: c", "- x", "{", "&a [*a]", "? x"), fc.string());
    fc.assert(fc.property(fc.array(line), (lines) => typeof readFrontMatter(["---", ...lines].join("\n")).ok === "boolean"));
  });
});
