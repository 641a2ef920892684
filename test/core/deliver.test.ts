import { describe, expect, it } from "vitest";
import { deliver } from "../../src/core/deliver.ts";
import type { Event, Received } from "../../src/core/event.ts";
import type { State } from "../../src/core/state.ts";
import * as m from "./make.ts";

const ROOT = "s";
const PARENT = { session: ROOT, call: "1.1.0", agent: "a" };
const root = m.foldFrom(m.calling("task", "task"), m.gated("1.1.0", "allow", { helper: true }), m.waiting("1.1.0"));
const helper = (...events: Event[]) => m.fold(m.opened(PARENT), m.said("task"), m.step(1, 1, 1), ...events);
const asking = (at: number) => helper(m.answered(1, 1, ["ask"]), { ...m.asks("1.1.0"), at });
const to = (family: [string, State][], event: Event, session = ROOT) =>
  deliver(new Map(family), session, event as Received).map(
    ([id, it]) => `${id}: ${it.type}${it.type === "approval.decided" && it.verdict === "answer" ? ` ${it.text}` : ""}`,
  );

describe("what is received", () => {
  it("goes to its own session", () => {
    const family: [string, State][] = [
      [ROOT, root],
      ["s/1.1.0", helper()],
    ];
    for (const event of [m.said("m2"), m.edited("m2", 1), m.deleted("m2"), m.said("h", m.bob, true)])
      expect(to(family, event)).toEqual([`s: ${event.type}`]);
    expect(to(family, m.edited("m2", 1), "s/1.1.0")).toEqual(["s/1.1.0: message.edited"]);
  });
  it("P2: goes nowhere if it changes nothing, or nobody is there", () => {
    expect(to([[ROOT, root]], m.approve("1.1.0"))).toEqual([]);
    expect(to([[ROOT, root]], m.withdrawn("m9"))).toEqual([]);
    expect(to([[ROOT, root]], m.said("m1"), "elsewhere")).toEqual([]);
  });
});

it("nothing but the agent's name answers no question: it waits like other messages", () => {
  const nothing = { ...(m.said("m2") as Received & { type: "message.received" }), text: " " };
  expect(
    to(
      [
        [ROOT, root],
        ["s/1.1.0", asking(1)],
      ],
      nothing,
    ),
  ).toEqual(["s: message.received"]);
});

describe("a stop", () => {
  it("D1: reaches every session of the family that it applies to, at once, wherever it was pressed", () => {
    const done = helper(m.answered(1, 1), m.ended(1), m.closed(1));
    const family: [string, State][] = [
      [ROOT, root],
      ["s/1.1.0", helper()],
      ["s/1.1.1", done],
      ["s/1.1.0/1.1.0", m.fold(m.opened(PARENT), m.said("task"))],
    ];
    for (const session of [ROOT, "s/1.1.0"])
      expect(to(family, m.stopped(), session)).toEqual(["s: turn.stopped", "s/1.1.0: turn.stopped", "s/1.1.0/1.1.0: turn.stopped"]);
  });
  it("goes nowhere where nothing is under way", () => expect(to([[ROOT, m.fold(m.opened())]], m.stopped())).toEqual([]));
});

describe("a plain reply", () => {
  const family: [string, State][] = [
    [ROOT, root],
    ["s/1.1.0", asking(m.AT + 5)],
    ["s/1.1.1", asking(m.AT + 3)],
  ];
  it("D2: answers the oldest open question of the family, also a helper's, and names itself", () => {
    expect(to(family, m.said("r1"))).toEqual(["s/1.1.1: approval.decided words of r1"]);
    const [first] = deliver(new Map(family), ROOT, m.said("r1", m.bob) as Received);
    expect(first?.[1]).toMatchObject({ call: "1.1.0", digest: "d1", by: m.bob, message: "r1" });
  });
  it("is a message where no question is open: an approval is no question", () => {
    expect(to([[ROOT, m.foldFrom(m.calling("pay"), m.gated("1.1.0", "ask"))]], m.said("yes"))).toEqual(["s: message.received"]);
    expect(to([[ROOT, m.foldFrom(m.calling("ask"), m.asks("1.1.0"), m.answer("1.1.0", "x"))]], m.said("m2"))).toEqual([
      "s: message.received",
    ]);
  });
  it("what is only heard answers nothing", () => expect(to(family, m.said("h", m.bob, true))).toEqual(["s: message.received"]));
  it("answers as it was edited before it came, and not at all if it was deleted before", () => {
    const early = (event: Event): [string, State][] => [
      [ROOT, m.foldFrom(root, event)],
      ["s/1.1.0", asking(m.AT)],
    ];
    expect(to(early(m.edited("r1", 1, "better")), m.said("r1"))).toEqual(["s/1.1.0: approval.decided better"]);
    expect(to(early(m.deleted("r1")), m.said("r1"))).toEqual([]);
  });
  it("P6 D3: deleted, is taken back from the session whose question it answered", () => {
    const answered = m.foldFrom(asking(m.AT), m.answer("1.1.0", "blue", "r1"));
    for (const state of [answered, m.foldFrom(answered, m.step(1, 2, 1))]) {
      const all: [string, State][] = [
        [ROOT, root],
        ["s/1.1.0", state],
      ];
      expect(to(all, m.deleted("r1"))).toEqual(["s: message.deleted", "s/1.1.0: message.deleted"]);
      expect(to(all, m.deleted("r2"))).toEqual(["s: message.deleted"]);
    }
  });
});
