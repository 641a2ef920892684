import { describe, expect, it } from "vitest";
import { settledEntries } from "../../src/core/applies.ts";
import { transcript } from "../../src/core/transcript.ts";
import { pressure } from "../../src/core/weight.ts";
import * as m from "./make.ts";

const turn = (n: number, upTo: number) => [
  m.said(`m${n}`),
  m.step(n, 1, upTo),
  m.answered(n, 1, [], [m.text(`answer ${n}`)]),
  m.ended(n),
  m.closed(n),
];
const two = m.fold(m.opened(), ...turn(1, 1), ...turn(2, 2));

describe("the cut", () => {
  it("X1: moves only by an event, forwards, and never past a call without its result", () => {
    const cut = m.foldFrom(two, m.compacted(2));
    expect([cut.context.cut, cut.context.summary]).toEqual([2, "a summary"]);
    for (const wrong of [1, 2, 5]) expect(m.foldAny(cut, m.compacted(wrong))).toBe(cut);
    const acting = m.foldFrom(two, m.said("m3"), m.step(3, 1, 3), m.answered(3, 1, ["read"]));
    expect([settledEntries(acting), acting.talk.entries.length]).toEqual([5, 6]);
    expect(m.foldAny(acting, m.compacted(6))).toBe(acting);
    expect(m.foldAny(acting, m.compacted(5)).context.cut).toBe(5);
  });
  it("a summary touches nothing else: open decisions, standing permissions, plan, posts and files stay as they are", () => {
    const asked = m.foldFrom(two, m.said("m3"), m.step(3, 1, 3), m.answered(3, 1, ["pay"]), m.gated("3.1.0", "ask"));
    const { context: before, ...rest } = asked;
    const { context, ...kept } = m.foldFrom(asked, m.compacted(4));
    expect([before.cut, context.cut, rest.calls.byId["3.1.0"]?.status]).toEqual([0, 4, "asked"]);
    for (const [slice, value] of Object.entries(kept)) expect(value, slice).toBe(rest[slice as keyof typeof rest]);
  });
  it("X2: a deletion behind the cut lifts it; one before it does not", () => {
    const cut = m.foldFrom(two, m.compacted(2));
    expect(m.foldFrom(cut, m.deleted("m1")).context).toMatchObject({ cut: 0, summary: null, redactions: 1 });
    expect(m.foldFrom(cut, m.deleted("m2")).context).toMatchObject({ cut: 2, summary: "a summary", redactions: 1 });
    expect(m.foldFrom(cut, m.deleted("m9")).context).toMatchObject({ cut: 2, redactions: 0 });
  });
  it("X2: a summary begun before a deletion is refused, whatever it covers", () => {
    const deleted = m.foldFrom(two, m.deleted("m2"));
    expect(m.foldAny(deleted, m.compacted(1, 0))).toBe(deleted);
    expect(m.foldFrom(deleted, m.compacted(1, 1)).context.cut).toBe(1);
  });
  it("X2: so is one begun before a reply was deleted that had answered a question, and its cut is lifted", () => {
    const answered = m.foldFrom(
      m.calling("ask"),
      m.asks("1.1.0"),
      m.answer("1.1.0", "blue", "r1"),
      m.step(1, 2, 1),
      m.answered(1, 2),
      m.ended(1),
    );
    expect(m.foldFrom(answered, m.compacted(2), m.deleted("r1")).context).toMatchObject({ cut: 0, summary: null, redactions: 1 });
  });
  it("a message deleted before the model saw it is in no summary, so nothing is lifted", () => {
    expect(m.foldFrom(two, m.said("m3"), m.compacted(2), m.deleted("m3")).context).toMatchObject({ cut: 2, redactions: 0 });
  });
});

describe("making room", () => {
  const over = m.foldFrom(two, m.said("m3"), m.step(3, 1, 3), m.failed(3, 1, m.AT, true));
  it("is forced by an overflow, until it was made or could not be", () => {
    expect(over.context.forced).toBe(true);
    expect(m.foldFrom(over, m.compacted(2)).context.forced).toBe(false);
    expect(m.foldFrom(over, m.kept(m.AT + 5)).context).toMatchObject({ forced: false, restUntil: m.AT + 5 });
    expect(m.foldFrom(over, m.step(3, 1, 3), m.answered(3, 1)).context.forced).toBe(false);
    expect(m.foldFrom(two, m.said("m3"), m.step(3, 1, 3), m.failed(3, 1)).context.forced).toBe(false);
  });
  it("takes what the last request really had, and adds only what came since", () => {
    expect(two.context.used).toEqual({ tokens: 1111, entries: 4 });
    expect(pressure(two)).toBe(1111);
    expect(pressure(m.foldFrom(two, m.said("m3", m.ann, false, "x".repeat(3500))))).toBeGreaterThan(2100);
    expect(pressure(m.foldFrom(two, m.compacted(2)))).toBeLessThan(3200);
  });
  it("counts what a call gave once, before and after it has moved into its answer", () => {
    const acting = m.foldFrom(two, m.said("m3"), m.step(3, 1, 3), m.answered(3, 1, ["read"]), m.gated("3.1.0"), m.started("3.1.0"));
    const done = m.foldFrom(acting, m.finished("3.1.0", "x".repeat(7000)));
    const moved = m.foldFrom(done, m.step(3, 2, 3));
    expect(pressure(done) - pressure(acting)).toBeGreaterThan(2000);
    expect(pressure(moved)).toBe(pressure(done));
    const further = m.foldFrom(moved, m.answered(3, 2, ["read"]), m.gated("3.2.0"));
    expect(pressure(further)).toBeLessThan(1200);
    expect(pressure(m.foldFrom(moved, m.compacted(4)))).toBeGreaterThan(5000);
  });
  it("the model goes on with the summary, then what follows the cut", () => {
    const messages = transcript(m.foldFrom(two, m.compacted(2, 0, "they said hello")));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(JSON.stringify(messages[0])).toMatch(/they said hello.*words of m2/s);
    expect(JSON.stringify(messages)).not.toContain("words of m1");
  });
});
