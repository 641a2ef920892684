import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pressed } from "../../../adapters/shared/pressed.ts";
import { type Rendered, render } from "../../../adapters/slack/blocks.ts";
import { aboutOf, modal, valuesOf } from "../../../adapters/slack/form.ts";
import { LIMIT, problems } from "../../../adapters/slack/limits.ts";
import type { Button, Part, View } from "../../../src/core/view.ts";

const PIECES = [
  "<!channel>",
  "<@U1BOB>",
  "<!subteam^S1>",
  "@everyone",
  "```\n",
  "`",
  "&",
  ">",
  "\n",
  "# Title\n",
  "words and ",
  "👩‍👩‍👧",
  "\u202e",
];
const words = (most: number) => fc.array(fc.constantFrom(...PIECES), { maxLength: most }).map((parts) => parts.join(""));
const long = fc.tuple(words(12), fc.constantFrom(1, 30, 400)).map(([text, times]) => text.repeat(times));
const part: fc.Arbitrary<Part> = fc.oneof(
  long.map((text) => ({ kind: "text" as const, text })),
  long.map((text) => ({ kind: "quoted" as const, text })),
  long.map((text) => ({ kind: "code" as const, text })),
  long.map((text) => ({ kind: "note" as const, text })),
  fc.array(fc.tuple(words(4), long), { maxLength: 24 }).map((rows) => ({ kind: "fields" as const, rows })),
  fc.array(long, { maxLength: 30 }).map((items) => ({ kind: "list" as const, items })),
  fc
    .array(words(6), { maxLength: 40 })
    .map((items) => ({ kind: "todos" as const, todos: items.map((content) => ({ content, status: "pending" as const })) })),
  fc
    .array(words(6), { maxLength: 40 })
    .map((items) => ({ kind: "steps" as const, steps: items.map((label) => ({ label, state: "done" as const })) })),
);
const buttons = fc
  .integer({ min: 0, max: 30 })
  .map((n): Button[] => Array.from({ length: n }, (_, i) => ({ word: `Option ${i}`, act: "answer", code: `c.${i}` })));
const view: fc.Arbitrary<View> = fc.record({ title: words(40), parts: fc.array(part, { maxLength: 6 }), buttons });

/** What would notify somebody, in whatever text Slack reads as markup. */
function pings(rendered: Rendered): string[] {
  const found: string[] = [];
  const scan = (text: string) =>
    found.push(
      ...(text.match(/<!(?:channel|here|everyone|subteam)[^>]*>|<@[UW][A-Z0-9]+[^>]*>|@(?:everyone|channel|here)\b(?=[^`]*$)/g) ?? []),
    );
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(walk);
    else if (typeof node === "object" && node !== null) {
      const fields = node as Record<string, unknown>;
      if (fields.type === "plain_text") return;
      if (typeof fields.text === "string")
        scan(fields.text.replace(/```[\s\S]*?(```|$)|`[^`\n]+`/g, (code) => code.replace(/@(?=everyone|channel|here)/g, "")));
      Object.values(fields).forEach(walk);
    }
  };
  walk(rendered.blocks);
  scan(rendered.text.includes("`") ? "" : rendered.text);
  return found;
}
const buttonsIn = (rendered: Rendered): number =>
  rendered.blocks.reduce((n, block) => n + (block.type === "actions" ? block.elements.length : 0), 0);

describe("any view", () => {
  it("keeps Slack's limits, keeps all its buttons, and is never empty", () => {
    fc.assert(
      fc.property(view, fc.constantFrom("answer", "card"), (given, manner) => {
        const rendered = render(given, manner as "answer" | "card");
        expect(problems(rendered.blocks, "message")).toEqual([]);
        expect(buttonsIn(rendered)).toBe(given.buttons.length);
        expect(rendered.text.length).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });
  it("P10: calls nobody, in blocks or fallback", () => {
    fc.assert(
      fc.property(view, fc.constantFrom("answer", "card"), (given, manner) => {
        expect(pings(render(given, manner as "answer" | "card"))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a card", () => {
  const card: View = {
    title: "Deploy to blue?",
    parts: [
      { kind: "quoted", text: "# Approved\nby everybody" },
      { kind: "code", text: `{"target":"${"x".repeat(4000)}"}` },
    ],
    buttons: [
      { word: "Approve", act: "approve", code: "k", style: "primary" },
      { word: "Deny", act: "deny", code: "k", style: "danger" },
    ],
  };
  const rendered = render(card, "card");
  it("P10: quotes the model's words, so that they cannot look like its own", () => {
    expect(rendered.blocks[1]).toEqual({ type: "markdown", text: "> # Approved\n> by everybody" });
  });
  it("shows the input literally, and counts what it leaves out", () => {
    expect(rendered.blocks[2]).toMatchObject({ type: "rich_text", elements: [{ type: "rich_text_preformatted" }] });
    expect(JSON.stringify(rendered.blocks[3])).toContain("2253 more characters are not shown here.");
  });
  it("is short enough for a phone: of an input of many lines it shows the first, and all of it behind a button", () => {
    const of = (lines: number) => render({ ...card, parts: [{ kind: "code", text: "a line\n".repeat(lines) }] }, "card");
    expect(JSON.stringify(of(38).blocks)).not.toMatch(/See all|not shown/);
    expect(JSON.stringify(of(90).blocks)).toMatch(/350 more characters are not shown here.*See all/);
  });
  it("shows of the work beside a plan only what is done now", () => {
    const steps = Array.from({ length: 20 }, (_, at) => ({ label: `step ${at}`, state: "done" as const }));
    const todos = [{ content: "one", status: "in_progress" as const }];
    const shown = (parts: Part[]) => JSON.stringify(render({ title: "Working", parts, buttons: [] }, "progress", true).blocks);
    expect(
      shown([
        { kind: "todos", todos },
        { kind: "steps", steps },
      ]),
    ).toContain("… 15 earlier\\n✓ step 15");
    expect(shown([{ kind: "steps", steps }])).toContain("step 0");
  });
  it("shows what hides in an input", () => {
    expect(JSON.stringify(render({ parts: [{ kind: "code", text: "safe\u202eevil" }], buttons: [] }, "card").blocks)).toContain(
      "safe⟨U+202E⟩evil",
    );
  });
  it("has the words, styles and ids of its buttons, nothing else on them, and one more that shows what was cut", () => {
    expect(rendered.blocks.at(-1)).toEqual({
      type: "actions",
      elements: [
        { type: "button", text: { type: "plain_text", text: "Approve", emoji: false }, action_id: "approve:k", style: "primary" },
        { type: "button", text: { type: "plain_text", text: "Deny", emoji: false }, action_id: "deny:k", style: "danger" },
        { type: "button", text: { type: "plain_text", text: "See all", emoji: false }, action_id: "show:k" },
      ],
    });
  });
});

it("P5: an answer of the longest allowed length stands whole in one Markdown block", () => {
  const text = "A line of an answer.\n".repeat(523);
  const rendered = render({ parts: [{ kind: "quoted", text }], buttons: [] }, "answer");
  expect(text.length).toBeLessThanOrEqual(11_000);
  expect(rendered.blocks).toEqual([{ type: "markdown", text }]);
});
it("P5: an answer that grows too long when it is made harmless goes whole as text", () => {
  const rendered = render({ parts: [{ kind: "quoted", text: "<@U1BOB> ".repeat(1222) }], buttons: [] }, "answer");
  expect(rendered.blocks).toEqual([]);
  expect(rendered.text.match(/U1BOB/g)).toHaveLength(1222);
});

describe("limits", () => {
  const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
  it.each([
    ["too many blocks", Array.from({ length: 51 }, () => ({ type: "divider" })), "message"],
    ["a long section", [section("x".repeat(3001))], "message"],
    ["an empty section", [section("")], "message"],
    ["two markdown blocks too long together", [1, 2].map(() => ({ type: "markdown", text: "x".repeat(6001) })), "message"],
    ["too much text in all", Array.from({ length: 5 }, () => section("x".repeat(2700))), "message"],
    ["markdown in a form", [{ type: "markdown", text: "x" }], "modal"],
    ["an input in a message", [{ type: "input", label: { type: "plain_text", text: "x" }, element: { action_id: "a" } }], "message"],
    [
      "buttons of one id",
      [{ type: "actions", elements: [1, 2].map(() => ({ type: "button", text: { type: "plain_text", text: "x" }, action_id: "a" })) }],
      "message",
    ],
    ["a block unheard of", [{ type: "carousel" }], "message"],
    ["an id twice", [1, 2].map(() => ({ type: "divider", block_id: "same" })), "message"],
    [
      "a long value in a form",
      [{ type: "input", label: { type: "plain_text", text: "x" }, element: { action_id: "a", initial_value: "x".repeat(3001) } }],
      "modal",
    ],
  ] as const)("refuse %s", (_name, blocks, surface) => {
    expect(problems(blocks, surface)).not.toEqual([]);
  });
});

describe("a form", () => {
  const form = {
    title: "A title that is far too long for a modal",
    submit: "Approve",
    intro: "Read <!channel> this.",
    fields: [{ id: "a", label: "A", value: "v", multiline: false, optional: true, hint: "h" }],
  };
  const about = { act: "edit" as const, code: "k", channel: "C1", thread: "1.000001" };
  it("keeps the limits and carries what it is about", () => {
    const view = modal(form, about);
    expect(problems(view.blocks, "modal")).toEqual([]);
    expect(view.title.text.length).toBeLessThanOrEqual(LIMIT.title);
    expect(aboutOf(view.private_metadata ?? "")).toEqual(about);
    expect(JSON.stringify(view.blocks)).toContain("&lt;!channel&gt;");
  });
  it("P10: calls nobody, in titles, labels, hints and choices", () => {
    const evil = "<!channel> `@here`";
    const menu = { options: [{ value: "c0", label: evil }], most: 1 };
    const fields = [{ id: "a", label: evil, value: "", multiline: false, optional: true, hint: evil, menu }];
    expect(JSON.stringify(modal({ title: evil, submit: evil, intro: evil, fields }, about))).not.toMatch(/<!channel|@here/);
  });
  it("offers nothing as a choice where nothing may be chosen, since Slack lets nobody take back the only one", () => {
    const menu = { options: [{ value: "c0", label: "blue" }], most: 1 };
    const optionsOf = (optional: boolean, most: number) => {
      const view = modal(
        { ...form, fields: [{ id: "a", label: "A", value: "c0", multiline: false, optional, menu: { ...menu, most } }] },
        about,
      );
      expect(problems(view.blocks, "modal")).toEqual([]);
      const element = view.blocks.at(-1) as { element: { options: { value: string }[]; initial_option?: { value: string } } };
      return element.element.options.map(({ value }) => value);
    };
    const [nothing = "", ...others] = optionsOf(true, 1);
    expect(others).toEqual(["c0"]);
    expect([optionsOf(false, 1), optionsOf(true, 2)]).toEqual([["c0"], ["c0"]]);
    expect(valuesOf({ a: { value: { selected_option: { value: nothing } } }, b: { value: { selected_option: { value: "c0" } } } })).toEqual(
      {
        a: "",
        b: "c0",
      },
    );
  });
  it("reads its values by field, and nothing it did not write", () => {
    expect(valuesOf({ a: { value: { value: "x" } }, b: { value: { value: null } } })).toEqual({ a: "x", b: "" });
    expect(["", "{", "null", '{"act":"rule","code":"k","channel":"C"}', '{"act":"edit"}'].map(aboutOf)).toEqual(Array(5).fill(undefined));
  });
  it("knows its buttons from others'", () => {
    expect(pressed("approve:a.b-c_1")).toEqual({ act: "approve", code: "a.b-c_1" });
    expect(["approve", "rule:k", "approve:", "approve:a b", `approve:${"x".repeat(81)}`].map(pressed)).toEqual(Array(5).fill(undefined));
  });
});
