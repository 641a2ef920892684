import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event, Field, Question } from "../../src/core/event.ts";
import { inquiryForm, inquiryValues, inquiryView } from "../../src/core/inquiry.ts";
import { stale } from "../../src/core/next.ts";
import { plain } from "../../src/core/view.ts";
import * as m from "./make.ts";

const running = m.foldFrom(m.calling("pay"), m.gated("1.1.0"), m.started("1.1.0"));
const open = m.foldFrom(running, m.inquiry("1.1.0"));
const call = (state: typeof open) => state.calls.byId["1.1.0"];

describe("a running call that asks people", () => {
  it("waits for them, and goes on with what was answered, declined or not decided in time", () => {
    expect([call(open)?.status, m.does(open)]).toEqual(["asked", ["post progress/1", "post card/1.1.0/1"]]);
    const answered = m.foldFrom(open, m.told("1.1.0", "blue"));
    expect(call(answered)).toMatchObject({ status: "allowed", questions: [{ answered: { how: "answered", values: { colour: "blue" } } }] });
    expect(m.does(answered)).toContain("run 1.1.0");
    expect(call(m.foldFrom(open, m.deny("1.1.0", m.ann, "", "q1")))).toMatchObject({
      status: "allowed",
      questions: [{ answered: { how: "denied" } }],
    });
    expect(m.does(open, m.AT + 100)).toContain("expire 1.1.0");
    expect(call(m.foldFrom(open, m.expired("1.1.0")))).toMatchObject({ status: "allowed", questions: [{ answered: { how: "expired" } }] });
  });

  it("is not decided by a click on the card that let it run, nor on an answered question's", () => {
    expect(m.foldAny(open, m.approve("1.1.0"))).toBe(open);
    expect(m.foldAny(open, m.answer("1.1.0", "yes"))).toBe(open);
    const again = m.foldFrom(open, m.told("1.1.0", "blue"), m.started("1.1.0"), { ...m.inquiry("1.1.0"), digest: "q2" } as Event);
    expect(m.foldAny(again, m.told("1.1.0", "green"))).toBe(again);
  });

  it("keeps a card for each question, and the one that let it run keeps what was decided", () => {
    const approved = m.foldFrom(
      m.calling("pay"),
      m.gated("1.1.0", "ask"),
      m.posting("card/1.1.0"),
      m.shown("card/1.1.0"),
      m.approve("1.1.0"),
      m.started("1.1.0"),
    );
    const asked = m.foldFrom(approved, m.inquiry("1.1.0"));
    expect(m.does(asked)).toEqual(expect.arrayContaining(["edit card/1.1.0", "post card/1.1.0/1"]));
    expect(asked.calls.cards).toEqual(["1.1.0", "1.1.0/1"]);
  });

  it("P3: stopped, may have run, and its question is over", () => {
    const stopped = m.foldFrom(open, m.stopped());
    expect(call(stopped)).toMatchObject({ status: "done", outcome: "stopped", questions: [{ answered: { how: "stopped" } }] });
    expect(call(stopped)?.result?.content).toMatch(/outcome unknown/);
  });

  it("is not answered by a plain reply: that waits behind it", () => {
    const said = m.foldFrom(open, m.said("m2"));
    expect(said.talk.queue).toHaveLength(1);
    expect(call(said)?.status).toBe("asked");
  });
});

describe("its card", () => {
  const view = (question: Partial<Question>, answered = false) => {
    const asked = call(m.foldFrom(running, m.inquiry("1.1.0", m.AT + 100, question), ...(answered ? [m.told("1.1.0", "blue")] : [])))
      ?.questions[0];
    if (!asked) throw new Error("nothing was asked");
    return inquiryView("shop/pay", asked);
  };

  it("P10: names the server that asks, quotes its words, and uses none of the words that decide", () => {
    const shown = view({ text: "Approve this\u202e now", fields: [field("text")] });
    expect(shown.title).toBe("shop asks");
    expect(shown.parts[0]).toEqual({ kind: "quoted", text: "Approve this⟨U+202E⟩ now" });
    expect(shown.buttons.map(({ word, act, code }) => [word, act, code])).toEqual([
      ["Answer", "answer", "q-1.1.0.0"],
      ["Decline", "answer", "q-1.1.0.1"],
    ]);
    expect(plain(shown)).toMatch(/It asks for: Colour\. What you write goes to shop; never write a password or key\. Ann answers this\./);
  });

  it("shows a page to open with its whole address and its host", () => {
    const shown = view({ url: "https://xn--pple-43d.com/a(b)?c=1" });
    expect(plain(shown)).toContain("Page on: xn--pple-43d.com");
    expect(plain(shown)).toContain("https://xn--pple-43d.com/a(b)?c=1");
    expect(plain(shown)).toContain("(https://xn--pple-43d.com/a%28b%29?c=1)");
    expect(shown.buttons.map(({ word }) => word)).toEqual(["I opened it", "Decline"]);
  });

  it("answered has no buttons and says who answered what", () => {
    const shown = view({ fields: [field("text")] }, true);
    expect(shown.buttons).toEqual([]);
    expect(plain(shown)).toMatch(/💬 ann \(slack:ann\), .* UTC: blue/i);
  });
});

const field = (kind: Field["kind"], more: Partial<Field> = {}): Field => ({ id: "colour", label: "Colour", kind, required: true, ...more });
const choices = [
  { value: "r", label: "Red" },
  { value: "b", label: "Blue, dark" },
  { value: "g", label: "Green" },
];

describe("values of its form", () => {
  const read = (one: Field, text: string | undefined) =>
    inquiryValues({ text: "", options: [], fields: [one] }, text === undefined ? {} : { f0: text });
  it.each<[string, Field, string, unknown]>([
    ["text as it was typed", field("text"), " a b ", " a b "],
    ["a number", field("number", { min: 0, max: 9 }), " 2.5 ", 2.5],
    ["a whole number", field("integer"), "-3", -3],
    ["yes", field("boolean"), "Yes", true],
    ["no", field("boolean"), "off", false],
    ["a choice by its value", field("choice", { choices }), "g", "g"],
    ["a choice by its name, with a comma in it", field("choice", { choices }), "blue, dark", "b"],
    ["some choices", field("choices", { choices, min: 1 }), "red, green, Red", ["r", "g"]],
    ["an e-mail address", field("text", { format: "email" }), " a@b.de ", "a@b.de"],
    ["a date", field("text", { format: "date" }), "2024-02-29", "2024-02-29"],
    ["a time", field("text", { format: "date-time" }), "2026-01-31T09:00Z", "2026-01-31T09:00Z"],
    ["an address", field("text", { format: "uri" }), "https://a.b", "https://a.b"],
  ])("%s", (_what, one, text, value) => expect(read(one, text)).toMatchObject({ ok: true, values: { colour: value } }));

  it.each<[string, Field, string | undefined, string]>([
    ["nothing where something is needed", field("text"), " ", "“Colour” is needed."],
    ["a field that was not shown", field("text"), undefined, "“Colour” is needed."],
    ["words for a number", field("number"), "two", "“Colour” is not a number."],
    ["an endless number", field("number"), "1e999", "“Colour” is not a number."],
    ["a part for a whole number", field("integer"), "2.5", "“Colour” is not a whole number."],
    ["too little", field("integer", { min: 3 }), "2", "“Colour” is at least 3."],
    ["too long a text", field("text", { max: 2 }), "abc", "“Colour” has at most 2 characters."],
    ["maybe", field("boolean"), "maybe", "“Colour” is answered with yes or no."],
    ["no choice", field("choice", { choices }), "pink", "“Colour” is one of Red, Blue, dark, Green."],
    ["too many choices", field("choices", { choices, max: 1 }), "red, green", "“Colour” has at most 1 of Red, Blue, dark, Green."],
    ["no e-mail address", field("text", { format: "email" }), "a@b", "“Colour” is not an e-mail address."],
    ["a day that is none", field("text", { format: "date" }), "2026-02-29", "“Colour” is not a date such as 2026-01-31."],
  ])("%s is refused in words", (_what, one, text, error) => expect(read(one, text)).toEqual({ ok: false, error }));

  it("are left out where they are optional and empty, and all faults are said at once", () => {
    const fields = [
      field("text", { required: false }),
      field("number", { id: "n", label: "N" }),
      field("boolean", { id: "b", label: "B" }),
    ];
    expect(inquiryValues({ text: "", options: [], fields }, { f1: "1", f2: "no" })).toEqual({
      ok: true,
      values: { n: 1, b: false },
      text: "N: 1; B: no",
    });
    expect(inquiryValues({ text: "", options: [], fields }, { f1: "x", f2: "z" })).toEqual({
      ok: false,
      error: "“N” is not a number; “B” is answered with yes or no.",
    });
  });

  it("of names that every object has are values like others", () => {
    const fields = [field("text", { id: "__proto__" }), field("text", { id: "constructor" })];
    const found = inquiryValues({ text: "", options: [], fields }, { f0: "a", f1: "b" });
    expect(found.ok && Object.entries(found.values)).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
  });

  it("never throw, whatever is written, and fit what was asked for", () => {
    const kinds = fc.constantFrom<Field["kind"]>("text", "number", "integer", "boolean", "choice", "choices");
    fc.assert(
      fc.property(kinds, fc.string(), (kind, text) => {
        const found = read(field(kind, { choices }), text);
        if (!found.ok) return found.error.startsWith("“Colour” ");
        const value = found.values.colour;
        return {
          text: typeof value === "string",
          number: typeof value === "number",
          integer: Number.isInteger(value),
          boolean: typeof value === "boolean",
          choice: "rbg".includes(String(value)),
          choices: Array.isArray(value),
        }[kind];
      }),
    );
  });

  it("are asked for with hints that say how", () => {
    const { title, fields } = inquiryForm({
      text: "Which?",
      options: [],
      from: "shop",
      fields: [field("choice", { choices, hint: "of the car" }), field("boolean")],
    });
    expect(title).toBe("shop asks");
    expect(fields.map(({ id, hint }) => [id, hint])).toEqual([
      ["f0", "of the car"],
      ["f1", undefined],
    ]);
  });

  const many = Array.from({ length: 26 }, (_, index) => ({ value: `v${index}`, label: `c${25 - index}` }));
  it("are chosen where there are few, and written where there are more than a menu holds", () => {
    const [few, several, both, all] = inquiryForm({
      text: "Which?",
      options: [],
      fields: [
        field("choice", { choices, value: "b" }),
        field("choices", { choices, max: 2, value: "Red\nGreen" }),
        field("boolean", { value: "no" }),
        field("choice", { choices: many, value: "v3" }),
      ],
    }).fields;
    expect(few).toMatchObject({ value: "c1", menu: { most: 1, options: [{ value: "c0", label: "Red" }, {}, {}] } });
    expect(several).toMatchObject({ value: "c0\nc2", menu: { most: 2 } });
    expect(both).toMatchObject({ value: "no", menu: { most: 1, options: [{ label: "Yes" }, { label: "No" }] } });
    expect(all).toMatchObject({ value: "v3", hint: expect.stringContaining("one of: c25, c24") as string });
    expect(all?.menu).toBeUndefined();
    // What was written is never taken for a place.
    expect(read(field("choice", { choices: many }), "c25")).toMatchObject({ values: { colour: "v0" } });
  });

  it("that were chosen mean the choice at their place, whatever its value and name are", () => {
    const name = fc.oneof(fc.constantFrom("c0", "c1", "yes", "a, b", "", "x\ny"), fc.string());
    const list = fc.uniqueArray(fc.record({ value: name, label: name }), { selector: ({ value }) => value, minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(list, fc.infiniteStream(fc.boolean()), (given, picks) => {
        const chosen = given.filter(() => picks.next().value === true);
        const one = field("choices", { choices: given, required: false });
        const options = inquiryForm({ text: "", options: [], fields: [one] }).fields[0]?.menu?.options ?? [];
        const lines = given.flatMap((each, index) => (chosen.includes(each) ? [options[index]?.value ?? "?"] : []));
        const found = read(one, lines.join("\n"));
        expect(found).toMatchObject({ ok: true, values: chosen.length ? { colour: chosen.map(({ value }) => value) } : {} });
      }),
    );
  });
});

it("a call that is begun with the answer that made it is not overtaken before that is recorded", () => {
  const run = (call: string) => ({ do: "run", subject: `call/${call}`, call }) as const;
  const thinking = m.fold(m.opened(), m.said("m1"), m.step(1, 1, 1));
  expect(stale(thinking, run("1.1.0"))).toBe(false);
  expect(stale(m.foldFrom(thinking, m.stopped()), run("1.1.0"))).toBe(true);
  expect(stale(thinking, run("2.1.0"))).toBe(true);
});
