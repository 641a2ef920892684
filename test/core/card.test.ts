import { describe, expect, it } from "vitest";
import type { Call } from "../../src/core/calls.ts";
import { cardView, denyForm, editedInput, editForm, inputText, RESERVED, reveal } from "../../src/core/card.ts";
import type { Event, JsonObject } from "../../src/core/event.ts";
import { plain } from "../../src/core/view.ts";
import * as m from "./make.ts";

function callOf(events: Event[], input: JsonObject = { amount: 5 }): Call {
  const state = m.foldFrom(m.calling({ tool: "pay", input }), ...events);
  const call = state.calls.byId["1.1.0"];
  if (!call) throw new Error("no call");
  return call;
}
function view(...events: Event[]) {
  const call = callOf(events);
  if (!call.gate) throw new Error("not gated");
  return cardView(call, call.gate);
}
const ask = (over = {}) => m.gated("1.1.0", "ask", over);

describe("an approval card", () => {
  it("P3: shows what will run, why it asks and who decides, with the buttons that are offered", () => {
    const open = view(ask({ offers: ["approve", "edit", "deny", "thread", "always"], expires: m.AT }));
    expect(plain(open)).toBe("May I run pay?\namount: 5\nIt costs money. Members decide. Expires 2026-01-05 09:00 UTC.");
    expect(open.parts[0]?.kind).toBe("code");
    expect(open.buttons.map(({ word }) => word)).toEqual(["Approve", "Edit", "Deny", "Allow in this thread", "Always allow"]);
    expect(new Set(open.buttons.map(({ code }) => code))).toEqual(new Set(["c-1.1.0"]));
  });
  it("P3: shows what would change where that is known, with nothing hidden in it, and anew after an edit", () => {
    const gated = ask({ quorum: 2, preview: "-a\n+b\u202e", previewed: "p1" });
    expect(view(gated).parts[0]).toEqual({ kind: "code", text: "-a\n+b⟨U+202E⟩", lang: "diff" });
    expect(view(gated, m.edit("1.1.0")).parts[0]).toEqual({ kind: "code", text: "n: 2" });
    const anew: Event = { ...m.edit("1.1.0"), preview: "+c", previewed: "p2" } as Event;
    expect(view(gated, anew).parts[0]).toMatchObject({ text: "+c", lang: "diff" });
    expect(callOf([gated, anew]).gate?.previewed).toBe("p2");
  });
  it("counts the votes where more than one is needed", () => {
    expect(plain(view(ask({ quorum: 2 })))).toContain("0 of 2 have approved.");
    expect(plain(view(ask({ quorum: 2 }), m.approve("1.1.0")))).toContain("1 of 2 have approved: ann.");
    expect(plain(view(ask()))).not.toContain("have approved");
  });
  it("P3: shows an edited input, who edited it, and carries the new code", () => {
    const twice = view(ask({ quorum: 2, apart: true }), m.approve("1.1.0"), m.approve("1.1.0", { ...m.ann, id: "other:ann" }));
    expect(plain(twice)).toContain("1 of 2 have approved: ann, ann. Only people of one platform are counted together.");
    const edited = view(ask({ quorum: 2 }), m.edit("1.1.0", m.bob));
    expect(plain(edited)).toMatch(/n: 2\nInput changed by bob\./);
    expect(edited.buttons[0]?.code).toBe("c2-1.1.0");
  });
  it("says who decided and when, without buttons", () => {
    const table: [Event[], string, string][] = [
      [[m.approve("1.1.0")], "Approved: pay", `✅ Approved by ann (${m.ann.id}), 2026-01-05 09:00 UTC`],
      [[m.deny("1.1.0", m.bob)], "Denied: pay", `⛔ Denied by bob (${m.bob.id}), 2026-01-05 09:00 UTC`],
      [[m.deny("1.1.0", m.bob, "no\u202e")], "Denied: pay", `⛔ Denied by bob (${m.bob.id}), 2026-01-05 09:00 UTC: no⟨U+202E⟩`],
      [[m.expired("1.1.0")], "Expired: pay", "⌛ Expired 2026-01-05 09:00 UTC: nobody decided"],
      [[m.stopped()], "Stopped: pay", `⏹ Stopped by bob (${m.bob.id}), 2026-01-05 09:00 UTC`],
      [[m.approve("1.1.0"), m.finished("1.1.0")], "Approved: pay", `✅ Approved by ann (${m.ann.id}), 2026-01-05 09:00 UTC`],
    ];
    for (const [events, title, words] of table) {
      const decided = view(ask(), ...events);
      expect([decided.title, decided.buttons, plain(decided).split("\n").at(-1)]).toEqual([title, [], words]);
    }
    expect(plain(view(ask({ quorum: 2 }), m.approve("1.1.0"), m.approve("1.1.0", m.bob)))).toContain(
      "Approved by ann (slack:ann), bob (slack:bob)",
    );
  });
});

describe("a question", () => {
  it("P10: says who asks, in quoted words, with its options as buttons", () => {
    const open = view(m.asks("1.1.0"));
    expect([open.title, open.parts[0]]).toEqual(["A question", { kind: "quoted", text: "Which?" }]);
    expect(open.buttons).toEqual([
      { word: "this", act: "answer", code: "c-1.1.0.0" },
      { word: "that", act: "answer", code: "c-1.1.0.1" },
    ]);
    expect(view(m.asks("1.1.0", { from: "The log server" })).title).toBe("The log server asks");
    expect(plain(view(m.asks("1.1.0", { options: [] })))).toContain("Reply in this thread to answer.");
  });
  it("says who answered what, without buttons", () => {
    const done = view(m.asks("1.1.0"), m.answer("1.1.0", "this\u200b"));
    expect([plain(done).split("\n").at(-1), done.buttons]).toEqual([`💬 ann (${m.ann.id}), 2026-01-05 09:00 UTC: this⟨U+200B⟩`, []]);
  });
  it("P6: does not keep the words of a reply that was deleted", () => {
    expect(plain(view(m.asks("1.1.0"), m.answer("1.1.0", "secret", "r1"), m.deleted("r1")))).not.toContain("secret");
  });
});

describe("an input", () => {
  it("K1: hides nothing from the eye", () => {
    for (const [char, code] of [
      ["\u202e", "202E"],
      ["\u2066", "2066"],
      ["\u200b", "200B"],
      ["\u200f", "200F"],
      ["\u00ad", "00AD"],
      ["\0", "0000"],
      ["\r", "000D"],
      ["\u2028", "2028"],
      ["\u{e0041}", "E0041"],
      ["\ufeff", "FEFF"],
      ["\x1b", "001B"],
    ] as const) {
      expect(reveal(`a${char}b`)).toBe(`a⟨U+${code}⟩b`);
      expect(inputText({ x: char })).toContain(`⟨U+${code}⟩`);
    }
    expect(reveal("a\n\tß 漢字 😀")).toBe("a\n\tß 漢字 😀");
  });
  it("reads as lines where it is flat, else as JSON; keys are revealed too", () => {
    expect(inputText({})).toBe("(no input)");
    expect(inputText({ a: "x", b: 2, c: null, d: true })).toBe("a: x\nb: 2\nc: null\nd: true");
    expect(inputText({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(inputText({ "a\u202e": 1 })).toBe("a⟨U+202E⟩: 1");
  });
});

describe("the forms", () => {
  const input: JsonObject = { text: "hello", long: "x".repeat(61), lines: "a\nb", n: 5, list: [1], none: null };
  const call = callOf([ask()], input);
  it("offer one field a value; what is not text is edited as JSON", () => {
    const form = editForm(call);
    expect(form.fields.map(({ id, value, multiline }) => [id, value, multiline])).toEqual([
      ["text", "hello", false],
      ["long", "x".repeat(61), true],
      ["lines", "a\nb", true],
      ["n", "5", false],
      ["list", "[1]", false],
      ["none", "null", false],
    ]);
    expect([form.intro, denyForm(call).intro, editForm(callOf([])).intro]).toEqual(["pay", "pay", "pay"]);
  });
  it("P3: mean what was left unchanged as it was, and what was written as what it was", () => {
    const values = Object.fromEntries(editForm(call).fields.map(({ id, value }) => [id, value]));
    expect(editedInput(call, values)).toEqual({ ok: true, input });
    expect(editedInput(call, {})).toEqual({ ok: true, input });
    expect(editedInput(call, { text: "", n: "6", list: '["a"]', other: "ignored" })).toEqual({
      ok: true,
      input: { ...input, text: "", n: 6, list: ["a"] },
    });
  });
  it("name the field that cannot be read", () => {
    expect(editedInput(call, { n: "six" })).toMatchObject({ ok: false, field: "n", error: expect.stringContaining("number") });
    expect(editedInput(call, { none: "" })).toMatchObject({ ok: false, field: "none", error: expect.stringContaining("null") });
  });
  it("keep an edit of an edit", () => {
    const again = callOf([ask({ quorum: 2 }), m.edit("1.1.0")]);
    expect(editForm(again).fields).toMatchObject([{ id: "n", value: "2" }]);
  });
});

it("the words of the buttons are reserved, all of them", () => {
  const offered = view(ask({ offers: ["approve", "edit", "deny", "thread", "always"] })).buttons.map(({ word }) => word);
  expect(RESERVED).toEqual(expect.arrayContaining([...offered, "Stop", "Withdraw", "Undo"]));
});
