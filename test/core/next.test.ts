/** Each row of the table of actions: where it is ready, and where one thing less makes it not so. */
import { describe, expect, it } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { type Action, LIMITS, rest, stale, wakeAt } from "../../src/core/next.ts";
import { slots } from "../../src/core/slots.ts";
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
const showsOf = (lines: string[]) => lines.filter((line) => /^(post|edit|hide|look) /.test(line));
const until = (state: Parameters<typeof does>[0], now = AT) => showsOf(does(state, now));

describe("step", () => {
  it("is ready when idle and something queued must be answered; else not", () => {
    expect(does(queued)).toEqual(["step 1.1 up to 1, attempt 1"]);
    for (const none of [INITIAL, idle, m.foldFrom(idle, m.said("h", m.bob, true)), m.foldFrom(idle, m.noted("n")), m.foldFrom(queued, m.deleted("m1"))])
      expect(does(none)).toEqual([]);
  });
  it("P1: is ready again when thinking and nobody thinks: resuming is the same as going on", () => {
    expect(does(m.foldFrom(thinking, m.said("m2")))).toEqual(["step 1.1 up to 2, attempt 2"]);
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
    expect(talkOf(does(m.foldFrom(acted, m.step(1, 2, 1)), AT, [], { steps: 2 }))).toEqual(["step 1.2 up to 1, attempt 2"]);
  });
  it("P1: comes instead of a step when its attempts are used up, crashes counted, and not before", () => {
    const again = (n: number) => m.foldFrom(thinking, ...Array.from({ length: n }, () => m.step(1, 1, 1)));
    expect(talkOf(does(again(1), AT, [], { attempts: 3 }))).toEqual(["step 1.1 up to 1, attempt 3"]);
    expect(talkOf(does(again(2), AT, [], { attempts: 3 }))).toEqual(["end 1: attempts"]);
    expect(talkOf(does(m.foldFrom(again(2), m.failed(1, 1, AT + 9)), AT, [], { attempts: 3 }))).toEqual([]);
  });
  it("P1: whatever a model does, a step is begun no more often than it may", () => {
    let state = thinking;
    let tries = 1;
    while (talkOf(does(state))[0]?.startsWith("step")) {
      state = m.foldFrom(state, m.step(1, 1, 1));
      if (tries % 2) state = m.foldFrom(state, m.failed(1, 1, AT));
      tries++;
    }
    expect([tries, talkOf(does(state))]).toEqual([LIMITS.attempts, ["end 1: attempts"]]);
  });
  it("comes at the second overflow of a step, not at the first", () => {
    const once = m.foldFrom(thinking, m.failed(1, 1, AT, true));
    expect(talkOf(does(once))).toEqual(["step 1.1 up to 1, attempt 2"]);
    expect(talkOf(does(m.foldFrom(once, m.step(1, 1, 1), m.failed(1, 1, AT, true))))).toEqual(["end 1: overflow"]);
  });
});

describe("compact", () => {
  const turn = (n: number, upTo: number) => [m.said(`m${n}`), m.step(n, 1, upTo), m.answered(n, 1, [], [m.text("a")]), m.ended(n, ""), m.closed(n)];
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
    expect(talkOf(does(m.foldFrom(two, m.posting(A[0]), m.unposted(A[0], false, null), m.posting(A[1]), m.shown(A[1]))))).toEqual(["close 1"]);
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
    const all = m.foldFrom(thinking, m.answered(1, 1, ["read", "task", "pay"]), m.gated("1.1.0"), m.gated("1.1.1", "allow", { helper: true }), m.gated("1.1.2"));
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
  it("are left alone after a stop", () => expect(calls(does(m.foldFrom(mixed, m.stopped())))).toEqual([]));
});

describe("show", () => {
  const A = "answer/1/0";
  const B = "answer/1/1";
  const one = m.foldFrom(thinking, ...over());
  it("posts what is wanted and does not stand", () => expect(until(one)).toEqual([`post ${A}`]));
  it("P5: in order: a new post waits for the earlier new ones of its kind, also while those rest", () => {
    const two = m.foldFrom(thinking, ...over(4));
    expect(until(two)).toEqual([`post ${A}`]);
    expect(until(m.foldFrom(two, m.posting(A), m.unposted(A, false, AT + 5)))).toEqual([]);
    expect(until(m.foldFrom(two, m.posting(A), m.unposted(A, false, null)))).toEqual([`post ${B}`]);
    const cards = m.foldFrom(thinking, m.answered(1, 1, ["pay", "pay"]), m.gated("1.1.0", "ask"), m.gated("1.1.1", "ask"));
    expect(until(cards)).toEqual(["post progress/1", "post card/1.1.0"]);
    expect(until(m.foldFrom(cards, m.posting("card/1.1.0"), m.shown("card/1.1.0")))).toEqual(["post progress/1", "edit card/1.1.0", "post card/1.1.1"]);
  });
  it("does nothing where what stands is what is wanted", () => {
    const cards = m.foldFrom(thinking, m.answered(1, 1, ["pay"]), m.gated("1.1.0", "ask"), m.posting("progress/1"), m.shown("progress/1", "open"));
    const digest = slots(cards).find(({ key }) => key === "card/1.1.0")?.digest;
    expect(until(m.foldFrom(cards, m.posting("card/1.1.0"), m.shown("card/1.1.0", digest)))).toEqual([]);
    expect(until(m.foldFrom(cards, m.posting("card/1.1.0"), m.shown("card/1.1.0", "other")))).toEqual(["edit card/1.1.0"]);
  });
  it("rest: a refused post is tried when it may be, not before, and the session says when", () => {
    const refused = m.foldFrom(one, m.posting(A), m.unposted(A, false, AT + 30));
    expect([until(refused, AT + 29), until(refused, AT + 30)]).toEqual([[], [`post ${A}`]]);
    expect(rest(refused, AT)).toEqual({ settled: true, wakeAt: AT + 30 });
    expect(rest(refused, AT + 30)).toEqual({ settled: false, wakeAt: null });
  });
  it("P5: looks for a post in doubt twice, with a rest between, then sends it again with a mark", () => {
    const lost = m.foldFrom(one, m.posting(A), m.unposted(A, true, AT + 5));
    expect([until(lost, AT + 4), until(lost, AT + 5)]).toEqual([[], [`look ${A}`]]);
    const again = m.foldFrom(lost, m.unposted(A, true, AT + 9));
    expect([until(again, AT + 8), until(again, AT + 9)]).toEqual([[], [`look ${A}`]]);
    expect(until(m.foldFrom(again, m.unposted(A, true, AT + 9)), AT + 9)).toEqual([`post ${A}, marked`]);
    expect(until(m.foldFrom(again, m.shown(A, "x", true)))).toEqual([`edit ${A}`]);
  });
  it("P5: the mark stays when the marked post is refused, because the first may still stand", () => {
    const marked = m.foldFrom(one, m.posting(A), ...[1, 2, 3].map(() => m.unposted(A, true)), m.posting(A, true));
    expect(until(m.foldFrom(marked, m.unposted(A, false)))).toEqual([`post ${A}, marked`]);
  });
  it("P5: a post whose process died is looked for first", () => expect(until(m.foldFrom(one, m.posting(A)))).toEqual([`look ${A}`]));
  it("a post refused for certain carries no mark", () => {
    expect(until(m.foldFrom(one, m.posting(A), m.unposted(A, false)))).toEqual([`post ${A}`]);
  });
  it("gives up what the platform will never take", () => {
    expect(until(m.foldFrom(one, m.posting(A), m.unposted(A, false, null)))).toEqual([]);
  });
  it("a decided card loses its buttons, wherever its post stands", () => {
    const asked = m.foldFrom(thinking, m.answered(1, 1, ["pay"]), m.gated("1.1.0", "ask"), m.posting("card/1.1.0"));
    const shown = m.foldFrom(asked, m.shown("card/1.1.0"), m.deny("1.1.0"));
    expect(until(shown)).toContain("edit card/1.1.0");
    expect(until(m.foldFrom(shown, m.shown("card/1.1.0", "y", true)))).not.toContain("edit card/1.1.0");
    // The click came before the post returned.
    expect(until(m.foldFrom(asked, m.deny("1.1.0")))).toContain("look card/1.1.0");
    expect(until(m.foldFrom(asked, m.deny("1.1.0"), m.shown("card/1.1.0", "old")))).toContain("edit card/1.1.0");
    const later = m.foldFrom(asked, m.shown("card/1.1.0"), m.stopped(), m.closed(1), m.said("m2"), m.step(2, 1, 9));
    expect(until(later)).toEqual(["edit card/1.1.0"]);
  });
  it("what left the view is hidden, or looked for if it may stand, and then let go", () => {
    const behind = m.foldFrom(m.calling("pay"), m.gated("1.1.0", "ask"), m.said("m2"));
    expect(until(behind)).toContain("post queued/m2");
    const posted = m.foldFrom(behind, m.posting("queued/m2"));
    expect(until(m.foldFrom(posted, m.shown("queued/m2"), m.withdrawn("m2")))).toContain("hide queued/m2");
    const doubt = m.foldFrom(posted, m.withdrawn("m2"));
    expect(until(doubt)).toContain("look queued/m2");
    const gone = m.foldFrom(doubt, ...[1, 2, 3].map(() => m.unposted("queued/m2", true)));
    expect(until(gone)).toContain("hide queued/m2");
    expect(until(m.foldFrom(gone, m.hidden("queued/m2"))).some((line) => line.endsWith("queued/m2"))).toBe(false);
    expect(until(m.foldFrom(posted, m.unposted("queued/m2", false), m.withdrawn("m2"))).some((line) => line.endsWith("queued/m2"))).toBe(false);
    const resting = m.foldFrom(posted, m.shown("queued/m2"), m.unposted("queued/m2", false, AT + 7), m.withdrawn("m2"));
    expect([until(resting, AT + 6).includes("hide queued/m2"), until(resting, AT + 7).includes("hide queued/m2")]).toEqual([false, true]);
  });
  it("N2: runs beside work: a post that rests holds no tool", () => {
    const refused = m.foldFrom(mixed, m.posting("progress/1"), m.unposted("progress/1", false, AT + 1000));
    expect(does(refused)).toContain("run 1.1.0");
  });
});

describe("fire", () => {
  const set = m.foldFrom(idle, m.timer("t1", AT + 5));
  it("comes when its time has come", () => expect([does(set, AT + 4), does(set, AT + 5)]).toEqual([[], ["fire t1"]]));
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
