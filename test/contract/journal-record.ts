/** What any journal must keep when it records, and when it is closed, torn, outdated or full. */
import { expect, it } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { childOf, HOME_SESSION } from "../../src/core/id.ts";
import { UserError } from "../../src/core/ports.ts";
import type { Current } from "./journal.ts";
import * as story from "./journal-story.ts";
import { A, B, NOON, opening, said } from "./journal-story.ts";

const HELPER = childOf(A, "1.1.0");
const ids = (state: { talk: { queue: readonly { id: string }[] } }): string[] => state.talk.queue.map(({ id }) => id);

export function recording(current: Current): void {
  it("for one holder at a time, who may ask again and give it back", async () => {
    const { rig, journal } = current();
    const other = await rig.second();
    const lease = await story.held(journal, A);
    expect(await journal.lease(A)).toEqual(lease);
    expect(await other.lease(A)).toBeUndefined();
    expect(await other.lease(B)).toBeDefined();
    await journal.release(lease);
    expect(await other.lease(A)).toBeDefined();
    expect(await journal.record(lease, [[A, [{ type: "noted", at: NOON, text: "late" }]]])).toBe(false);
  });

  it("P3 nothing any more for a holder whose lease ran out and was taken over", async () => {
    const { rig, journal } = current();
    const old = await story.asking(journal, A);
    expect(await journal.record(old, [[A, [story.todos("mine")]]])).toBe(true);
    const heir = await rig.second(3_600_000);
    const lease = await story.held(heir, A);
    expect(await journal.record(old, [[A, [story.todos("too late")]]])).toBe(false);
    expect(await heir.record(lease, [[A, [story.todos("taken over")]]])).toBe(true);
    expect((await journal.state(A)).todos[0]?.content).toBe("taken over");
  });

  it("a lease is free once its holder has closed", async () => {
    const { rig, journal } = current();
    const other = await rig.second();
    await story.held(journal, A);
    await journal.close();
    expect(await other.lease(A)).toBeDefined();
  });

  it("P3 nothing that no longer applies to what another process received meanwhile", async () => {
    const { rig, journal } = current();
    const lease = await story.asking(journal, A);
    const other = await rig.second();
    await journal.receive(A, "yes", story.decides("1.1.0", `c.${A}.0`));
    await other.receive(A, "stop", story.stop);
    const started: Event = { type: "call.started", at: NOON, call: "1.1.0", digest: `d.c.${A}.0` };
    expect(await journal.record(lease, [[A, [started]]])).toBe(false);
    expect((await journal.state(A)).talk.phase).toBe("ended");
  });

  it("all of it or nothing, across sessions", async () => {
    const { rig, journal } = current();
    const lease = await story.asking(journal, A);
    await story.helping(journal, lease, HELPER);
    const before = [await journal.events(A), await journal.events(HELPER)];
    const halves = await journal.record(lease, [
      [A, [story.todos("half")]],
      [HELPER, [story.todos("other half"), story.finished("9.9.9")]],
    ]);
    expect(halves).toBe(false);
    expect(await journal.record(lease, [[B, [story.todos("not mine")]]]), "another root").toBe(false);
    expect([await journal.events(A), await journal.events(HELPER)]).toEqual(before);
    const again = await rig.reopen();
    expect([await again.events(A), await again.events(HELPER)]).toEqual(before);
  });

  it("an event that applies only after another of the same record", async () => {
    const { journal } = current();
    await story.asking(journal, A);
    const lease = await story.held(journal, B);
    await journal.receive(B, "1", said("1"), opening(B));
    expect(await journal.record(lease, [[B, [story.answers(1, 1), story.step(1, 1, 1)]]])).toBe(false);
    expect(await journal.record(lease, [[B, [story.step(1, 1, 1), story.answers(1, 1)]]])).toBe(true);
  });

  it("the use of the home's grant together with the start it allows, and neither once it is revoked", async () => {
    const { rig, journal } = current();
    const lease = await story.asking(journal, A);
    await journal.receive(A, "yes", story.decides("1.1.0", `c.${A}.0`), undefined, [[HOME_SESSION, story.grant("g")]]);
    const use: Event = { type: "grant.used", at: NOON, id: "g", call: "1.1.0" };
    const start: Event = { type: "call.started", at: NOON, call: "1.1.0", digest: `d.c.${A}.0` };
    expect(
      await journal.record(lease, [
        [HOME_SESSION, [use]],
        [A, [start]],
      ]),
    ).toBe(true);
    await (await rig.second()).receive(HOME_SESSION, "r", { type: "grant.revoked", at: NOON, id: "g", by: story.BOB });
    const before = await journal.events(A);
    expect(
      await journal.record(lease, [
        [A, [start]],
        [HOME_SESSION, [use]],
      ]),
    ).toBe(false);
    expect(await journal.events(A)).toEqual(before);
  });
}

export function surviving(current: Current): void {
  it("P1 a restart: every state is what it was", async () => {
    const { rig, journal } = current();
    const lease = await story.asking(journal, A, 2);
    await story.helping(journal, lease, HELPER);
    await journal.record(lease, [[A, [story.posting("progress/1"), story.shown("progress/1", "p1"), story.todos("a", "b")]]]);
    const sessions = [A, HELPER, B];
    const before = await Promise.all(sessions.map((session) => journal.state(session)));
    const rows = await journal.sessions();
    const again = await rig.reopen();
    expect(await Promise.all(sessions.map((session) => again.state(session)))).toEqual(before);
    expect(await again.sessions()).toEqual(rows);
  });

  it("being closed while something waits to be written", async () => {
    const { rig, journal } = current();
    const waiting = journal.receive(A, "1", said("1"), opening(A));
    const again = await rig.reopen();
    expect((await waiting).fresh).toBe(true);
    expect(ids(await again.state(A))).toEqual(["1"]);
    await expect(journal.receive(A, "2", said("2"))).rejects.toThrow("closed");
  });

  it("P1 a torn tail: what is whole is there, from the first on, and more can be added", async () => {
    const { rig, journal } = current();
    for (let n = 0; n < 40; n++) await journal.receive(A, `${n}`, said(`${n}`, "x".repeat(300)), opening(A));
    const left = await rig.torn();
    const found = ids(await left.state(A));
    expect(found.length).toBeGreaterThan(20);
    expect(found).toEqual(Array.from({ length: found.length }, (_, n) => `${n}`));
    expect((await left.receive(A, "39", said("39"), opening(A))).fresh, "its key went with it").toBe(found.length < 40);
    expect((await left.receive(A, "new", said("new"))).fresh).toBe(true);
  });

  it("a newer version: it is refused with what mends it", async () => {
    const { rig, journal } = current();
    await journal.receive(A, "1", said("1"), opening(A));
    const refusal = await rig.newer().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UserError);
    expect(String(refusal)).toMatch(/newer version.*npm run doctor -- --repair/);
  });

  it("P1 a full disk: it says so, keeps what it acknowledged, and goes on when there is room", async () => {
    const { rig, journal } = current();
    const lease = await story.asking(journal, A);
    await journal.receive(B, "0", said("0"), opening(B));
    rig.full(true);
    const large = Array.from({ length: 30 }, (_, n) => said(`${n + 1}`, "x".repeat(5000)));
    const outcomes = await Promise.allSettled(large.map((event, n) => journal.receive(B, `${n + 1}`, event)));
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    await expect(journal.record(lease, [[A, [story.todos("y".repeat(9000))]]])).rejects.toThrow(/disk is full/);
    expect((await journal.state(A)).todos).toEqual([]);
    expect(ids(await journal.state(B))).toEqual(["0"]);
    rig.full(false);
    expect((await journal.receive(B, "1", said("1"))).fresh).toBe(true);
    expect(await journal.record(lease, [[A, [story.todos("room again")]]])).toBe(true);
    const again = await rig.reopen();
    expect(ids(await again.state(B))).toEqual(["0", "1"]);
    expect((await again.state(A)).todos[0]?.content).toBe("room again");
  });
}
