/** The board: what it says it kept is there after a restart, whatever became of the file's end. */
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBoard } from "../../../adapters/console/board.ts";
import type { Slot } from "../../../src/core/ports.ts";
import { say } from "../../../src/core/view.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "board-"));
  file = join(folder, "board.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const slot = (text: string): Slot => ({ key: "answer/1/0", kind: "answer", view: say(text), digest: text, final: true });
const post = (key: string, text = key, thread = "m1") => ({ thread, key, mark: false, slot: slot(text), at: 2 });
const message = (id: string, thread = id, text = "hello") => ({ id, thread, person: "console:ann", text, at: 1 });

test("messages and posts, their edits and what was hidden are there after a restart", async () => {
  const board = await openBoard(folder);
  await board.say(message("m1"));
  const kept = await board.post(post("k1"));
  const gone = await board.post(post("k2"));
  await board.edit(kept.id, slot("edited"));
  await board.hide(gone.id);
  await board.take("m1");

  const again = await openBoard(folder);
  expect(again.thread("m1")?.entries).toEqual(board.thread("m1")?.entries);
  expect(again.find("k1")).toMatchObject({ id: kept.id, slot: { view: say("edited") } });
  expect(again.find("k2")).toMatchObject({ hidden: true });
  expect(again.untaken()).toEqual([]);
});

test("P5 a post of the same key stands once, even when both come at the same moment", async () => {
  const board = await openBoard(folder);
  const [one, two] = await Promise.all([board.post(post("k1", "first")), board.post(post("k1", "second"))]);
  expect(two).toEqual(one);
  expect(board.thread("m1")?.entries).toHaveLength(1);
  expect((await (await openBoard(folder)).post(post("k1", "third"))).id).toBe(one.id);
});

test("P2 a message of the same id stands once, with the words it had first", async () => {
  const board = await openBoard(folder);
  await Promise.all([board.say(message("m1")), board.say(message("m1", "m1", "other"))]);
  expect(board.thread("m1")?.entries).toMatchObject([{ text: "hello" }]);
});

test("P1 a message that was not handed in is still known as such after a restart", async () => {
  await (await openBoard(folder)).say(message("m1"));
  expect((await openBoard(folder)).untaken()).toMatchObject([{ id: "m1" }]);
});

test.each([1, 5, 20])("a last line torn %i bytes before its end costs only itself, and nothing written after it", async (bytes) => {
  const board = await openBoard(folder);
  await board.say(message("m1"));
  await board.post(post("k1"));
  await truncate(file, (await stat(file)).size - bytes);

  const again = await openBoard(folder);
  expect(again.find("k1")).toBeUndefined();
  await again.post(post("k2"));
  const third = await openBoard(folder);
  expect(third.thread("m1")?.entries).toHaveLength(2);
  expect(third.unread).toBe(0);
});

test("what another line left behind without its end is cut off before the next one", async () => {
  const board = await openBoard(folder);
  await board.say(message("m1"));
  await appendFile(file, '{"kind":"post","id":"half');
  await board.post(post("k1"));
  const again = await openBoard(folder);
  expect(again.unread).toBe(0);
  expect(again.find("k1")).toBeDefined();
});

test.each([
  "not json",
  "{}",
  "null",
  '{"kind":"post","id":"p","thread":"m1","slot":{}}',
  '{"kind":"message","id":1,"thread":"m1","text":""}',
])("a line in the middle that cannot be read is left out and counted: %s", async (line) => {
  const board = await openBoard(folder);
  await board.say(message("m1"));
  await appendFile(file, `${line}\n`);
  await writeFile(file, `${await readFile(file, "utf8")}${JSON.stringify({ kind: "message", ...message("m2"), taken: true })}\n`);
  const again = await openBoard(folder);
  expect(again.unread).toBe(1);
  expect(again.threads().map(({ id }) => id)).toEqual(["m2", "m1"]);
});

test("threads are told by their latest activity, the newest first", async () => {
  const board = await openBoard(folder);
  for (const id of ["m1", "m2", "m3"]) await board.say(message(id));
  await board.post(post("k1", "late", "m1"));
  expect(board.threads().map(({ id }) => id)).toEqual(["m1", "m3", "m2"]);
});

test("over its limit the board forgets the thread that was quiet the longest, keys included", async () => {
  const board = await openBoard(folder, 2_000);
  await board.post(post("k1", "x".repeat(500), "m1"));
  await board.post(post("k2", "x".repeat(500), "m2"));
  expect(board.threads().map(({ id }) => id)).toEqual(["m2"]);
  expect(board.find("k1")).toBeUndefined();
  expect(await board.edit("p-unknown", slot("x"))).toBeUndefined();
});

test("edits do not make the file grow for ever, and what stands survives the file being written anew", async () => {
  const board = await openBoard(folder);
  const { id } = await board.post(post("k1"));
  for (let i = 0; i < 60; i++) await board.edit(id, slot(`${i} ${"x".repeat(30_000)}`));
  expect((await stat(file)).size).toBeLessThan(1_200_000);
  expect((await openBoard(folder)).find("k1")?.slot.digest).toContain("59 ");
});

test("a sign on a message stands once, and is there after a restart", async () => {
  const board = await openBoard(folder);
  await board.say(message("m1"));
  await board.take("m1");
  await board.sign("m1", "🎉");
  expect(await board.sign("m1", "🎉")).toMatchObject({ signs: ["🎉"], taken: true });
  expect(await board.sign("m9", "🎉")).toBeUndefined();
  expect((await openBoard(folder)).thread("m1")?.entries).toMatchObject([{ id: "m1", signs: ["🎉"], taken: true }]);
});

test("what is dropped is gone from the file, and comes back after no restart; younger words and untaken messages stay", async () => {
  const board = await openBoard(folder);
  for (const id of ["m1", "m2", "m3"]) await board.say(message(id, id, `words of ${id}`));
  for (const id of ["m1", "m3"]) await board.take(id);
  await board.post({ ...post("k1", "an old answer", "m1"), file: "f1" });
  await board.post({ ...post("k2", "a young answer", "m1"), at: 20 });
  expect(await board.drop(({ id }) => id !== "m3", 10)).toEqual(["f1"]);
  for (const each of [board, await openBoard(folder)]) {
    expect(each.thread("m1")?.entries).toMatchObject([{ key: "k2" }]);
    expect(each.find("k1")).toBeUndefined();
    expect(each.threads().map(({ id }) => id)).toEqual(expect.arrayContaining(["m1", "m2", "m3"]));
  }
  expect(await readFile(file, "utf8")).not.toMatch(/words of m1|an old answer/);
  expect(await board.drop(({ id }) => id === "m3", 10)).toEqual([]);
  expect((await openBoard(folder)).thread("m3")).toBeUndefined();
});
