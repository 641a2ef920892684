import { describe, expect, it } from "vitest";
import { applies } from "../../src/core/applies.ts";
import type { Event, EventType } from "../../src/core/event.ts";
import { INITIAL, reduce, type State } from "../../src/core/state.ts";
import * as m from "./make.ts";

const idle = m.fold(m.opened());
const queued = m.foldFrom(idle, m.said("m1"));
const thinking = m.foldFrom(queued, m.step(1, 1, 1));
const fresh = m.foldFrom(thinking, m.answered(1, 1, ["pay"]));
const asked = m.foldFrom(fresh, m.gated("1.1.0", "ask"));
const allowed = m.foldFrom(fresh, m.gated("1.1.0"));
const running = m.foldFrom(allowed, m.started("1.1.0"));
const waits = m.foldFrom(fresh, m.gated("1.1.0", "allow", { helper: true }), m.waiting("1.1.0"));
const done = m.foldFrom(running, m.finished("1.1.0"));
const ended = m.foldFrom(done, m.ended(1));
const rested = m.foldFrom(ended, m.closed(1));
const stopped = m.foldFrom(running, m.stopped());
const ALL = { idle, queued, thinking, fresh, asked, allowed, running, waits, done, ended, rested, stopped };
type Name = keyof typeof ALL;

/** Where each event applies; nowhere else among all states. */
const TABLE: [Event, Name[]][] = [
  [m.step(1, 1, 1), ["queued", "thinking"]],
  [m.step(1, 1, 0), ["thinking"]],
  [m.step(1, 2, 1), ["done"]],
  [m.step(2, 1, 9), []],
  [m.failed(1, 1), ["thinking"]],
  [m.answered(1, 1), ["thinking"]],
  [m.answered(1, 2), []],
  [m.ended(1), ["thinking", "done"]],
  [m.ended(2), []],
  [m.closed(1), ["ended", "stopped"]],
  [m.closed(2), []],
  [m.stopped(), ["queued", "thinking", "fresh", "asked", "allowed", "running", "waits", "done"]],
  [m.gated("1.1.0"), ["fresh"]],
  [m.approve("1.1.0"), ["asked"]],
  [m.deny("1.1.0"), ["asked"]],
  [m.edit("1.1.0"), ["asked"]],
  [m.expired("1.1.0"), ["asked"]],
  [m.started("1.1.0"), ["allowed", "running"]],
  [m.started("1.1.0", "d0"), []],
  [m.waiting("1.1.0"), ["allowed"]],
  [m.finished("1.1.0"), ["allowed", "running", "waits", "stopped"]],
  [m.finished("9.9.9"), []],
];

describe("the guard", () => {
  it.each(TABLE)("P2 P4: %j applies only where it changes something", (event, names) => {
    expect(Object.keys(ALL).filter((name) => applies(ALL[name as Name], event))).toEqual(names);
    for (const [name, state] of Object.entries(ALL)) if (!names.includes(name as Name)) expect(reduce(state, event)).toBe(state);
  });

  it("a step that would take nothing to answer does not apply", () => {
    const none: State[] = [
      m.foldFrom(queued, m.deleted("m1")),
      m.foldFrom(queued, m.withdrawn("m1")),
      m.foldFrom(idle, m.said("h", m.bob, true)),
      m.foldFrom(idle, m.noted("n")),
      m.foldFrom(idle, m.said("h", m.bob, true), m.said("m1")),
    ];
    for (const state of none) expect(applies(state, m.step(1, 1, 1))).toBe(false);
  });

  it("P3: with one decision open no step opens, whatever else is done", () => {
    const both = m.foldFrom(thinking, m.answered(1, 1, ["read", "pay"]), m.gated("1.1.0"), m.gated("1.1.1", "ask"), m.finished("1.1.0"));
    expect(applies(both, m.step(1, 2, 1))).toBe(false);
    expect(applies(both, m.ended(1))).toBe(false);
    expect(applies(m.foldFrom(both, m.deny("1.1.1")), m.step(1, 2, 1))).toBe(true);
  });

  it("nothing applies to a session that was never opened, but grants", () => {
    for (const [event] of TABLE) expect(reduce(INITIAL, event)).toBe(INITIAL);
    for (const event of [m.said("m1"), m.edited("m1", 1), m.deleted("m1"), m.noted("n"), m.kept(1)])
      expect(reduce(INITIAL, event)).toBe(INITIAL);
    expect(m.fold(m.given("g1")).grants).toHaveLength(1);
    expect(m.foldAny(idle, m.opened())).toBe(idle);
  });

  it("P3: a grant is used and revoked only while it stands, and given once", () => {
    const given = m.fold(m.given("g1"), m.given("g2"));
    expect(m.foldAny(given, m.given("g1"))).toBe(given);
    expect(applies(given, m.used("g1"))).toBe(true);
    const revoked = m.foldFrom(given, m.revoked("g1"));
    expect(revoked.grants.map(({ id }) => id)).toEqual(["g2"]);
    expect([applies(revoked, m.used("g1")), applies(revoked, m.revoked("g1"))]).toEqual([false, false]);
  });

  it("a home is paused once and resumed once, and a person told once", () => {
    const paused: Event = { type: "home.paused", at: m.AT, by: m.ann };
    const resumed: Event = { type: "home.resumed", at: m.AT, by: m.ann };
    const told: Event = { type: "person.told", at: m.AT, person: m.ann.id };
    const state = m.fold(paused, told);
    expect([state.paused, state.told]).toEqual([{ by: m.ann, at: m.AT }, [m.ann.id]]);
    for (const again of [paused, told]) expect(m.foldAny(state, again)).toBe(state);
    const after = m.foldFrom(state, resumed);
    expect([after.paused, m.foldAny(after, resumed)]).toEqual([null, after]);
  });

  it("what it says and what the fold does agree for every kind of event", () => {
    const kinds = new Set<EventType>();
    for (const state of Object.values(ALL))
      for (const [event] of TABLE) {
        kinds.add(event.type);
        expect(reduce(state, event) === state).toBe(!applies(state, event));
      }
    expect(kinds.size).toBeGreaterThan(10);
  });

  it("slices that an event does not concern stay the same objects", () => {
    const after = m.foldFrom(asked, m.said("m2"));
    for (const slice of ["calls", "posts", "context", "todos", "grants", "opened"] as const) expect(after[slice]).toBe(asked[slice]);
    expect(after.talk.entries).toBe(asked.talk.entries);
  });
});
