import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Event } from "../../src/core/event.ts";
import * as story from "../contract/journal-story.ts";
import { A, NOON, opening, said } from "../contract/journal-story.ts";
import { type Folder, folder } from "./rig.ts";

const IO = "/proc/self/io";
const written = (): number => Number(/wchar: (\d+)/.exec(readFileSync(IO, "utf8"))?.[1]);

let home: Folder;
beforeEach(() => {
  home = folder();
});
afterEach(() => home.end());

it("10,000 appends asked for at once are taken in a second or two, not one disk write each", async () => {
  const journal = home.open();
  const sessions = Array.from({ length: 200 }, (_, n) => `slack:T1:C1:${n}`);
  const began = performance.now();
  const appends = Array.from({ length: 10_000 }, (_, n) => {
    const session = sessions[n % 200] ?? A;
    return journal.receive(session, `${n}`, said(`${n}`), opening(session));
  });
  expect((await Promise.all(appends)).every(({ fresh }) => fresh)).toBe(true);
  expect(performance.now() - began).toBeLessThan(4000);
});

it.skipIf(!existsSync(IO))("a commit of a turn writes about 2 KB, and no more after hundreds of turns", async () => {
  const journal = home.open();
  const lease = await story.held(journal, A);
  await journal.receive(A, "first", said("first"), opening(A));
  const turn = async (n: number): Promise<number> => {
    const last = (await journal.state(A)).talk.received;
    const records: Event[][] = [
      [story.step(n, 1, last)],
      [story.answers(n, 1, 1)],
      [{ ...gate(`${n}.1.0`) }],
      [{ type: "call.started", at: NOON, call: `${n}.1.0`, digest: "d" }],
      [story.finished(`${n}.1.0`, "z".repeat(300))],
      [story.posting(`answer/${n}/0`)],
      [{ ...story.shown(`answer/${n}/0`, `a${n}`), final: true } as Event],
      [{ type: "turn.ended", at: NOON, turn: n, how: "answered", text: "done", cuts: [] }],
      [{ type: "turn.closed", at: NOON, turn: n }],
    ];
    for (const events of records) expect(await journal.record(lease, [[A, events]])).toBe(true);
    await journal.receive(A, `${n}`, said(`m${n}`));
    return records.length + 1;
  };
  const perCommit = async (from: number, to: number): Promise<number> => {
    const before = written();
    let commits = 0;
    for (let n = from; n <= to; n++) commits += await turn(n);
    return (written() - before) / commits;
  };
  const early = await perCommit(1, 50);
  await perCommit(51, 250);
  const late = await perCommit(251, 300);
  expect([early, late].map((bytes) => bytes < 3000)).toEqual([true, true]);
});

const gate = (call: string): Extract<Event, { type: "call.gated" }> => {
  const asked = story.asks(call);
  if (asked.type !== "call.gated") throw new Error("not a gate");
  return { ...asked, verdict: "allow", digest: "d" };
};
