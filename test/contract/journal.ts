/** What any store behind the port `Journal` must keep. A rig opens it empty, and can do to it what the world does. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Received } from "../../src/core/event.ts";
import { childOf, HOME_SESSION } from "../../src/core/id.ts";
import type { Journal } from "../../src/core/ports.ts";
import { INITIAL } from "../../src/core/state.ts";
import { modelsHold } from "./journal-models.ts";
import { recording, surviving } from "./journal-record.ts";
import * as story from "./journal-story.ts";
import { A, B, NOON, opening, said } from "./journal-story.ts";

export interface JournalRig {
  journal: Journal;
  /** Closed in order and opened again. */
  reopen(): Promise<Journal>;
  /** As another process sees it, whose clock is so many ms ahead. */
  second(ahead?: number): Promise<Journal>;
  /** What a crash leaves behind if the last bytes that were written did not all reach the disk. */
  torn(): Promise<Journal>;
  /** Opened after a newer version has written to it. */
  newer(): Promise<Journal>;
  /** From now on nothing more can be stored, or again. */
  full(on: boolean): void;
  end(): Promise<void>;
}

const HELPER = childOf(A, "1.1.0");
const ids = (state: { talk: { queue: readonly { id: string }[] } }): string[] => state.talk.queue.map(({ id }) => id);

export function journalContract(name: string, open: () => Promise<JournalRig>): void {
  describe(`journal: ${name}`, () => {
    let rig: JournalRig;
    let journal: Journal;
    beforeEach(async () => {
      rig = await open();
      journal = rig.journal;
    });
    afterEach(() => rig.end());
    const current = () => ({ rig, journal });
    describe("receives", () => receiving(current));
    describe("records", () => recording(current));
    describe("survives", () => surviving(current));
    describe("tells", () => telling(current));
  });
}

export type Current = () => { rig: JournalRig; journal: Journal };

function receiving(current: Current): void {
  it("P2 what comes twice under one key is written once, by whatever process and after whatever restart", async () => {
    const { rig, journal } = current();
    const both = [journal.receive(A, "k", said("1"), opening(A)), journal.receive(A, "k", said("1"), opening(A))];
    expect(await Promise.all(both)).toEqual([
      { fresh: true, sessions: [A] },
      { fresh: false, sessions: [] },
    ]);
    const other = await rig.second();
    expect(await other.receive(A, "k", said("1"), opening(A))).toEqual({ fresh: false, sessions: [] });
    const again = await rig.reopen();
    expect((await again.receive(A, "k", said("1"), opening(A))).fresh).toBe(false);
    expect(ids(await again.state(A))).toEqual(["1"]);
    expect((await again.receive(B, "k", said("1"), opening(B))).fresh, "keys are a root's own").toBe(true);
  });

  it("the first thing received for a session opens it, also an edit that overtook its message", async () => {
    const { journal } = current();
    const edit: Received = { type: "message.edited", at: NOON, id: "1", rev: 2, text: "corrected" };
    expect((await journal.receive(A, "e", edit, opening(A))).fresh).toBe(true);
    await journal.receive(A, "m", said("1", "wrong"), opening(A));
    expect((await journal.events(A)).map(({ event }) => event.type)).toEqual(["session.opened", "message.edited", "message.received"]);
    expect((await journal.state(A)).talk.queue[0]?.text).toBe("corrected");
  });

  it("what has no session and opens none is not taken, and may be given again", async () => {
    const { journal } = current();
    expect(await journal.receive(A, "k", said("1"))).toEqual({ fresh: false, sessions: [] });
    expect(await journal.state(A)).toEqual(INITIAL);
    expect((await journal.receive(A, "k", said("1"), opening(A))).fresh).toBe(true);
  });

  it("what changes nothing writes nothing, but its key is remembered", async () => {
    const { journal } = current();
    const withdraw: Received = { type: "message.withdrawn", at: NOON, id: "2", by: story.ANN };
    await journal.receive(A, "1", said("1"), opening(A));
    expect((await journal.receive(A, "w", withdraw)).fresh).toBe(false);
    await journal.receive(A, "2", said("2"));
    expect((await journal.receive(A, "w", withdraw)).fresh).toBe(false);
    expect(ids(await journal.state(A))).toEqual(["1", "2"]);
    const nothing = await journal.receive(B, "w", withdraw, opening(B));
    expect([nothing.fresh, await journal.events(B)]).toEqual([false, []]);
  });

  it("P3 a grant comes with its click, and not with a click that came too late", async () => {
    const { journal } = current();
    await story.asking(journal, A);
    const click = story.decides("1.1.0", `c.${A}.0`);
    expect((await journal.receive(A, "c1", click, undefined, [[HOME_SESSION, story.grant("g1")]])).fresh).toBe(true);
    expect((await journal.receive(A, "c2", click, undefined, [[HOME_SESSION, story.grant("g2")]])).fresh).toBe(false);
    expect((await journal.grants(A)).map(({ session, grant }) => [session, grant.id])).toEqual([[HOME_SESSION, "g1"]]);
    await journal.receive(A, "g3", story.grant("g3"));
    expect((await journal.granted()).sort()).toEqual([A, HOME_SESSION].sort());
    expect((await journal.grants(HELPER)).map(({ grant }) => grant.id)).toEqual(["g3", "g1"]);
    const revoked: Received = { type: "grant.revoked", at: NOON, id: "g1", by: story.BOB };
    expect((await journal.receive(HOME_SESSION, "r", revoked)).fresh).toBe(true);
    expect((await journal.grants(B)).length).toBe(0);
  });

  it("a stop reaches every helper at once, and closes their cards", async () => {
    const { journal } = current();
    const lease = await story.asking(journal, A);
    await story.helping(journal, lease, HELPER);
    expect(await journal.family(A)).toEqual([A, HELPER]);
    expect((await journal.approvals()).length).toBe(2);
    expect((await journal.receive(A, "stop", story.stop)).sessions.sort()).toEqual([A, HELPER]);
    expect(await journal.approvals()).toEqual([]);
    expect((await journal.byCode(`c.${HELPER}`))?.session).toBe(HELPER);
  });

  it("in the order in which it was asked, within a group and between groups", async () => {
    const { journal } = current();
    const order: string[] = [];
    const many = Array.from({ length: 1200 }, (_, n) => `${n}`);
    await Promise.all(many.map((n) => journal.receive(A, n, said(n), opening(A)).then(() => order.push(n))));
    expect(order).toEqual(many);
    expect(ids(await journal.state(A))).toEqual(many);
    const seqs = (await journal.events(A)).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  });

  it("one that is refused takes none of its group with it", async () => {
    const { journal } = current();
    const lease = await story.asking(journal, A);
    const [first, refused, last] = await Promise.all([
      journal.receive(B, "1", said("1"), opening(B)),
      journal.record(lease, [[A, [story.finished("9.9.9")]]]),
      journal.record(lease, [[A, [story.todos("go on")]]]),
    ]);
    expect([first.fresh, refused, last]).toEqual([true, false, true]);
  });
}

function telling(current: Current): void {
  it("which roots others wrote to, once, and never of its own writes", async () => {
    const { rig, journal } = current();
    const lease = await story.asking(journal, A);
    await story.helping(journal, lease, HELPER);
    const other = await rig.second();
    expect(await journal.foreign()).toEqual([]);
    await other.receive(A, "yes", story.decides("1.1.0", `c.${A}.0`));
    await other.receive(B, "1", said("1"), opening(B));
    await other.receive(HOME_SESSION, "g", story.grant("g"));
    // Another process does nothing within one turn of this one's event loop.
    await new Promise(setImmediate);
    expect((await journal.state(A)).calls.byId["1.1.0"]?.status).toBe("allowed");
    expect((await journal.foreign()).sort()).toEqual([A, B]);
    expect(await journal.foreign()).toEqual([]);
    await other.receive(A, "stop", story.stop);
    expect(await journal.foreign(), "a stop in a helper is its root's matter").toEqual([A]);
  });

  it("the events of a session from a position on", async () => {
    const { journal } = current();
    await Promise.all([A, B].flatMap((session) => ["1", "2"].map((id) => journal.receive(session, id, said(id), opening(session)))));
    const all = await journal.events(A);
    expect(all.map(({ event }) => event.type)).toEqual(["session.opened", "message.received", "message.received"]);
    expect(await journal.events(A, all[1]?.seq)).toEqual(all.slice(2));
    expect(await journal.events("slack:T1:C1:none")).toEqual([]);
  });

  it("P3 by an old code what was shown under it, and by the new code what an edit made of it", async () => {
    const { journal } = current();
    await story.asking(journal, A, 1, 2);
    const old = `c.${A}.0`;
    await journal.receive(A, "edit", story.edits("1.1.0", old, "new"));
    expect(await journal.byCode(old)).toEqual({ code: old, session: A, call: "1.1.0", digest: `d.${old}` });
    expect(await journal.approvals()).toEqual([{ code: "new", session: A, call: "1.1.0", digest: "d.new" }]);
    await journal.receive(A, "second", story.decides("1.1.0", "new", story.BOB));
    expect(await journal.approvals()).toEqual([]);
    expect((await journal.byCode("new"))?.digest).toBe("d.new");
    expect(await journal.byCode(`s.${A}`)).toEqual({ code: `s.${A}`, session: A, call: "", digest: "" });
    expect(await journal.byCode("none")).toBeUndefined();
  });

  it("sessions by scope, the latest first, with their title and todos", async () => {
    const { journal } = current();
    await journal.receive(A, "1", said("1", "Please\n look at  the logs"), opening(A));
    await journal.receive(B, "1", { ...said("1", "word ".repeat(40)), at: NOON + 1 }, opening(B));
    const rows = await journal.sessions();
    expect(rows.map(({ session }) => session)).toEqual([B, A]);
    expect(rows[1]).toEqual({
      session: A,
      settled: false,
      wakeAt: null,
      scope: "team",
      place: opening(A).place,
      todos: [],
      at: NOON,
      title: "Please look at the logs",
    });
    expect(rows[0]?.title).toMatch(/^word .*word…$/);
    expect((await journal.sessions({ scopes: ["team"] })).map(({ session }) => session)).toEqual([A]);
    expect((await journal.sessions({ limit: 1 })).length).toBe(1);
    expect(await journal.session(A)).toEqual(rows[1]);
    expect(await journal.session(HOME_SESSION)).toBeUndefined();
    await journal.receive(A, "2", { ...said("2"), at: NOON + 5 });
    expect((await journal.sessions()).map(({ session, at }) => [session, at])[0]).toEqual([A, NOON + 5]);
  });

  it("P1 what has something to do, and when the next has", async () => {
    const { journal } = current();
    const lease = await story.asking(journal, A);
    await journal.receive(B, "1", said("1"), opening(B));
    await journal.record(lease, [[A, [story.posting("card/1.1.0"), story.shown("card/1.1.0", "x")]]]);
    expect((await journal.unsettled(NOON)).roots).toContain(B);
    const second = await story.held(journal, B);
    await journal.record(second, [
      [
        B,
        [
          story.step(1, 1, 1),
          { type: "step.failed", at: NOON, turn: 1, step: 1, reason: "busy", overflow: false, retryAt: story.NEVER - 1 },
        ],
      ],
    ]);
    const { roots, next } = await journal.unsettled(story.NEVER + 1);
    expect([roots.sort(), next]).toEqual([[A, B], null]);
    expect((await journal.unsettled(NOON)).next).toBe(story.NEVER - 1);
  });

  it("in every read model exactly what a fold of the log says, whatever happened", { timeout: 60_000 }, async () => {
    const { rig, journal } = current();
    await modelsHold(journal, await rig.second());
  });
}
