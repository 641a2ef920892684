import { describe, expect, it } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { wireId } from "../../src/core/id.ts";
import * as m from "./make.ts";

const asked = m.foldFrom(m.calling("pay"), m.gated("1.1.0", "ask"));
const two = m.foldFrom(m.calling("pay"), m.gated("1.1.0", "ask", { quorum: 2, apart: true }));
const call = (state: typeof asked, id = "1.1.0") => state.calls.byId[id];

describe("calls", () => {
  it("are named by turn, step and index, whatever the provider called them", () => {
    const { calls } = m.calling("read", "write");
    expect(Object.keys(calls.byId)).toEqual(["1.1.0", "1.1.1"]);
    expect(Object.keys(calls.byId).map(wireId)).toEqual(["c_1_1_0", "c_1_1_1"]);
  });
  it("C3: cut off inside their input are done at once: not run", () => {
    const { calls } = m.calling({ tool: "write", broken: "the input was cut off" }, "read");
    expect(calls.byId["1.1.0"]).toMatchObject({
      status: "done",
      outcome: "broken",
      result: { content: "Not run: the input was cut off", failed: true },
    });
    expect(calls.byId["1.1.1"]?.status).toBe("new");
  });
  it("follow what the gate said", () => {
    const table: [Event, string, string | null][] = [
      [m.gated("1.1.0"), "allowed", null],
      [m.gated("1.1.0", "ask"), "asked", null],
      [m.asks("1.1.0"), "asked", null],
      [m.gated("1.1.0", "deny", { reason: "Never." }), "done", "denied"],
    ];
    for (const [event, status, outcome] of table) expect(call(m.foldFrom(m.calling("pay"), event))).toMatchObject({ status, outcome });
    expect(call(m.foldFrom(m.calling("pay"), m.gated("1.1.0", "deny", { reason: "Never." })))?.result).toEqual({
      content: "Never.",
      failed: true,
    });
    expect(asked.calls.cards).toEqual(["1.1.0"]);
    expect(m.foldFrom(m.calling("pay"), m.gated("1.1.0")).calls.cards).toEqual([]);
  });
  it("C1: the first result wins", () => {
    const done = m.foldFrom(m.calling("read"), m.gated("1.1.0"), m.started("1.1.0"), m.finished("1.1.0", "one"));
    expect(m.foldAny(done, m.finished("1.1.0", "two"))).toBe(done);
    expect(call(done)).toMatchObject({ outcome: "ran", result: { content: "one", failed: false } });
  });
  it("count their starts", () => {
    expect(call(m.foldFrom(m.calling("read"), m.gated("1.1.0"), m.started("1.1.0"), m.started("1.1.0")))?.starts).toBe(2);
  });
});

describe("decisions", () => {
  it("P2 C2: the first decision wins; later ones change nothing", () => {
    const decisions = [m.approve("1.1.0", m.bob), m.deny("1.1.0", m.bob), m.edit("1.1.0", m.bob), m.expired("1.1.0")];
    for (const first of [m.approve("1.1.0"), m.deny("1.1.0"), m.expired("1.1.0"), m.edit("1.1.0")]) {
      const decided = m.foldFrom(asked, first);
      for (const later of decisions) expect(m.foldAny(decided, later)).toBe(decided);
    }
  });
  it("C2: one person counts once towards a quorum", () => {
    const once = m.foldFrom(two, m.approve("1.1.0", m.ann));
    expect([call(once)?.status, m.foldAny(once, m.approve("1.1.0", m.ann)) === once]).toEqual(["asked", true]);
    expect(call(m.foldFrom(once, m.approve("1.1.0", m.bob)))).toMatchObject({
      status: "allowed",
      decided: { how: "approved", by: [m.ann, m.bob] },
    });
  });
  it("P3 C6: a quorum is of people of one platform: one person may have an id on each", () => {
    const elsewhere = { ...m.ann, id: "other:ann" };
    const apart = m.foldFrom(two, m.approve("1.1.0", m.ann), m.approve("1.1.0", elsewhere));
    expect([call(apart)?.status, call(apart)?.votes]).toEqual(["asked", [m.ann, elsewhere]]);
    for (const by of [m.bob, { ...m.bob, id: "other:bob" }])
      expect(call(m.foldFrom(apart, m.approve("1.1.0", by)))).toMatchObject({ status: "allowed", decided: { by: [m.ann, elsewhere, by] } });
  });
  it("C6: what was asked while all were counted together is decided so", () => {
    const before = m.foldFrom(m.calling("pay"), m.gated("1.1.0", "ask", { quorum: 2 }), m.approve("1.1.0", m.ann));
    expect(call(m.foldFrom(before, m.approve("1.1.0", { ...m.bob, id: "other:bob" })))?.status).toBe("allowed");
  });
  it("P3: an approval is for the digest that was seen, and no other", () => {
    expect(m.foldAny(asked, m.approve("1.1.0", m.ann, "d0"))).toBe(asked);
    expect(m.foldAny(asked, m.edit("1.1.0", m.ann, "d0"))).toBe(asked);
    expect(m.foldAny(asked, m.deny("1.1.0", m.ann, "", "d0"))).toBe(asked);
    expect(m.foldAny(m.foldFrom(asked, m.approve("1.1.0")), m.started("1.1.0", "d0")).calls.byId["1.1.0"]?.status).toBe("allowed");
  });
  it("P3 C2: an edit drops the votes given before it, counts its editor's, and keeps none of the old digest", () => {
    const voted = m.foldFrom(two, m.approve("1.1.0", m.ann), m.edit("1.1.0", m.bob));
    expect(call(voted)).toMatchObject({ status: "asked", votes: [m.bob], input: { n: 2 }, edited: { by: m.bob, from: { n: 1 } } });
    expect(call(voted)?.gate).toMatchObject({ digest: "d2", code: "c2-1.1.0" });
    expect(m.foldAny(voted, m.approve("1.1.0", m.cid, "d1"))).toBe(voted);
    expect(m.foldAny(voted, m.approve("1.1.0", m.bob, "d2"))).toBe(voted);
    expect(call(m.foldFrom(voted, m.approve("1.1.0", m.ann, "d2")))).toMatchObject({ status: "allowed", decided: { by: [m.bob, m.ann] } });
  });
  it("an edit by one who voted before starts again with that one vote", () => {
    expect(call(m.foldFrom(two, m.approve("1.1.0", m.ann), m.edit("1.1.0", m.ann)))?.votes).toEqual([m.ann]);
  });
  it("an edit decides where one is enough, and a second edit keeps what the model wrote", () => {
    expect(call(m.foldFrom(asked, m.edit("1.1.0")))?.status).toBe("allowed");
    expect(call(m.foldFrom(two, m.edit("1.1.0", m.ann), m.edit("1.1.0", m.bob, "d2", "d3")))?.edited?.from).toEqual({ n: 1 });
  });
  it("one denial ends it, whoever has approved, and tells the model who and why", () => {
    const denied = m.foldFrom(two, m.approve("1.1.0", m.ann), m.deny("1.1.0", m.bob, "too dear"));
    expect(call(denied)).toMatchObject({ status: "done", outcome: "denied", decided: { how: "denied", by: [m.bob], reason: "too dear" } });
    expect(call(denied)?.result).toMatchObject({ failed: true, content: expect.stringMatching(/^Denied by bob: too dear Do not/) });
    expect(call(m.foldFrom(asked, m.deny("1.1.0")))?.result?.content).toMatch(/^Denied by ann\. Do not/);
  });
  it("questions are answered or denied, never approved or edited; calls are never answered", () => {
    const question = m.foldFrom(m.calling("ask"), m.asks("1.1.0"));
    for (const wrong of [m.approve("1.1.0"), m.edit("1.1.0")]) expect(m.foldAny(question, wrong)).toBe(question);
    expect(m.foldAny(asked, m.answer("1.1.0", "yes"))).toBe(asked);
    expect(call(m.foldFrom(question, m.answer("1.1.0", "this")))).toMatchObject({
      outcome: "answered",
      result: { content: `ann (${m.ann.id}) answered: this`, failed: false },
    });
    expect(call(m.foldFrom(question, m.deny("1.1.0")))?.outcome).toBe("denied");
  });
  it("what nobody decided in time is not run", () => {
    expect(call(m.foldFrom(asked, m.expired("1.1.0")))).toMatchObject({
      outcome: "expired",
      decided: { how: "expired" },
      result: { failed: true },
    });
  });
});

describe("the cards kept for later turns", () => {
  const next = [m.closed(1), m.said("m2"), m.step(2, 1, 9)];
  it("are those that stand or may stand; everything else of an old turn is forgotten", () => {
    const posted = m.foldFrom(asked, m.posting("card/1.1.0"));
    const known: [string, Event[], string[]][] = [
      ["never sent", [], []],
      ["in doubt", [m.posting("card/1.1.0")], ["1.1.0"]],
      ["standing with buttons", [m.posting("card/1.1.0"), m.shown("card/1.1.0")], ["1.1.0"]],
      ["standing without", [m.posting("card/1.1.0"), m.shown("card/1.1.0"), m.deny("1.1.0"), m.shown("card/1.1.0", "y", true)], []],
      ["refused for good", [m.posting("card/1.1.0"), m.unposted("card/1.1.0", false, null)], []],
    ];
    for (const [, events, cards] of known) {
      const decided = events.some((it) => it.type === "approval.decided") ? [] : [m.deny("1.1.0")];
      const state = m.foldFrom(asked, ...events, ...decided, m.ended(1), ...next);
      expect([state.calls.cards, Object.keys(state.calls.byId)]).toEqual([cards, cards]);
    }
    expect(m.foldFrom(posted, m.stopped(), ...next).calls.cards).toEqual(["1.1.0"]);
  });
  it("are kept by a stop of what had not begun, too", () => {
    const behind = m.foldFrom(asked, m.posting("card/1.1.0"), m.deny("1.1.0"), m.ended(1), m.closed(1), m.said("m2"), m.stopped());
    expect(behind.calls.cards).toEqual(["1.1.0"]);
    expect(behind.calls.byId["1.1.0"]?.outcome).toBe("denied");
  });
});
