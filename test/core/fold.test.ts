/** Any events in any order, also such as no loop would ever write. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applies } from "../../src/core/applies.ts";
import { deliver } from "../../src/core/deliver.ts";
import type { Event, EventType, Received } from "../../src/core/event.ts";
import { LIMITS, next, rest, wakeAt } from "../../src/core/next.ts";
import { slots } from "../../src/core/slots.ts";
import { INITIAL, reduce, type State } from "../../src/core/state.ts";
import { transcript } from "../../src/core/transcript.ts";
import { plain } from "../../src/core/view.ts";
import { pressure } from "../../src/core/weight.ts";
import { transcriptFaults } from "../help/transcript-rules.ts";
import * as m from "./make.ts";

const RUNS = Number(process.env.RUNS ?? 1);
/** Without shrinking where nobody looks: that can take longer than all runs together. */
const assertQuickly = (property: fc.IRawProperty<unknown>, { numRuns }: { numRuns: number }): void =>
  void fc.assert(property, { numRuns, endOnFailure: process.env.SHRINK === undefined });
type Makers = { [T in EventType]: fc.Arbitrary<Event> };
const few = (max: number) => fc.integer({ min: 0, max });
const id = fc.constantFrom("m1", "m2", "m3", "note-1", "__proto__", "constructor");
const by = fc.constantFrom(m.ann, m.bob, m.cid, { ...m.cid, kind: "bot" as const });
const words = fc.constantFrom("", " ", "hello", "</message>", "x".repeat(4000));
const call = fc.constantFrom("1.1.0", "1.1.1", "1.2.0", "2.1.0", "constructor");
const slot = fc.constantFrom(
  "card/1.1.0/1",
  "progress/1",
  "answer/1/0",
  "answer/1/1",
  "card/1.1.0",
  "card/1.1.1",
  "queued/m2",
  "answer/2/0",
);
const file = fc.tuple(id, fc.constantFrom("a.txt", "b.png")).map((it) => m.keyFor(...it));
const digest = fc.constantFrom("d1", "d2");
const time = few(100).map((n) => m.AT + n);
const turn = few(3);
const one = fc.constantFrom(1, 2);
const tool = fc.constantFrom("read", "pay");

const KINDS: Makers = {
  "session.opened": fc.constantFrom(m.opened(), m.opened({ session: "s", call: "1.1.0", agent: "a" })),
  "message.received": fc.oneof(
    fc.tuple(id, by, fc.boolean(), words).map((it) => m.said(...it)),
    id.map((it) => m.bearing(it, "a.txt", "b.png")),
  ),
  "file.fetched": fc.tuple(file, fc.boolean()).map(([it, there]) => m.fetched(it, there ? undefined : "too large")),
  "file.removed": file.map(m.removed),
  "message.edited": fc.tuple(id, few(4), words).map((it) => m.edited(...it)),
  "message.deleted": id.map(m.deleted),
  "message.withdrawn": id.map(m.withdrawn),
  "approval.decided": fc.oneof(
    fc.tuple(call, by, digest).map((it) => m.approve(...it)),
    fc.tuple(call, by, words, digest).map((it) => m.deny(...it)),
    fc.tuple(call, by, digest, digest).map((it) => m.edit(...it)),
    fc.tuple(call, words, id).map((it) => m.answer(...it)),
    fc.tuple(call, words).map((it) => m.told(...it)),
    fc.tuple(call, by, words, fc.constant("q1")).map((it) => m.deny(...it)),
  ),
  "turn.stopped": by.map(m.stopped),
  "grant.given": id.map((it) => m.given(it)),
  "grant.revoked": id.map(m.revoked),
  "home.paused": by.map((it) => ({ type: "home.paused", at: m.AT, by: it })),
  "home.resumed": by.map((it) => ({ type: "home.resumed", at: m.AT, by: it })),
  "person.told": id.map((person) => ({ type: "person.told", at: m.AT, person })),
  "digest.told": time.map((due) => ({ type: "digest.told", at: m.AT, due, title: "t", lines: [{ n: 1, edit: 0, text: "x" }] })),
  "digest.undone": fc.tuple(one, by).map(([n, who]) => ({ type: "digest.undone", at: m.AT, n, edit: 0, by: who })),
  "session.retired": id.map((session) => ({ type: "session.retired", at: m.AT, session })),
  noted: words.map(m.noted),
  "step.opened": fc.tuple(turn, one, few(9)).map((it) => m.step(...it)),
  "step.failed": fc.tuple(turn, one, time, fc.boolean()).map((it) => m.failed(...it)),
  "model.answered": fc
    .tuple(
      turn,
      one,
      fc.array(
        fc.oneof(
          tool,
          tool.map((it) => ({ tool: it, broken: "cut" })),
        ),
        { maxLength: 3 },
      ),
      fc.array(words.map(m.text), { maxLength: 2 }),
    )
    .map((it) => m.answered(...it)),
  "turn.ended": fc
    .tuple(turn, words, fc.constantFrom("answered" as const, "silent" as const, "failed" as const, "limit" as const), fc.subarray([1, 3]))
    .map((it) => m.ended(...it)),
  "turn.closed": turn.map(m.closed),
  "timer.set": fc.tuple(id, time).map((it) => m.timer(...it)),
  "timer.fired": id.map(m.fired),
  "call.gated": fc
    .tuple(
      call,
      fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
      fc.record({ quorum: one, helper: fc.boolean(), expires: fc.option(time) }),
    )
    .chain((it) => fc.constantFrom(m.gated(...it), m.asks(it[0]))),
  "approval.expired": call.map(m.expired),
  "call.started": fc.tuple(call, digest).map((it) => m.started(...it)),
  "call.waiting": call.map(m.waiting),
  "call.asked": fc.tuple(call, fc.option(time)).map(([it, due]) => m.inquiry(it, due ?? m.AT + 900)),
  "tokens.spent": call.map((it) => m.spent(it)),
  "tools.loaded": tool.map((it) => ({ type: "tools.loaded", at: m.AT, tools: [it] })),
  "tool.pinned": fc.tuple(tool, words).map(([it, pin]) => ({ type: "tool.pinned", at: m.AT, tool: it, pin })),
  "call.finished": fc
    .tuple(call, fc.oneof(words, fc.array(words.map(m.text), { maxLength: 2 })), fc.boolean())
    .map((it) => m.finished(...it)),
  "post.started": fc.tuple(slot, fc.boolean()).map((it) => m.posting(...it)),
  "post.shown": fc.tuple(slot, fc.constantFrom("x", "open", "folded"), fc.boolean()).map((it) => m.shown(...it)),
  "post.failed": fc.tuple(slot, fc.boolean(), fc.option(time)).map((it) => m.unposted(...it)),
  "post.hidden": slot.map(m.hidden),
  "context.compacted": fc.tuple(few(5), few(2), words).map((it) => m.compacted(...it)),
  "context.trimmed": few(6).map((upTo) => ({ type: "context.trimmed", at: m.AT, upTo })),
  "context.clipped": fc
    .tuple(few(6), fc.constantFrom(200, 500))
    .map(([upTo, share]) => ({ type: "context.clipped", at: m.AT, upTo, share })),
  "context.kept": time.map(m.kept),
  "todos.written": words.map((content) => ({ type: "todos.written", at: m.AT, todos: [{ content, status: "pending" }] })),
  "grant.used": id.map(m.used),
};
const anything = fc.oneof(...Object.values(KINDS));
/** A life that gets somewhere: the next action's own events, now and then, among anything. */
const events = fc.array(fc.oneof({ weight: 2, arbitrary: anything }, { weight: 1, arbitrary: fc.constant("go on" as const) }), {
  maxLength: 80,
  size: "max",
});

function goOn(state: State): Event | undefined {
  const [action] = next(state, m.AT + 200, new Set(), LIMITS);
  switch (action?.do) {
    case "step":
      return m.step(action.turn, action.step, action.upTo);
    case "gate":
      return m.gated(action.calls[0] ?? "");
    case "run":
    case "recover":
      return m.finished(action.call);
    case "spawn":
      return m.waiting(action.call);
    case "close":
      return m.closed(action.turn);
    case "show":
      return action.mode === "post" ? m.posting(action.slot) : m.shown(action.slot, "x", true);
    default:
      return undefined;
  }
}

const lived = (list: (Event | "go on")[], each: (state: State, event: Event, after: State) => void = () => {}): State =>
  list.reduce<State>((state, it) => {
    const event = it === "go on" ? goOn(state) : it;
    if (!event) return state;
    const after = reduce(state, event);
    each(state, event, after);
    return after;
  }, m.fold(m.opened()));

const told = (state: State) =>
  JSON.stringify([
    next(state, m.AT + 50, new Set(), LIMITS),
    slots(state),
    transcript(state),
    wakeAt(state, m.AT),
    rest(state, m.AT),
    pressure(state),
  ]);

describe("any events in any order", () => {
  it("never make the fold, the view, the transcript or the next steps throw", () => {
    assertQuickly(
      fc.property(events, (list) => {
        lived(list, (_, __, after) => void told(after));
        for (const { view } of slots(lived(list))) plain(view);
      }),
      { numRuns: 200 * RUNS },
    );
  });
  it("P4: leave the transcript valid at every moment", () => {
    assertQuickly(
      fc.property(events, (list) => void lived(list, (_, __, after) => expect(transcriptFaults(transcript(after), false)).toEqual([]))),
      { numRuns: 300 * RUNS },
    );
  });
  it("P2: change nothing where they do not apply", () => {
    assertQuickly(
      fc.property(events, (list) => void lived(list, (before, event, after) => expect(after === before).toBe(!applies(before, event)))),
      { numRuns: 200 * RUNS },
    );
  });
  it("P2: give the same state again, change no earlier one, and survive being written down and read back", () => {
    assertQuickly(
      fc.property(events, (list) => {
        const all: [State, string][] = [];
        const end = lived(list, (before) => all.push([before, JSON.stringify(before)]));
        for (const [state, text] of all) expect(JSON.stringify(state)).toBe(text);
        expect(lived(list)).toEqual(end);
        const read: State = JSON.parse(JSON.stringify(end));
        expect(told(read)).toBe(told(end));
      }),
      { numRuns: 200 * RUNS },
    );
  });
  it("P1: leave nothing resting while it has something to do, and sleeping no longer than it may", () => {
    assertQuickly(
      fc.property(events, (list) => {
        const state = lived(list);
        const at = wakeAt(state, m.AT);
        const subjects = (now: number) => next(state, now, new Set(), LIMITS).map(({ subject }) => subject);
        expect(subjects((at ?? m.AT + 1e12) - 1)).toEqual(subjects(m.AT));
        expect(rest(state, m.AT)).toEqual({ settled: subjects(m.AT).length === 0, wakeAt: at });
      }),
      { numRuns: 300 * RUNS },
    );
  });
  it("N1: offer each subject one thing at most, and nothing to a busy one", () => {
    assertQuickly(
      fc.property(events, (list) => {
        const state = lived(list);
        const all = next(state, m.AT + 50, new Set(), LIMITS);
        const subjects = all.map(({ subject }) => subject);
        expect(new Set(subjects).size).toBe(subjects.length);
        for (const busy of subjects)
          expect(next(state, m.AT + 50, new Set([busy]), LIMITS)).toEqual(all.filter(({ subject }) => subject !== busy));
      }),
      { numRuns: 200 * RUNS },
    );
  });
  it("P2: are delivered only where they apply, whoever receives them", () => {
    assertQuickly(
      fc.property(events, events, anything, (list, other, event) => {
        const family = new Map([
          ["s", lived(list)],
          ["s/1.1.0", lived(other)],
        ]);
        for (const [session, it] of deliver(family, "s", event as Received)) expect(applies(family.get(session) ?? INITIAL, it)).toBe(true);
      }),
      { numRuns: 150 * RUNS },
    );
  });
});
