import { afterEach, beforeEach, expect, it } from "vitest";
import type { MemoryLog, PlannedChange } from "../../src/core/ports.ts";
import { connect } from "../../src/store/file.ts";
import { A, opening, said } from "../contract/journal-story.ts";
import { type Folder, folder } from "./rig.ts";

let home: Folder;
beforeEach(() => {
  home = folder();
});
afterEach(() => home.end());

const change = (key: string, more: Partial<PlannedChange> = {}): PlannedChange => ({
  key,
  scope: "team",
  at: 1,
  cause: "remember",
  by: "slack:U1",
  edits: [{ fact: "f", before: null, after: `- ${key}`, why: "" }],
  ...more,
});

it("a change is planned once under its key, is unmade until it is said to be made, and survives", async () => {
  const first = home.open();
  const n = await first.memory.plan(change("a"));
  expect(await first.memory.plan(change("a", { at: 2 }))).toBeUndefined();
  await first.close();
  const { memory } = home.open();
  expect(await memory.unmade("team")).toMatchObject([{ n, at: 1 }]);
  expect(await memory.unmade("place:slack:C1")).toEqual([]);
  await memory.made(n ?? 0);
  expect(await memory.unmade("team")).toEqual([]);
  expect(await memory.changes(["team"], 5)).toMatchObject([{ n, by: "slack:U1", edits: [{ after: "- a" }] }]);
  expect(await memory.changes(["place:slack:C1"], 5)).toEqual([]);
});

it("what was read moves with the change that came of it, and never back", async () => {
  const journal = home.open();
  for (const id of ["1", "2", "3"]) await journal.receive(A, id, said(id, `words ${id}`), opening(A));
  const { memory } = journal;
  const scope = (await memory.scopes())[0] ?? "team";
  const { events, upTo } = await memory.news(scope);
  expect(events.map(({ event }) => event.type)).toEqual(["message.received", "message.received", "message.received"]);
  await memory.plan(change("a", { scope, readTo: events[1]?.seq ?? 0 }));
  await memory.plan(change("a", { scope, readTo: upTo }));
  expect((await memory.news(scope)).events).toHaveLength(1);
  await memory.readTo(scope, upTo);
  await memory.readTo(scope, 1);
  expect((await memory.news(scope)).events).toEqual([]);
});

it("tombstones are kept by scope and lifted by their mark; nights are remembered", async () => {
  const { memory }: { memory: MemoryLog } = home.open();
  await memory.plan(change("a", { bury: [{ mark: "m", by: "slack:U1", messages: ["s 1"] }] }));
  expect(await memory.tombstones("team")).toEqual([{ scope: "team", mark: "m", by: "slack:U1", messages: ["s 1"] }]);
  expect(await memory.tombstones("person:slack:U1")).toEqual([]);
  await memory.plan(change("b", { lift: ["m"] }));
  expect(await memory.tombstones("team")).toEqual([]);
  expect(await memory.lastNight()).toBeNull();
  await memory.nightWas(5);
  await memory.nightWas(3);
  expect(await memory.lastNight()).toBe(5);
});

it("a journal of the first form is given its memory when it is opened", async () => {
  const journal = home.open();
  await journal.receive(A, "1", said("1", "words"), opening(A));
  await journal.close();
  const db = connect(home.path);
  db.exec("DROP TABLE memory; DROP TABLE tombstone; DROP TABLE night; DROP TABLE used; DROP INDEX event_given;");
  db.exec(
    "ALTER TABLE usage RENAME TO newer; CREATE TABLE usage (day TEXT, person TEXT, input INTEGER, output INTEGER); DROP TABLE newer;",
  );
  db.pragma("user_version = 1001");
  db.close();
  const again = home.open();
  expect(await again.memory.plan(change("a"))).toBe(1);
  expect((await again.state(A)).talk.received).toBe(1);
});
