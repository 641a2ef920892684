import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, hush, reveal } from "../../../adapters/shared/escape.ts";

/** Text that is likely to hold what calls people, code and odd characters. */
const PIECES = [
  "<@U1BOB>",
  "<!channel>",
  "<!here|x>",
  "<!subteam^S1>",
  "<@&12>",
  "<#C1>",
  "@everyone",
  "@HERE",
  "`",
  "```",
  "<",
  "@",
  "!",
  "\n",
  "é",
  "👩‍👩‍👧",
  "word ",
];
const risky = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "grapheme", maxLength: 5 })), { maxLength: 20 })
  .map((parts) => parts.join(""));
const CALLS = /<(?:@[!&]?[A-Z0-9]{2,}|!(?:channel|here|everyone|group|subteam)|#C\w+)/i;

describe("P10: hush", () => {
  it("leaves nothing that calls a person, a group or a channel, wherever it stands", () => {
    fc.assert(fc.property(risky, (text) => !CALLS.test(hush(text))));
  });
  it("breaks the words that call everybody, outside of code", () => {
    expect(hush("@everyone, @Channel and @here")).not.toMatch(/@(everyone|channel|here)/i);
    expect(hush("see `@channel` and\n```ruby\n@channel = 1\n```")).toBe("see `@channel` and\n```ruby\n@channel = 1\n```");
  });
  it("changes no letter, and nothing the second time", () => {
    fc.assert(
      fc.property(risky, (text) => {
        const once = hush(text);
        expect(hush(once)).toBe(once);
        expect(once.replaceAll("\u2060", "")).toBe(text.replaceAll("\u2060", ""));
      }),
    );
  });
  it.each(["<!-- a comment -->", "<!DOCTYPE html>", "List<@NonNull String>", "#include <#x>", "a@hereford.org"])("lets %s be", (text) => {
    expect(hush(text)).toBe(text);
  });
});

describe("reveal", () => {
  it.each([
    ["a\u202eb", "a⟨U+202E⟩b"],
    ["rm\u200b -rf", "rm⟨U+200B⟩ -rf"],
    ["tag\u{e0041}", "tag⟨U+E0041⟩"],
    ["bell\u0007", "bell⟨U+0007⟩"],
    ["lines\n\tstay, é too", "lines\n\tstay, é too"],
  ])("%j is shown as %s", (text, shown) => {
    expect(reveal(text)).toBe(shown);
  });
});

describe("clip", () => {
  it("keeps the limit and never halves a character", () => {
    const text = fc.array(fc.constantFrom("👩‍👩‍👧", "e\u0301", "a", "🇩🇪", " "), { maxLength: 60 }).map((parts) => parts.join(""));
    const whole = new Intl.Segmenter(undefined, { granularity: "grapheme" });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 100 }), (given, limit) => {
        const cut = clip(given, limit);
        expect(cut.length).toBeLessThanOrEqual(Math.max(limit, 1));
        if (given.length <= limit) expect(cut).toBe(given);
        else {
          const kept = [...whole.segment(cut.slice(0, -1))].map((each) => each.segment);
          expect([...whole.segment(given)].map((each) => each.segment).slice(0, kept.length)).toEqual(kept);
        }
      }),
    );
  });
  it("P10: leaves no word that calls everybody where a longer one stood", () => {
    expect([clip("ask @everyones", 14), clip("ask @everyones", 13, ""), clip("ask @hereby", 10)]).toEqual([
      "ask @everyones",
      "ask ",
      "ask …",
    ]);
  });
  it("cuts a very long text quickly", () => {
    expect(clip("word ".repeat(1_000_000), 2000)).toHaveLength(2000);
  });
});
