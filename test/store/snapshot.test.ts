import { afterEach, beforeEach, expect, it } from "vitest";
import { REDUCER, type State } from "../../src/core/state.ts";
import { connect } from "../../src/store/file.ts";
import { A, B, opening, said } from "../contract/journal-story.ts";
import { type Folder, folder } from "./rig.ts";

let home: Folder;
beforeEach(() => {
  home = folder();
});
afterEach(() => home.end());

/** A session long enough to have been snapshot, closed. */
async function long(messages: number): Promise<State> {
  const journal = home.open();
  for (let n = 0; n < messages; n += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, i) => journal.receive(A, `${n + i}`, said(`${n + i}`), opening(A))));
    // Snapshots are written after what they cover was acknowledged.
    await new Promise(setImmediate);
  }
  const state = await journal.state(A);
  await journal.close();
  return state;
}
function change<T>(sql: string): T[] {
  const db = connect(home.path);
  const statement = db.prepare<[], T>(sql);
  const rows = statement.reader ? statement.all() : [];
  if (!statement.reader) statement.run();
  db.close();
  return rows;
}

it("a long session opens from its snapshot and what came after, to the same state", async () => {
  const before = await long(1500);
  expect(change<{ events: number }>("SELECT events FROM snapshot").map(({ events }) => events > 1000 && events < 1500)).toEqual([true]);
  change('UPDATE event SET body = \'{"type":"nonsense"}\' WHERE seq < 500');
  expect(await home.open().state(A)).toEqual(before);
});

it.each([
  ["that cannot be unpacked", "UPDATE snapshot SET body = x'00010203'"],
  ["of another reducer", `UPDATE snapshot SET reducer = ${REDUCER + 1}, body = x'00'`],
  ["of another event version", "UPDATE snapshot SET version = version + 1, body = x'00'"],
  ["from beyond the end of the log", "UPDATE snapshot SET seq = 100000, body = x'00'"],
])("a snapshot %s is passed over", async (_, sql) => {
  const before = await long(1200);
  change(sql);
  const journal = home.open();
  expect(await journal.state(A)).toEqual(before);
  expect((await journal.receive(A, "on", said("on"))).fresh).toBe(true);
});

it("snapshots come ever more rarely, so that an event costs the same however long the session is", async () => {
  const journal = home.open();
  const db = connect(home.path);
  const covered = db.prepare<[], { events: number }>("SELECT events FROM snapshot");
  const seen = new Set<number>();
  for (let n = 0; n < 8000; n += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, i) => journal.receive(B, `${n + i}`, said(`${n + i}`), opening(B))));
    await new Promise(setImmediate);
    for (const { events } of covered.all()) seen.add(events);
  }
  db.close();
  const at = [...seen];
  expect(at.length).toBeGreaterThan(3);
  expect(at.slice(2).every((events, i) => events >= 1.5 * (at[i + 1] ?? 0))).toBe(true);
});

it("more sessions than are kept in memory are all as they were", async () => {
  const journal = home.open({ cache: 3 });
  const names = Array.from({ length: 12 }, (_, n) => `slack:T1:C1:${n}`);
  for (const round of ["1", "2", "3"]) await Promise.all(names.map((name) => journal.receive(name, round, said(round), opening(name))));
  for (const name of names) expect((await journal.state(name)).talk.queue.map(({ id }) => id)).toEqual(["1", "2", "3"]);
});
