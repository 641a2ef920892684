import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../src/store/journal.ts";
import { examine, repair } from "../../src/store/repair.ts";

const root = mkdtempSync(join(tmpdir(), "repair-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const NOW = new Date("2026-01-02T03:04:05.678Z");
const MANY = 400;
let n = 0;
let path = "";

/** A journal of some threads, closed as a product that ended leaves it. */
async function made(): Promise<string> {
  const file = join(root, `${n++}`, "journal.db");
  const journal = openJournal(file);
  for (let i = 0; i < MANY; i++) {
    const thread = `slack:T:C:${i % 7}`;
    const place = { platform: "slack", team: "T", channel: "C", thread: String(i % 7) };
    const event = {
      type: "message.received",
      at: 1_000 + i,
      id: `m${i}`,
      by: { id: "slack:U1", name: "Ann", kind: "member" },
      text: `words ${i} `.repeat(20),
      heard: true,
    } as const;
    await journal.receive(thread, `m:${i}`, event, { home: "h", scope: "team", place, code: `code${i % 7}` });
  }
  await journal.close();
  return file;
}
const whole = await made();
beforeEach(() => {
  path = join(root, `${n++}.db`);
  copyFileSync(whole, path);
});
const entries = async (file: string) => {
  const journal = openJournal(file);
  const rows = await journal.sessions();
  const all = await Promise.all(rows.map(({ session }) => journal.state(session)));
  const again = await journal.receive("slack:T:C:0", "m:0", {
    type: "message.received",
    at: 1,
    id: "m0",
    by: { id: "x", name: "x", kind: "member" },
    text: "again",
    heard: true,
  });
  await journal.close();
  return { ids: all.flatMap(({ talk }) => talk.queue.map(({ id }) => id)), again: again.fresh };
};

test("a whole journal has nothing wrong, and neither has one that is not there", () => {
  expect(examine(path)).toBeUndefined();
  expect(examine(join(root, "none.db"))).toBeUndefined();
});

test.each([0.4, 0.7, 0.95])(
  "P1 P2: a file cut off after %d of its length keeps what comes before, in order, and takes nothing anew",
  async (share) => {
    truncateSync(path, Math.floor((statSync(path).size * share) / 512) * 512);
    expect(examine(path)).toBeDefined();
    expect(() => openJournal(path)).toThrow("stays closed");
    const damaged = readFileSync(path);
    const done = repair(path, NOW);
    if ("error" in done) throw new Error(done.error);
    expect(done).toMatchObject({ copy: `${path}.damaged-2026-01-02T03-04-05-678Z`, because: expect.stringContaining("malformed") });
    expect(readFileSync(done.copy)).toEqual(damaged);
    expect(examine(path)).toBeUndefined();
    const { ids } = await entries(path);
    expect(ids.length).toBeGreaterThan(5);
    const numbers = ids.map((id) => Number(id.slice(1))).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(done.upTo).toBe(1_000 + numbers.length - 1);
  },
);

test("what can still be read behind the tear is told without its words, and not kept", () => {
  const db = new Database(path);
  db.prepare("UPDATE event SET body = substr(body, 1, 20) WHERE seq = 100").run();
  db.close();
  expect(examine(path)).toMatch(/^event 100: /);
  const done = repair(path, NOW);
  if ("error" in done) throw new Error(done.error);
  expect(done.kept).toBe(99);
  expect(done.dropped).toHaveLength(MANY + 7 - 100);
  expect(done.dropped[0]).toMatchObject({ session: expect.stringContaining("slack:T:C:"), type: "message.received" });
  expect(JSON.stringify(done.dropped)).not.toContain("words");
});

test("what a newer version wrote is dropped only on request, and the file is kept", () => {
  const db = new Database(path);
  db.prepare("UPDATE event SET version = 99 WHERE seq >= 50").run();
  db.close();
  expect(examine(path)).toContain("newer version");
  const done = repair(path, NOW);
  expect(done).toMatchObject({ kept: 49, because: expect.stringContaining("newer version") });
});

test("keys of what was received are kept, so that nothing delivered again is answered again (P2)", async () => {
  const db = new Database(path);
  db.prepare("UPDATE event SET body = 'x' WHERE seq = 300").run();
  db.close();
  repair(path, NOW);
  expect((await entries(path)).again).toBe(false);
});

test("a file of which nothing can be read stays as it is", () => {
  writeFileSync(path, "this is no database at all, and long enough to look like one".repeat(100));
  const before = readFileSync(path);
  expect(repair(path, NOW)).toEqual({ error: expect.stringContaining("restore it from a backup") });
  expect(readFileSync(path)).toEqual(before);
  expect(existsSync(`${path}.mending`)).toBe(false);
});

test("a log that was not moved into the file yet is mended with it", async () => {
  const file = join(root, `${n++}`, "journal.db");
  const journal = openJournal(file);
  await journal.receive(
    "slack:T:C:1",
    "m:1",
    { type: "message.received", at: 5, id: "m1", by: { id: "u", name: "Ann", kind: "member" }, text: "hello", heard: true },
    {
      home: "h",
      scope: "team",
      place: { platform: "slack", team: "T", channel: "C", thread: "1" },
      code: "c",
    },
  );
  for (const tail of ["", "-wal", "-shm"]) copyFileSync(file + tail, join(root, `crashed.db${tail}`));
  await journal.close();
  const crashed = join(root, "crashed.db");
  const db = new Database(crashed);
  db.prepare("UPDATE event SET body = 'x' WHERE seq = 2").run();
  db.close();
  expect(repair(crashed, NOW)).toMatchObject({ kept: 1 });
  expect(readdirSync(root).filter((name) => name.startsWith("crashed.db") && !name.includes("damaged"))).toEqual(["crashed.db"]);
});
