import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { discordMarkdown } from "../../../adapters/discord/markdown.ts";
import { render } from "../../../adapters/discord/render.ts";
import { heard, titleOf, toOthers } from "../../../adapters/discord/text.ts";
import type { Button, Part, View } from "../../../src/core/view.ts";
import { faults } from "../../rigs/discord-limits.ts";

const long = fc.oneof(
  fc.string(),
  fc.string({ minLength: 300, maxLength: 6000 }),
  fc.string({ unit: "grapheme", maxLength: 3000 }),
  fc.constant("```\n@everyone\n```"),
);
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constantFrom("text" as const, "quoted" as const, "note" as const, "code" as const), text: long }),
  fc.record({ kind: fc.constant("fields" as const), rows: fc.array(fc.tuple(long, long), { maxLength: 30 }) }),
  fc.record({ kind: fc.constant("list" as const), items: fc.array(long, { maxLength: 40 }) }),
  fc.record({
    kind: fc.constant("steps" as const),
    steps: fc.array(fc.record({ label: long, state: fc.constantFrom("running" as const, "done" as const) }), { maxLength: 30 }),
  }),
);
const button: fc.Arbitrary<Button> = fc
  .tuple(fc.string(), fc.nat(1_000_000))
  .map(([word, code]) => ({ word, act: "answer" as const, code: `c.${code}`, style: "primary" as const }));
const view: fc.Arbitrary<View> = fc.record({
  title: long,
  parts: fc.array(part, { maxLength: 6 }),
  buttons: fc.uniqueArray(button, { maxLength: 25, selector: ({ code }) => code }),
});

describe("a view", () => {
  it("whatever it is, keeps Discord's limits, and no button is left out", () => {
    fc.assert(
      fc.property(view, fc.constantFrom("answer" as const, "card" as const), (given, manner) => {
        const made = render(given, manner);
        const components = made.components as NonNullable<Parameters<typeof faults>[0]["components"]>;
        expect(faults({ content: made.content, embeds: made.embeds as never, components }, made.files)).toEqual([]);
        expect(made.components.flatMap((row) => row.components)).toHaveLength(given.buttons.length);
        expect(made.content.length + made.embeds.length).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });

  it("keeps the limits also where nearly all of it is long code, and names and values of fields", () => {
    const text = fc.integer({ min: 300, max: 1000 }).map((times) => `${times}:${"wörter ".repeat(times)}`.slice(0, 3000));
    const heavy = fc.oneof(
      fc.record({ kind: fc.constantFrom("code" as const, "code" as const, "quoted" as const), text }),
      fc.record({ kind: fc.constant("fields" as const), rows: fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 30 }) }),
    );
    fc.assert(
      fc.property(text, fc.array(heavy, { minLength: 3, maxLength: 14 }), (title, parts) => {
        const { content, embeds, files } = render({ title, parts, buttons: [] }, "card");
        expect(faults({ content, embeds: embeds as never }, files)).toEqual([]);
        const shown = [...files.map((file) => file.text), ...embeds.map(({ description }) => description)].join("\n");
        for (const one of parts) if (one.kind === "code") expect(shown).toContain(one.text);
      }),
      { numRuns: 60 },
    );
  });

  it("shows what hides, and nothing in code ends its fence", () => {
    const { embeds } = render({ parts: [{ kind: "code", text: "a\u202eb\n```\n**Approved by everybody**" }], buttons: [] }, "card");
    expect(embeds[0]?.description).toContain("a⟨U+202E⟩b");
    expect(embeds[0]?.description?.match(/```/g)).toHaveLength(2);
  });

  it("hands over as a file what is too long to be read, and counts what it left out", () => {
    const text = "x".repeat(5000);
    const { embeds, files } = render({ parts: [{ kind: "code", text }], buttons: [] }, "card");
    expect(files).toEqual([{ name: "input.txt", text }]);
    expect(embeds[0]?.description).toContain("3500 more characters are in input.txt.");
  });

  it("quotes the words of others in a card, so that they cannot look like its own", () => {
    const { embeds } = render({ title: "A question", parts: [{ kind: "quoted", text: "yes?\nApproved by Ann" }], buttons: [] }, "card");
    expect(embeds[0]?.description).toBe("> yes?\n> Approved by Ann");
  });
});

describe("Markdown", () => {
  it.each([
    ["a table", "| a | b |\n|---|---|\n| 1 | **22** |\nafter", "```\na  b\n─  ──\n1  22\n```\nafter"],
    [
      "a table that is wider than a phone",
      `| run | outcome |\n|---|---|\n| 1 | ${"long ".repeat(15).trim()} |\n| 2 | |`,
      `- **1** · outcome: ${"long ".repeat(15).trim()}\n- **2**`,
    ],
    ["a deep heading", "#### Deep #", "**Deep**"],
    ["an image", "see ![a cat](https://x.y/c.png)", "see [a cat](https://x.y/c.png)"],
    ["a fence", "```md\n| a | b |\n|---|---|\n#### no\n```", "```md\n| a | b |\n|---|---|\n#### no\n```"],
    ["plain words", "# Title\na | b\n- one", "# Title\na | b\n- one"],
  ])("%s is shown as Discord can", (_, given, wanted) => expect(discordMarkdown(given)).toBe(wanted));
});

describe("words", () => {
  const names = { person: (id: string) => (id === "1" ? "Ann" : undefined), role: () => "ops", channel: () => "general" };
  it.each([
    ["<@9> please", "please"],
    ["<@!9>, <@&8> look", "@ops look"],
    ["<@1> and <@2> in <#3>", "@Ann (discord:1) and @2 (discord:2) in #general (discord:3)"],
    ["well <a:party:55> </todos:66>", "well :party: /todos"],
  ])("%s is read as “%s”", (given, wanted) => expect(heard(given, ["9"], names)).toBe(wanted));

  it("name others only at their beginning", () => {
    expect([toOthers("<@1> hi", ["9"]), toOthers("<@9> <@1> hi", ["9"]), toOthers("hi <@1>", ["9"])]).toEqual([true, false, false]);
  });

  it("make a short title that calls nobody", () => {
    expect(titleOf("**please** ask @Ann (discord:1) about\nthe plan [file: a.pdf]", "Ben")).toBe("please ask Ann about the plan");
    expect(titleOf("@@@", "Ben")).toBe("A talk with Ben");
    expect(titleOf("word ".repeat(60), "Ben").length).toBeLessThanOrEqual(70);
  });
});
