import { describe, expect, it } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { placeOf, type Slot, slots } from "../../src/core/slots.ts";
import type { State } from "../../src/core/state.ts";
import { plain } from "../../src/core/view.ts";
import * as m from "./make.ts";
import { place } from "./world.ts";

const keys = (state: State) => slots(state).map(({ key }) => key);
const slot = (state: State, key: string): Slot | undefined => slots(state).find((it) => it.key === key);
const thinking = m.fold(m.opened(), m.said("m1"), m.step(1, 1, 1));
const asked = m.foldFrom(m.calling("pay"), m.gated("1.1.0", "ask"));
const P = "progress/1";

describe("answers", () => {
  it("are shown part by part while their turn ends, and are final", () => {
    const state = m.foldFrom(thinking, m.answered(1, 1), m.ended(1, "one two three", "answered", [4, 8]));
    expect(slots(state).map(({ key, view, final }) => [key, plain(view), final])).toEqual([
      ["answer/1/0", "one ", true],
      ["answer/1/1", "two ", true],
      ["answer/1/2", "three", true],
    ]);
    expect(keys(m.foldFrom(state, m.closed(1)))).toEqual([]);
  });
  it("P10: of the model are quoted; the product's own sentences are not", () => {
    for (const [how, kind] of [
      ["answered", "quoted"],
      ["failed", "text"],
      ["limit", "text"],
    ] as const)
      expect(slots(m.foldFrom(thinking, m.ended(1, "words", how)))[0]?.view.parts[0]?.kind).toBe(kind);
    expect(plain(slots(m.foldFrom(thinking, m.stopped()))[0]?.view ?? { parts: [], buttons: [] })).toBe("Stopped by bob.");
  });
  it("are none where the agent stays silent, thinks, or is a helper", () => {
    expect(keys(m.foldFrom(thinking, m.answered(1, 1), m.ended(1, "", "silent")))).toEqual([]);
    expect(keys(thinking)).toEqual([]);
    expect(
      keys(m.fold(m.opened({ session: "s", call: "1.1.0", agent: "a" }), m.said("t"), m.step(1, 1, 1), m.answered(1, 1), m.ended(1))),
    ).toEqual([]);
  });
});

describe("progress", () => {
  it("is shown only for turns that use tools", () => {
    expect([keys(thinking), keys(m.calling("read"))]).toEqual([[], [P]]);
  });
  it("lists plan and steps, and can be stopped while the turn is open", () => {
    const state = m.foldFrom(
      m.calling("read", "pay", "write_todos", "odd"),
      m.gated("1.1.0", "allow", { label: "read" }),
      m.gated("1.1.1", "ask"),
      m.finished("1.1.0"),
      { type: "todos.written", at: m.AT, todos: [{ content: "look", status: "in_progress" }] },
    );
    expect(plain(slot(state, P)?.view ?? { parts: [], buttons: [] })).toBe("Working\n▶ look\n✓ read\n⏸ pay\n… odd");
    expect(slot(state, P)?.view.buttons).toEqual([{ word: "Stop", act: "stop", code: "s1" }]);
    expect(slot(state, P)?.final).toBe(false);
  });
  it("keeps the newest steps where there are many", () => {
    const many = m.calling(...Array.from({ length: 15 }, (_, n) => `tool${n}`));
    const words = plain(slot(many, P)?.view ?? { parts: [], buttons: [] });
    expect(words).toContain("3 earlier steps");
    expect([words.includes("tool2"), words.includes("tool3")]).toEqual([false, true]);
  });
  it("keeps one digest while it runs, and is folded once, after the answer stands", () => {
    const done = m.foldFrom(asked, m.posting(P), m.shown(P, "open"), m.deny("1.1.0"));
    expect(slot(done, P)?.digest).toBe("open");
    const ended = m.foldFrom(done, m.ended(1, "one two", "answered", [4]));
    expect(slot(ended, P)?.digest).toBe("open");
    const half = m.foldFrom(ended, m.posting("answer/1/0"), m.shown("answer/1/0"), m.posting("answer/1/1"));
    expect(slot(half, P)?.digest).toBe("open");
    const whole = m.foldFrom(half, m.shown("answer/1/1"));
    expect(slot(whole, P)).toMatchObject({ digest: "folded", final: true, view: { title: "Work done", buttons: [] } });
    expect(slot(m.foldFrom(half, m.unposted("answer/1/1", false, null)), P)?.digest).toBe("folded");
    expect(slot(m.foldFrom(whole, m.closed(1)), P)?.digest).toBe("folded");
    expect(keys(m.foldFrom(whole, m.shown(P, "folded", true), m.closed(1)))).toEqual([]);
  });
  it("that was never shown is not shown afterwards", () => {
    expect(keys(m.foldFrom(asked, m.deny("1.1.0"), m.ended(1), m.posting(P)))).toEqual(["answer/1/0"]);
  });
  it("of a turn that was followed by another ending left the view", () => {
    const next = m.foldFrom(asked, m.posting(P), m.shown(P, "open"), m.stopped(), m.closed(1), m.said("m2"), m.step(2, 1, 9));
    expect(keys(next)).toContain(P);
    expect(keys(m.foldFrom(next, m.ended(2)))).not.toContain(P);
  });
});

describe("cards", () => {
  it("stay in order, and are kept until what stands has no buttons", () => {
    const two = m.foldFrom(m.calling("pay", "read", "ask"), m.gated("1.1.0", "ask"), m.gated("1.1.1"), m.asks("1.1.2"));
    expect(keys(two)).toEqual([P, "card/1.1.0", "card/1.1.2"]);
    const posted = m.foldFrom(two, m.posting("card/1.1.0"), m.shown("card/1.1.0"), m.deny("1.1.0"));
    expect([slot(posted, "card/1.1.0")?.final, slot(posted, "card/1.1.0")?.view.buttons]).toEqual([true, []]);
    expect(keys(m.foldFrom(posted, m.shown("card/1.1.0", "d", true)))).toEqual([P, "card/1.1.2"]);
  });
  it("that never reached anybody are not posted just to say that they are over", () => {
    expect(keys(m.foldFrom(asked, m.deny("1.1.0")))).toEqual([P]);
    expect(keys(m.foldFrom(asked, m.posting("card/1.1.0"), m.deny("1.1.0")))).toEqual([P, "card/1.1.0"]);
    expect(keys(m.foldFrom(asked, m.posting("card/1.1.0"), m.unposted("card/1.1.0", false), m.deny("1.1.0")))).toEqual([P]);
  });
  it("of helpers are all that a helper shows", () => {
    const helper = m.fold(
      m.opened({ session: "s", call: "1.1.0", agent: "a" }),
      m.said("t"),
      m.step(1, 1, 1),
      m.answered(1, 1, ["pay"]),
      m.gated("1.1.0", "ask"),
      m.said("x"),
    );
    expect(keys(helper)).toEqual(["card/1.1.0"]);
  });
  it("P3: change their digest with every vote, edit and decision", () => {
    const quorum = m.foldFrom(m.calling("pay"), m.gated("1.1.0", "ask", { quorum: 2 }), m.posting("card/1.1.0"), m.shown("card/1.1.0"));
    const voted = m.foldFrom(quorum, m.approve("1.1.0"));
    const changed = m.foldFrom(voted, m.edit("1.1.0", m.bob));
    const denied = m.foldFrom(changed, m.deny("1.1.0", m.cid, "", "d2"));
    expect(new Set([quorum, voted, changed, denied].map((state) => slot(state, "card/1.1.0")?.digest)).size).toBe(4);
  });
});

describe("notices", () => {
  const told = m.foldFrom(m.calling("pay"), m.gated("1.1.0", "ask", { notices: [{ channel: "C9", text: "A decision waits." }] }));
  const N = "notice/1.1.0/C9";
  it("say elsewhere that a decision waits, for as long as it does, and carry no buttons", () => {
    expect(slot(told, N)?.view).toEqual({ parts: [{ kind: "text", text: "A decision waits." }], buttons: [] });
    expect(keys(m.foldFrom(told, m.approve("1.1.0")))).not.toContain(N);
    const standing = m.foldFrom(told, m.posting(N), m.shown(N, slot(told, N)?.digest));
    expect(m.does(standing)).not.toContain(`hide ${N}`);
    expect(m.does(m.foldFrom(standing, m.stopped()))).toContain(`hide ${N}`);
  });
  it("stand in their channel, everything else in the thread", () => {
    expect(placeOf(N, place)).toEqual({ ...place, channel: "C9", thread: null });
    expect(placeOf("notice/1.1.0/other:T9:C9", place)).toEqual({ platform: "other", team: "T9", channel: "C9", thread: null });
    for (const key of ["answer/1/0", "card/1.1.0", "progress/1", "queued/m1"]) expect(placeOf(key, place)).toBe(place);
  });
});

describe("undo", () => {
  it("P8: is offered on the folded progress of a turn that changed the home, and only there", () => {
    const ended = (...done: Event[]) =>
      m.foldFrom(m.calling("edit_file"), m.gated("1.1.0"), m.posting(P), m.shown(P, "open"), ...done, m.ended(1, "", "silent"));
    const changed: Event = { type: "call.finished", at: m.AT, call: "1.1.0", content: "did it", failed: false, undoable: true };
    expect(slot(ended(changed), P)?.view.buttons).toEqual([{ word: "Undo", act: "undo", code: "s1.1" }]);
    expect(slot(ended(m.finished("1.1.0")), P)?.view.buttons).toEqual([]);
  });
});

describe("what waits behind a decision", () => {
  it("is said, with Withdraw, and no longer than the decision is open", () => {
    const state = m.foldFrom(asked, m.said("m2", m.bob), m.said("h", m.cid, true), m.edited("m1", 1));
    expect(keys(state)).toEqual([P, "card/1.1.0", "queued/m2"]);
    expect(slot(state, "queued/m2")?.view.buttons).toEqual([{ word: "Withdraw", act: "withdraw", code: "s1.2" }]);
    expect(plain(slot(state, "queued/m2")?.view ?? { parts: [], buttons: [] })).toMatch(/behind this decision, bob/);
    expect(keys(m.foldFrom(state, m.approve("1.1.0")))).toEqual([P]);
    expect(keys(m.foldFrom(thinking, m.said("m2")))).toEqual([]);
  });
});

describe("the view", () => {
  it("is the same for the same state, and nothing for a session that was never opened", () => {
    const copy: State = JSON.parse(JSON.stringify(asked));
    expect(slots(copy)).toEqual(slots(asked));
    expect(slots(m.fold(m.given("g")))).toEqual([]);
  });
});
