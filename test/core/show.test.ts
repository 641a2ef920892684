/** What is shown, and when: the row of the table of actions that has most to lose. */
import { describe, expect, it } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { rest } from "../../src/core/next.ts";
import { slots } from "../../src/core/slots.ts";
import * as m from "./make.ts";
import { does } from "./make.ts";

const { AT } = m;
const thinking = m.fold(m.opened(), m.said("m1"), m.step(1, 1, 1));
const mixed = m.foldFrom(thinking, m.answered(1, 1, ["read", "pay"]), m.gated("1.1.0"), m.gated("1.1.1", "ask", { expires: AT + 100 }));
const over = (...parts: number[]): Event[] => [m.answered(1, 1), m.ended(1, "one two three", "answered", parts)];
const until = (state: Parameters<typeof does>[0], now = AT) => does(state, now).filter((line) => /^(post|edit|hide|look) /.test(line));

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
    expect(until(m.foldFrom(cards, m.posting("card/1.1.0"), m.shown("card/1.1.0")))).toEqual([
      "post progress/1",
      "edit card/1.1.0",
      "post card/1.1.1",
    ]);
  });
  it("does nothing where what stands is what is wanted", () => {
    const cards = m.foldFrom(
      thinking,
      m.answered(1, 1, ["pay"]),
      m.gated("1.1.0", "ask"),
      m.posting("progress/1"),
      m.shown("progress/1", "open"),
    );
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
    expect(until(m.foldFrom(posted, m.unposted("queued/m2", false), m.withdrawn("m2"))).some((line) => line.endsWith("queued/m2"))).toBe(
      false,
    );
    // What was refused and left the view is waited for by nobody.
    const refused = m.foldFrom(posted, m.unposted("queued/m2", false, AT + 7));
    expect(rest(refused, AT).wakeAt).toBe(AT + 7);
    expect(rest(m.foldFrom(refused, m.withdrawn("m2")), AT).wakeAt).toBe(null);
    const resting = m.foldFrom(posted, m.shown("queued/m2"), m.unposted("queued/m2", false, AT + 7), m.withdrawn("m2"));
    expect([until(resting, AT + 6).includes("hide queued/m2"), until(resting, AT + 7).includes("hide queued/m2")]).toEqual([false, true]);
  });
  it("N2: runs beside work: a post that rests holds no tool", () => {
    const refused = m.foldFrom(mixed, m.posting("progress/1"), m.unposted("progress/1", false, AT + 1000));
    expect(does(refused)).toContain("run 1.1.0");
  });
});
