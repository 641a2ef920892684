/** Each row of the table of actions: where it is ready, and where one thing less makes it not so. */
import { describe, expect, it } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { type Action, LIMITS, rest, stale, wakeAt } from "../../src/core/next.ts";
import { INITIAL } from "../../src/core/state.ts";
import * as m from "./make.ts";
import { does } from "./make.ts";

const { AT } = m;
const idle = m.fold(m.opened());
const queued = m.foldFrom(idle, m.said("m1"));
const thinking = m.foldFrom(queued, m.step(1, 1, 1));
const fresh = m.foldFrom(thinking, m.answered(1, 1, ["read", "pay"]));
const mixed = m.foldFrom(fresh, m.gated("1.1.0"), m.gated("1.1.1", "ask", { expires: AT + 100 }));
const over = (...parts: number[]): Event[] => [m.answered(1, 1), m.ended(1, "one two three", "answered", parts)];
const talkOf = (lines: string[]) => lines.filter((line) => /^(step|gate|end|close|compact)/.test(line));

describe("step", () => {
  it("is ready when idle and something queued must be answered; else not", () => {
    expect(does(queued)).toEqual(["step 1.1 up to 1, attempt 1"]);
    for (const none of [
      INITIAL,
      idle,
      m.foldFrom(idle, m.said("h", m.bob, true)),
      m.foldFrom(idle, m.noted("n")),
      m.foldFrom(queued, m.deleted("m1")),
    ])
      expect(does(none)).toEqual([]);
  });
  it("P1: is ready again when thinking and nobody thinks: resuming is the same as going on", () => {
    expect(does(m.foldFrom(thinking, m.said("m2")))).toEqual(["step 1.1 up to 2, attempt 1"]);
    expect(does(thinking, AT, ["talk"])).toEqual([]);
  });
  it("waits for its time after a failure", () => {
    const failed = m.foldFrom(thinking, m.failed(1, 1, AT + 10));
    expect([does(failed, AT + 9), does(failed, AT + 10)]).toEqual([[], ["step 1.1 up to 1, attempt 2"]]);
  });
  it("is ready when acting and no call is open; one open decision holds it", () => {
    const settled = m.foldFrom(mixed, m.started("1.1.0"), m.finished("1.1.0"));
    expect(talkOf(does(settled))).toEqual([]);
    expect(talkOf(does(m.foldFrom(settled, m.deny("1.1.1"))))).toEqual(["step 1.2 up to 1, attempt 1"]);
    expect(talkOf(does(m.foldFrom(settled, m.approve("1.1.1"))))).toEqual([]);
    expect(talkOf(does(m.foldFrom(settled, m.approve("1.1.1"), m.started("1.1.1"))))).toEqual([]);
  });
});

describe("end", () => {
  const acted = m.foldFrom(thinking, m.answered(1, 1, [{ tool: "x", broken: "cut" }]));
  it("comes instead of a step when the turn has had its steps", () => {
    expect(talkOf(does(acted, AT, [], { steps: 1 }))).toEqual(["end 1: steps"]);
    expect(talkOf(does(acted, AT, [], { steps: 2 }))).toEqual(["step 1.2 up to 1, attempt 1"]);
    expect(talkOf(does(m.foldFrom(acted, m.step(1, 2, 1)), AT, [], { steps: 2 }))).toEqual(["step 1.2 up to 1, attempt 1"]);
  });
  const failing = (n: number) => m.foldFrom(thinking, ...Array.from({ length: n }, () => [m.failed(1, 1, AT), m.step(1, 1, 1)]).flat());
  it("P1: comes instead of a step when so many attempts have failed, and not before", () => {
    expect(talkOf(does(m.foldFrom(failing(1), m.failed(1, 1, AT)), AT, [], { attempts: 3 }))).toEqual(["step 1.1 up to 1, attempt 3"]);
    expect(talkOf(does(m.foldFrom(failing(2), m.failed(1, 1, AT)), AT, [], { attempts: 3 }))).toEqual(["end 1: attempts"]);
    expect(talkOf(does(m.foldFrom(failing(2), m.failed(1, 1, AT + 9)), AT, [], { attempts: 3 }))).toEqual([]);
  });
  it("P1: what was cut short with its process is no failure of the model, and may happen more often, but not for ever", () => {
    const again = (n: number) => m.foldFrom(thinking, ...Array.from({ length: n }, () => m.step(1, 1, 1)));
    expect(talkOf(does(again(8), AT, [], { attempts: 3 }))).toEqual(["step 1.1 up to 1, attempt 1"]);
    expect(talkOf(does(again(9), AT, [], { attempts: 3 }))).toEqual(["end 1: interrupted"]);
  });
  it("P1: whatever a model does, a step is begun no more often than it may", () => {
    let state = thinking;
    let tries = 1;
    while (talkOf(does(state))[0]?.startsWith("step")) {
      state = m.foldFrom(state, m.step(1, 1, 1));
      if (tries % 2) state = m.foldFrom(state, m.failed(1, 1, AT));
      tries++;
    }
    expect(tries).toBeLessThanOrEqual(LIMITS.attempts * 4);
    expect(talkOf(does(state))[0]).toMatch(/^end 1: (attempts|interrupted)$/);
  });
  it("comes at the second overflow of a step, not at the first", () => {
    const once = m.foldFrom(thinking, m.failed(1, 1, AT, true));
    expect(talkOf(does(once))).toEqual(["step 1.1 up to 1, attempt 2"]);
    expect(talkOf(does(m.foldFrom(once, m.step(1, 1, 1), m.failed(1, 1, AT, true))))).toEqual(["end 1: overflow"]);
  });
});

describe("compact", () => {
  const turn = (n: number, upTo: number) => [
    m.said(`m${n}`),
    m.step(n, 1, upTo),
    m.answered(n, 1, [], [m.text("a")]),
    m.ended(n, ""),
    m.closed(n),
  ];
  const long = m.fold(m.opened(), ...turn(1, 1), ...turn(2, 2), m.said("m3"));
  it("comes before a step when the next request would fill most of the window", () => {
    expect(does(long, AT, [], { window: 1200 })).toEqual(["compact"]);
    expect(does(long, AT, [], { window: 2000 })).toEqual(["step 3.1 up to 3, attempt 1"]);
    expect(does(m.fold(m.opened(), ...turn(1, 1), ...turn(2, 2)), AT, [], { window: 1200 })).toEqual([]);
  });
  it("comes when the provider said it was too much, once", () => {
    const forced = m.foldFrom(long, m.step(3, 1, 3), m.failed(3, 1, AT, true));
    expect(does(forced)).toEqual(["compact"]);
    expect(does(m.foldFrom(forced, m.compacted(4)))).toEqual(["step 3.1 up to 3, attempt 2"]);
  });
  it("rests after it failed, and the talk goes on meanwhile", () => {
    const kept = m.foldFrom(long, m.kept(AT + 50));
    expect(does(kept, AT + 49, [], { window: 1200 })).toEqual(["step 3.1 up to 3, attempt 1"]);
    expect(does(kept, AT + 50, [], { window: 1200 })).toEqual(["compact"]);
  });
  it("needs something to summarise", () => {
    const little = m.foldFrom(queued, m.step(1, 1, 1), m.failed(1, 1, AT, true));
    expect(does(little)).toEqual(["step 1.1 up to 1, attempt 2"]);
    expect(does(m.foldFrom(long, m.compacted(3)), AT, [], { window: 100 })).toEqual(["step 3.1 up to 3, attempt 1"]);
  });
});

describe("gate", () => {
  it("takes all new calls of an answer at once, and none that is already done", () => {
    expect(talkOf(does(fresh))).toEqual(["gate 1.1.0 1.1.1"]);
    expect(talkOf(does(m.foldFrom(thinking, m.answered(1, 1, [{ tool: "x", broken: "cut" }, "read"]))))).toEqual(["gate 1.1.1"]);
    expect(talkOf(does(mixed))).toEqual([]);
    expect(talkOf(does(m.foldFrom(fresh, m.stopped())))).toEqual([]);
  });
});

describe("close", () => {
  const A = ["answer/1/0", "answer/1/1"] as const;
  const two = m.foldFrom(thinking, ...over(4));
  it("waits until every part of the answer stands or was given up", () => {
    expect(talkOf(does(two))).toEqual([]);
    expect(talkOf(does(m.foldFrom(two, m.posting(A[0]), m.shown(A[0]))))).toEqual([]);
    expect(talkOf(does(m.foldFrom(two, m.posting(A[0]), m.shown(A[0]), m.posting(A[1]))))).toEqual([]);
    expect(talkOf(does(m.foldFrom(two, m.posting(A[0]), m.shown(A[0]), m.posting(A[1]), m.shown(A[1]))))).toEqual(["close 1"]);
    expect(talkOf(does(m.foldFrom(two, m.posting(A[0]), m.unposted(A[0], false, null), m.posting(A[1]), m.shown(A[1]))))).toEqual([
      "close 1",
    ]);
  });
  it("comes at once where there is nothing to show, and for helpers", () => {
    expect(talkOf(does(m.foldFrom(thinking, m.answered(1, 1), m.ended(1, "", "silent"))))).toEqual(["close 1"]);
    const helper = m.fold(m.opened({ session: "s", call: "1.1.0", agent: "a" }), m.said("task"), m.step(1, 1, 1), ...over());
    expect(does(helper)).toEqual(["close 1"]);
  });
  it("P1: comes before the queue is drained", () => {
    const behind = m.foldFrom(two, m.said("m2"));
    expect(talkOf(does(behind))).toEqual([]);
    const shown = m.foldFrom(behind, m.posting(A[0]), m.shown(A[0]), m.posting(A[1]), m.shown(A[1]));
    expect(talkOf(does(shown))).toEqual(["close 1"]);
    expect(talkOf(does(m.foldFrom(shown, m.closed(1))))).toEqual(["step 2.1 up to 2, attempt 1"]);
  });
});

describe("calls", () => {
  const calls = (lines: string[]) => lines.filter((line) => /^(run|spawn|recover|expire)/.test(line));
  it("run when allowed, side by side; a helper is spawned", () => {
    const all = m.foldFrom(
      thinking,
      m.answered(1, 1, ["read", "task", "pay"]),
      m.gated("1.1.0"),
      m.gated("1.1.1", "allow", { helper: true }),
      m.gated("1.1.2"),
    );
    expect(calls(does(all))).toEqual(["run 1.1.0", "spawn 1.1.1", "run 1.1.2"]);
    expect(calls(does(all, AT, ["call/1.1.0"]))).toEqual(["spawn 1.1.1", "run 1.1.2"]);
    expect(calls(does(m.foldFrom(all, m.waiting("1.1.1"))))).toEqual(["run 1.1.0", "run 1.1.2"]);
  });
  it("P3: are recovered when started and nobody runs them", () => {
    const started = m.foldFrom(mixed, m.started("1.1.0"));
    expect(calls(does(started, AT, ["call/1.1.0"]))).toEqual([]);
    expect(calls(does(started))).toEqual(["recover 1.1.0"]);
    expect(calls(does(m.foldFrom(started, m.finished("1.1.0"))))).toEqual([]);
  });
  it("P3: do nothing while they are asked, but expire in time", () => {
    const asked = m.foldFrom(mixed, m.started("1.1.0"), m.finished("1.1.0"));
    expect([calls(does(asked, AT + 99)), calls(does(asked, AT + 100))]).toEqual([[], ["expire 1.1.1"]]);
    const never = m.foldFrom(fresh, m.gated("1.1.0", "deny"), m.gated("1.1.1", "ask"));
    expect(calls(does(never, AT + 1e12))).toEqual([]);
  });
  it("helpers work four at a time; the others wait for their turn", () => {
    const names = Array.from({ length: 6 }, (_, n) => `1.1.${n}`);
    const gates = names.map((id) => m.gated(id, "allow", { helper: true }));
    const all = m.foldFrom(
      thinking,
      m.answered(
        1,
        1,
        names.map(() => "task"),
      ),
      ...gates,
    );
    expect(calls(does(all))).toEqual(names.slice(0, 4).map((id) => `spawn ${id}`));
    const busy = m.foldFrom(all, ...names.slice(0, 4).map(m.waiting));
    expect(calls(does(busy))).toEqual([]);
    expect(calls(does(m.foldFrom(busy, m.finished("1.1.2"))))).toEqual(["spawn 1.1.4"]);
  });
  it("are left alone after a stop", () => expect(calls(does(m.foldFrom(mixed, m.stopped())))).toEqual([]));
});

describe("fire", () => {
  const set = m.foldFrom(idle, m.timer("t1", AT + 5));
  it("comes when its time has come", () => expect([does(set, AT + 4), does(set, AT + 5)]).toEqual([[], ["fire t1"]]));
});

describe("a pause", () => {
  const paused = { paused: true };
  it("begins nothing, and goes on showing and closing what is there", () => {
    const helper = m.foldFrom(thinking, m.answered(1, 1, ["task"]), m.gated("1.1.0", "allow", { helper: true }));
    const started = m.foldFrom(mixed, m.started("1.1.0"));
    for (const state of [queued, thinking, helper, fresh, m.foldFrom(idle, m.timer("t", AT))])
      expect(does(state, AT, [], paused).filter((line) => !/^(post|edit)/.test(line))).toEqual([]);
    expect(does(started, AT + 100, [], paused)).toEqual(["expire 1.1.1", "post progress/1", "post card/1.1.1"]);
    expect(does(m.foldFrom(thinking, ...over()), AT, [], paused)).toEqual(["post answer/1/0"]);
    expect(does(m.foldFrom(thinking, m.ended(1, "", "silent")), AT, [], paused)).toEqual(["close 1"]);
  });
});

describe("stale", () => {
  const step = (turn: number, number: number): Action => ({ do: "step", subject: "talk", turn, step: number, upTo: 1, attempt: 1 });
  const run: Action = { do: "run", subject: "call/1.1.0", call: "1.1.0" };
  const gate: Action = { do: "gate", subject: "talk", calls: ["1.1.0"] };
  const compact: Action = { do: "compact", subject: "talk" };
  const turn2 = m.foldFrom(thinking, m.stopped(), m.closed(1), m.said("m2"), m.step(2, 1, 9));
  it("N3: a stop overtakes thinking, summarising, deciding and running, and nothing that has not begun", () => {
    const table: [string, Parameters<typeof stale>[0], Action, boolean][] = [
      ["before it is recorded", queued, step(1, 1), false],
      ["while it thinks", thinking, step(1, 1), false],
      ["after a stop", m.foldFrom(thinking, m.stopped()), step(1, 1), true],
      ["after its answer", fresh, step(1, 1), true],
      ["the next step, not recorded", fresh, step(1, 2), false],
      ["of an earlier turn", turn2, step(1, 1), true],
      ["of an earlier turn with more steps", turn2, step(1, 5), true],
      ["of the next turn", m.foldFrom(thinking, m.stopped()), step(2, 1), false],
      ["summary", queued, compact, false],
      ["summary after a stop", m.foldFrom(queued, m.stopped()), compact, true],
      ["gate", fresh, gate, false],
      ["gate after a stop", m.foldFrom(fresh, m.stopped()), gate, true],
      ["run", mixed, run, false],
      ["run after a stop", m.foldFrom(mixed, m.stopped()), run, true],
      ["run of a call that is forgotten", turn2, run, true],
      ["spawn after a stop", m.foldFrom(mixed, m.stopped()), { ...run, do: "spawn" }, true],
      ["recover after a stop", m.foldFrom(mixed, m.stopped()), { ...run, do: "recover" }, true],
      ["a show", m.foldFrom(mixed, m.stopped()), { do: "show", subject: "slot/x", slot: "x", mode: "post", mark: false }, false],
    ];
    for (const [what, state, action, is] of table) expect([what, stale(state, action)]).toEqual([what, is]);
  });
});

describe("wakeAt and rest", () => {
  it("is the earliest time at which something may become ready", () => {
    const table: [string, Parameters<typeof wakeAt>[0], number | null][] = [
      ["nothing", idle, null],
      ["a retry", m.foldFrom(thinking, m.failed(1, 1, AT + 10)), AT + 10],
      ["an expiry", mixed, AT + 100],
      ["an expiry no more", m.foldFrom(mixed, m.deny("1.1.1")), null],
      ["a timer", m.foldFrom(idle, m.timer("t2", AT + 70), m.timer("t1", AT + 60)), AT + 60],
      ["a post", m.foldFrom(mixed, m.posting("progress/1"), m.unposted("progress/1", true, AT + 20)), AT + 20],
      ["a post given up", m.foldFrom(mixed, m.deny("1.1.1"), m.posting("progress/1"), m.unposted("progress/1", false, null)), null],
    ];
    for (const [what, state, time] of table) expect([what, wakeAt(state, AT)]).toEqual([what, time]);
    expect(wakeAt(m.foldFrom(idle, m.timer("t1", AT + 60)), AT + 60)).toBe(null);
  });
  it("P1: nothing rests while an action is ready", () => {
    expect(rest(queued, AT).settled).toBe(false);
    expect(rest(thinking, AT).settled).toBe(false);
    expect(rest(idle, AT)).toEqual({ settled: true, wakeAt: null });
    expect(rest(m.foldFrom(thinking, m.failed(1, 1, AT + 10)), AT)).toEqual({ settled: true, wakeAt: AT + 10 });
  });
});
