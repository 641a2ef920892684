import { describe, expect, it } from "vitest";
import { INITIAL } from "../../src/core/state.ts";
import * as m from "./make.ts";

const ending = m.fold(m.opened(), m.said("m1"), m.step(1, 1, 1), m.answered(1, 1), m.ended(1));
const A = "answer/1/0";
const post = (...events: Parameters<typeof m.fold>) => m.foldFrom(ending, ...events).posts[A];

describe("posts", () => {
  it("O1: what was handed over and not confirmed is in doubt, until it is found or refused", () => {
    expect(post(m.posting(A))).toMatchObject({ sending: true, looks: 0, ref: null });
    expect(post(m.posting(A), m.unposted(A, true))).toMatchObject({ sending: true, looks: 1 });
    expect(post(m.posting(A), m.unposted(A, true), m.unposted(A, true))).toMatchObject({ sending: true, looks: 2 });
    expect(post(m.posting(A), m.unposted(A, false, 99))).toMatchObject({ sending: false, looks: 0, until: 99 });
    expect(post(m.posting(A), m.shown(A, "d"))).toMatchObject({ sending: false, looks: 0, digest: "d", ref: { message: A } });
  });
  it("an edit that timed out leaves no doubt about the message, only about its words", () => {
    expect(post(m.posting(A), m.shown(A, "d"), m.unposted(A, true, 50))).toMatchObject({
      sending: false,
      looks: 0,
      digest: "d",
      until: 50,
    });
  });
  it("what the platform will never take is given up", () => {
    expect(post(m.posting(A), m.unposted(A, false, null))).toMatchObject({ gaveUp: true, sending: false });
  });
  it("P5: a mark stays, also when the marked post was refused", () => {
    expect(post(m.posting(A), m.posting(A, true), m.unposted(A, false))).toMatchObject({ mark: true });
  });
  it("no post is begun where one stands; nothing is told of a slot that was never posted", () => {
    const standing = m.foldFrom(ending, m.posting(A), m.shown(A));
    expect(m.foldAny(standing, m.posting(A))).toBe(standing);
    for (const event of [m.shown(A), m.unposted(A, true), m.hidden(A)]) expect(m.foldAny(ending, event)).toBe(ending);
    expect(m.foldAny(INITIAL, m.posting(A))).toBe(INITIAL);
  });
  it("O2: a hidden slot of the open turn gets another generation, so that its key is new", () => {
    const open = m.foldFrom(m.calling("read"), m.posting("progress/1"), m.shown("progress/1"), m.hidden("progress/1"));
    expect(open.posts["progress/1"]).toMatchObject({ generation: 1, ref: null, sending: false });
  });
  it("a hidden slot that is past, or of a message, is forgotten", () => {
    const past = m.foldFrom(ending, m.posting("progress/0"), m.shown("progress/0"), m.hidden("progress/0"));
    expect(past.posts).toEqual({});
    expect(m.foldFrom(ending, m.posting("queued/m9"), m.shown("queued/m9"), m.hidden("queued/m9")).posts).toEqual({});
  });
  it("O3: closing a turn forgets what is final, given up or never stood, and keeps what must still change", () => {
    const state = m.foldFrom(
      ending,
      ...[m.posting(A), m.shown(A, "d", true)],
      ...[m.posting("answer/1/1"), m.unposted("answer/1/1", false, null)],
      ...[m.posting("card/1.1.0"), m.unposted("card/1.1.0", false)],
      ...[m.posting("card/1.1.1"), m.shown("card/1.1.1")],
      m.posting("progress/1"),
      ...[m.posting("queued/m2"), m.shown("queued/m2", "d", true)],
      m.closed(1),
    );
    expect(Object.keys(state.posts).sort()).toEqual(["card/1.1.1", "progress/1", "queued/m2"]);
  });
  it("O3: what becomes final after its turn is closed is forgotten then", () => {
    const kept = m.foldFrom(ending, m.posting("progress/1"), m.shown("progress/1"), m.closed(1));
    expect(m.foldFrom(kept, m.shown("progress/1", "folded", true)).posts).toEqual({});
    expect(m.foldFrom(kept, m.said("m2"), m.step(2, 1, 9), m.shown("progress/1", "folded", true)).posts).toEqual({});
    expect(
      Object.keys(m.foldFrom(kept, m.said("m2"), m.step(2, 1, 9), m.posting("card/2.1.0"), m.shown("card/2.1.0", "d", true)).posts),
    ).toContain("card/2.1.0");
  });
});
