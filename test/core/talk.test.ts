import { describe, expect, it } from "vitest";
import type { State } from "../../src/core/state.ts";
import { revision } from "../../src/core/talk.ts";
import * as m from "./make.ts";

const queued = ({ talk }: State) => talk.queue.map(({ kind, id, must }) => `${kind} ${id}${must ? "!" : ""}`);
const entries = ({ talk }: State) =>
  talk.entries.map((entry) =>
    entry.as === "said" ? `${entry.kind} ${entry.id}${entry.gone ? " gone" : ""}` : `answer ${entry.turn}.${entry.step}`,
  );
const words = ({ talk }: State, id: string) =>
  [...talk.entries, ...talk.queue].flatMap((it) => ((!("as" in it) || it.as === "said") && it.id === id ? [it.text] : []));

const idle = m.fold(m.opened());
const thinking = m.fold(m.opened(), m.said("m1"), m.step(1, 1, 1));
const over = m.foldFrom(thinking, m.answered(1, 1), m.ended(1), m.closed(1));

describe("receiving", () => {
  it("T1: only queues, whatever the phase", () => {
    for (const state of [idle, thinking, m.foldFrom(thinking, m.answered(1, 1)), over]) {
      const after = m.foldFrom(state, m.said("new"));
      expect(entries(after)).toEqual(entries(state));
      expect(queued(after)).toContain("message new!");
      expect(after.talk.phase).toBe(state.talk.phase);
    }
  });
  it("T1: a step takes the queue up to what it names, and leaves what came later", () => {
    const state = m.fold(m.opened(), m.said("m1"), m.said("m2"), m.said("m3"), m.step(1, 1, 2));
    expect([entries(state), queued(state)]).toEqual([["message m1", "message m2"], ["message m3!"]]);
  });
  it("P1: a step repeated after a crash keeps its number, counts its attempts and takes the queue anew", () => {
    const state = m.foldFrom(thinking, m.said("m2"), m.step(1, 1, 2));
    expect([entries(state), state.talk.attempts, state.talk.step]).toEqual([["message m1", "message m2"], 2, 1]);
    expect([state.talk.interrupted, m.foldFrom(thinking, m.failed(1, 1), m.step(1, 1, 1)).talk.interrupted]).toEqual([1, 0]);
    expect(m.foldFrom(state, m.answered(1, 1, ["read"])).talk).toMatchObject({ attempts: 0, interrupted: 0 });
  });
  it("what is only heard waits for a turn and opens none", () => {
    expect(queued(m.foldFrom(idle, m.said("h1", m.bob, true)))).toEqual(["message h1"]);
  });
  it("knows who talks with the agent and who only talks beside it", () => {
    const state = m.foldFrom(idle, m.said("h1", m.bob, true), m.said("m1", m.ann), m.said("h2", m.ann, true), m.said("h3", m.bob, true));
    expect([state.talk.talkers, state.talk.others]).toEqual([[m.ann.id], [m.bob.id]]);
    const joined = m.foldFrom(state, m.said("m2", m.bob), m.said("b1", { ...m.cid, kind: "bot" }, true));
    expect([joined.talk.talkers, joined.talk.others]).toEqual([[m.ann.id, m.bob.id], []]);
  });
  it("a turn is for whoever must be answered first, not for who was only heard", () => {
    expect(m.foldFrom(idle, m.said("h1", m.bob, true), m.said("m1", m.cid), m.step(1, 1, 2)).talk.by).toEqual(m.cid);
  });
});

describe("edits", () => {
  it("T2: of a queued message correct it", () => {
    const state = m.fold(m.opened(), m.said("m1"), m.edited("m1", 1));
    expect([queued(state), words(state, "m1")]).toEqual([["message m1!"], ["m1 as of 1"]]);
  });
  it("T2: of a seen message become a correction, which must be answered only while that message's turn is open", () => {
    expect(queued(m.foldFrom(thinking, m.edited("m1", 1)))).toEqual(["edit m1!"]);
    expect(queued(m.foldFrom(over, m.edited("m1", 1)))).toEqual(["edit m1"]);
    expect(queued(m.foldFrom(over, m.said("m2"), m.step(2, 1, 2), m.edited("m1", 1)))).toEqual(["edit m1"]);
    expect(queued(m.foldFrom(thinking, m.answered(1, 1), m.ended(1), m.edited("m1", 1)))).toEqual(["edit m1"]);
  });
  it("T2: a second edit replaces a correction that still waits", () => {
    const state = m.foldFrom(thinking, m.edited("m1", 1), m.edited("m1", 2));
    expect([queued(state), state.talk.queue[0]?.text]).toEqual([["edit m1!"], "m1 as of 2"]);
  });
  it("T3: may come before their message, the newest wins, and overtaken ones are ignored", () => {
    const state = m.foldAny(idle, m.edited("m1", 2), m.edited("m1", 1), m.said("m1"), m.edited("m1", 1));
    expect(words(state, "m1")).toEqual(["m1 as of 2"]);
    expect([revision(state.talk, "m1"), revision(state.talk, "m2")]).toEqual([2, undefined]);
    expect(state.talk.early).toEqual({});
  });
  it("T3: of a seen message are ignored if a newer one was seen", () => {
    const state = m.foldFrom(thinking, m.edited("m1", 5), m.step(1, 1, 2));
    expect(m.foldAny(state, m.edited("m1", 4))).toBe(state);
  });
  it("take ids for names, also those that every object has", () => {
    for (const id of ["__proto__", "constructor", "toString"]) {
      const plain = m.foldFrom(idle, m.said(id));
      expect(words(plain, id)).toEqual([`words of ${id}`]);
      expect(words(m.foldFrom(idle, m.edited(id, 1), m.said(id)), id)).toEqual([`${id} as of 1`]);
      expect(queued(m.foldFrom(idle, m.deleted(id), m.said(id)))).toEqual([]);
    }
  });
});

describe("deletions and withdrawals", () => {
  it("T3: a queued message leaves the queue", () => {
    expect(queued(m.fold(m.opened(), m.said("m1"), m.said("m2"), m.deleted("m1")))).toEqual(["message m2!"]);
  });
  it("T3: a seen message is redacted from then on, with its corrections", () => {
    const state = m.foldFrom(thinking, m.edited("m1", 1), m.step(1, 1, 2), m.edited("m1", 2), m.deleted("m1"));
    expect([entries(state), queued(state)]).toEqual([["message m1 gone", "edit m1 gone"], []]);
    expect(words(state, "m1")).toEqual(["", ""]);
    expect(m.foldAny(state, m.edited("m1", 9)).talk.queue).toEqual([]);
  });
  it("T3: a deletion may come before its message, which is never shown to the model then", () => {
    const state = m.foldFrom(idle, m.deleted("m1"), m.said("m1"), m.said("m2"));
    expect(queued(state)).toEqual(["message m2!"]);
    expect(m.foldAny(m.foldFrom(idle, m.deleted("m1")), m.edited("m1", 9), m.said("m1")).talk.queue).toEqual([]);
  });
  it("a withdrawn message is not taken up; a correction cannot be withdrawn", () => {
    expect(queued(m.fold(m.opened(), m.said("m1"), m.said("m2"), m.withdrawn("m1")))).toEqual(["message m2!"]);
    const corrected = m.foldFrom(thinking, m.edited("m1", 1));
    expect(m.foldAny(corrected, m.withdrawn("m1"))).toBe(corrected);
  });
  it("P6: a deleted reply is taken back out of the answer it gave, before and after the model saw it", () => {
    const open = m.foldFrom(m.calling("ask"), m.asks("1.1.0"), m.answer("1.1.0", "the blue one", "r1"));
    for (const state of [open, m.foldFrom(open, m.step(1, 2, 1))]) {
      expect(JSON.stringify(state)).toContain("the blue one");
      expect(JSON.stringify(m.foldFrom(state, m.deleted("r1")))).not.toContain("the blue one");
      expect(JSON.stringify(m.foldFrom(state, m.deleted("r2")))).toContain("the blue one");
    }
  });
});

describe("stop", () => {
  const calls = m.foldFrom(m.calling("read", "pay", "pay"), m.gated("1.1.0"), m.gated("1.1.1", "ask"), m.started("1.1.0"));
  it("settles every open call, and says whether it may have run", () => {
    const { calls: after } = m.foldFrom(calls, m.stopped());
    expect(Object.values(after.byId).map(({ status, outcome }) => `${status} ${outcome}`)).toEqual(Array(3).fill("done stopped"));
    expect(after.byId["1.1.0"]?.result?.content).toMatch(/outcome unknown.*bob/);
    expect(after.byId["1.1.1"]?.result?.content).toMatch(/before it ran.*bob/);
    expect(after.byId["1.1.1"]?.decided?.how).toBe("stopped");
  });
  it("ends the turn; what was queued behind it opens the next", () => {
    const state = m.foldFrom(calls, m.said("m2"), m.stopped(), m.closed(1));
    expect(state.talk.ending).toMatchObject({ turn: 1, how: "stopped" });
    expect(m.does(state)).toEqual(["step 2.1 up to 3, attempt 1"]);
  });
  it("takes a queue that no step has opened yet into a turn that is over", () => {
    const state = m.fold(m.opened(), m.said("m1"), m.stopped());
    expect([entries(state), state.talk.phase, state.talk.turn]).toEqual([["message m1"], "ended", 1]);
    expect(state.talk.queue.map(({ must }) => must)).toEqual([false]);
  });
  it("P1: a stopped helper's queue is not taken up afterwards", () => {
    const helper = m.fold(m.opened({ session: "s", call: "1.1.0", agent: "a" }), m.said("task"), m.stopped(), m.closed(1));
    expect([helper.talk.phase, m.does(helper)]).toEqual(["idle", []]);
    expect(entries(helper)).toEqual(["message task"]);
  });
  it("does not apply where nothing is under way", () => {
    for (const state of [idle, m.foldFrom(idle, m.said("h", m.bob, true)), over, m.foldFrom(thinking, m.stopped())])
      expect(m.foldAny(state, m.stopped())).toBe(state);
  });
  it("tells the model at the next turn", () => {
    expect(m.foldFrom(thinking, m.stopped()).talk.queue.at(-1)?.text).toBe("bob stopped this turn.");
  });
});

describe("late results", () => {
  const stopped = m.foldFrom(m.calling("write"), m.gated("1.1.0"), m.started("1.1.0"), m.stopped());
  it("P3: become a note once, and change nothing that was said", () => {
    const late = m.foldFrom(stopped, m.finished("1.1.0", "written"));
    expect(late.talk.queue.at(-1)).toMatchObject({
      kind: "note",
      text: "After it was stopped, write still finished: written",
      must: false,
    });
    expect(late.calls.byId["1.1.0"]).toMatchObject({ outcome: "stopped", late: true, result: stopped.calls.byId["1.1.0"]?.result });
    expect(m.foldAny(late, m.finished("1.1.0", "again"))).toBe(late);
  });
  it("say that they failed, and are cut where they are long", () => {
    const late = m.foldFrom(stopped, m.finished("1.1.0", [m.text("x".repeat(5000))], true));
    expect(late.talk.queue.at(-1)?.text).toMatch(/^After it was stopped, write still failed: \[\{/);
    expect(late.talk.queue.at(-1)?.text.length).toBeLessThan(2100);
  });
  it("open no turn by themselves, and reach the next one", () => {
    const rested = m.foldFrom(stopped, m.finished("1.1.0", "written"), m.closed(1));
    expect(m.does(rested)).toEqual([]);
    const next = m.foldFrom(rested, m.said("m2"), m.step(2, 1, 9));
    expect(entries(next).slice(-3)).toEqual(["note note-2", "note note-3", "message m2"]);
  });
});

describe("endings", () => {
  it("P4: finished calls move into the answer that made them once the next step opens", () => {
    const done = m.foldFrom(m.calling("read"), m.gated("1.1.0"), m.started("1.1.0"), m.finished("1.1.0", "the text"));
    const answer = m.foldFrom(done, m.step(1, 2, 1)).talk.entries.at(-1);
    expect(answer?.as === "answer" && answer.calls?.[0]?.result?.content).toBe("the text");
    const after = m.foldFrom(done, m.stopped(), m.closed(1), m.said("m2"), m.step(2, 1, 9)).talk.entries[1];
    expect(after?.as === "answer" && after.calls?.length).toBe(1);
  });
  it("a turn that failed or reached its limit leaves a note for the next; others leave none", () => {
    for (const [how, notes] of [
      ["failed", 1],
      ["limit", 1],
      ["answered", 0],
      ["silent", 0],
    ] as const)
      expect(m.foldFrom(thinking, m.ended(1, "why", how)).talk.queue.length).toBe(notes);
  });
  it("remember whether the turn used tools", () => {
    expect(m.foldFrom(thinking, m.ended(1)).talk.ending?.tools).toBe(false);
    expect(m.foldFrom(m.calling({ tool: "read", broken: "cut" }), m.ended(1)).talk.ending?.tools).toBe(true);
  });
  it("overflows are counted for a step, not for a turn", () => {
    const once = m.foldFrom(thinking, m.failed(1, 1, AT, true));
    expect(once.talk.overflows).toBe(1);
    expect(m.foldFrom(once, m.step(1, 1, 1), m.answered(1, 1, ["read"])).talk.overflows).toBe(0);
    expect(m.foldFrom(once, m.stopped(), m.closed(1), m.said("m2"), m.step(2, 1, 9)).talk.overflows).toBe(0);
  });
});
const { AT } = m;

describe("timers", () => {
  it("put what was to be remembered into the queue, once", () => {
    const set = m.foldFrom(idle, m.timer("t1", AT + 5));
    expect(m.foldAny(set, m.timer("t1", AT + 9))).toBe(set);
    const fired = m.foldFrom(set, m.fired("t1"));
    expect([queued(fired), fired.talk.timers]).toEqual([["timer t1!"], []]);
    expect(m.foldAny(fired, m.fired("t1"))).toBe(fired);
  });
});
