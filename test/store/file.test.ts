import { createHash } from "node:crypto";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { VERSION } from "../../src/core/event.ts";
import { UserError } from "../../src/core/ports.ts";
import { connect } from "../../src/store/file.ts";
import { openJournal } from "../../src/store/journal.ts";
import { A, opening, said } from "../contract/journal-story.ts";
import { type Folder, folder } from "./rig.ts";

let home: Folder;
beforeEach(async () => {
  home = folder();
  const journal = home.open();
  for (let n = 0; n < 50; n++) await journal.receive(A, `${n}`, said(`${n}`, "x".repeat(200)), opening(A));
  await journal.close();
});
afterEach(() => home.end());

const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
const damage = (change: (bytes: Buffer) => Buffer): void => writeFileSync(home.path, change(readFileSync(home.path)));
const change = (sql: string): void => {
  const db = connect(home.path);
  db.exec(sql);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
};

/** The refusal in words; the file must be byte for byte what it was. */
async function refusal(read?: boolean): Promise<string> {
  const before = digest(home.path);
  try {
    const journal = openJournal(home.path);
    if (!read) expect.unreachable("it opened");
    await journal.state(A).finally(() => journal.close());
    return "it was read";
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return String(error);
  } finally {
    expect(digest(home.path)).toBe(before);
  }
}

it.each<[string, (bytes: Buffer) => Buffer]>([
  ["a header that is none", (bytes) => Buffer.concat([Buffer.from("not a database, no"), bytes.subarray(18)])],
  ["zeros in the middle", (bytes) => Buffer.concat([bytes.subarray(0, 3072), Buffer.alloc(4096), bytes.subarray(7168)])],
  ["its second half cut off", (bytes) => bytes.subarray(0, 512 * Math.floor(bytes.length / 1024))],
  ["text instead of a database", () => Buffer.from("hello\n".repeat(300))],
])("a journal with %s is refused with what mends it, and left as it is", async (_, change) => {
  damage(change);
  expect(await refusal()).toMatch(/journal\.db is damaged \(.+\).*npm run doctor -- --repair/);
});

it("a journal without one of its tables is damaged", async () => {
  change("DROP TABLE received");
  expect(await refusal()).toMatch(/damaged \(no such table: received\)/);
});

it("an event that cannot be read closes the home when it is met", async () => {
  change("UPDATE event SET body = '{' WHERE seq = 20");
  expect(await refusal(true)).toMatch(/event 20 cannot be read.*npm run doctor -- --repair/);
});

it("an event of a newer version is named, at the start if it is the last, else when it is met", async () => {
  change(`UPDATE event SET version = ${VERSION + 1} WHERE seq = 20`);
  expect(await refusal(true)).toMatch(/newer version \(event 20 has version/);
  change(`UPDATE event SET version = ${VERSION + 1} WHERE seq = (SELECT max(seq) FROM event)`);
  expect(await refusal()).toMatch(/newer version \(event version/);
});

it("another program's database is not taken for a journal", async () => {
  change("PRAGMA user_version = 0");
  expect(await refusal()).toMatch(/another program's database/);
});

it("a file that was made but never filled is begun", async () => {
  damage(() => Buffer.alloc(0));
  const journal = home.open();
  expect((await journal.receive(A, "1", said("1"), opening(A))).fresh).toBe(true);
});

it("P6 only its owner can read the file and its log", async () => {
  const journal = home.open();
  await journal.receive(A, "new", said("new"));
  expect([home.path, `${home.path}-wal`].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
});

it.skipIf(process.getuid?.() === 0)("a file it may not write is refused in words", () => {
  chmodSync(home.path, 0o400);
  expect(() => openJournal(home.path)).toThrow(/cannot be opened for writing/);
});
