/** A disk that is really full: two megabytes in memory, where this account may mount them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBoard } from "../../adapters/console/board.ts";
import type { Received } from "../../src/core/event.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { openJournal } from "../../src/store/journal.ts";
import { openHistory } from "../../src/workspace/history.ts";
import { recorded } from "../../src/workspace/recorded.ts";
import { roomOf } from "../../src/workspace/room.ts";

const SPACE = "2m";
let disk: string;
let mounted = false;
beforeEach(() => {
  disk = mkdtempSync(join(tmpdir(), "full-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SPACE}`, "tmpfs", disk], { stdio: "ignore" });
    mounted = true;
  } catch {
    mounted = false;
  }
});
afterEach(() => {
  if (mounted) execFileSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const ballast = () => join(disk, "ballast");
/** Takes everything that is left. */
function fill(): void {
  for (let size = 1 << 20; size > 0; size >>= 1)
    try {
      for (;;) writeFileSync(ballast(), new Uint8Array(size), { flag: "a" });
    } catch {
      // Less at a time.
    }
}

test("P8 files: a write that has no room says so and leaves what was there, its history and no trace", async ({ skip }) => {
  if (!mounted) return skip("no disk can be mounted here");
  const dir = join(disk, "home");
  mkdirSync(join(dir, "files"), { recursive: true });
  const history = openHistory({ dir, gitdir: join(disk, "home.git"), log: silent });
  const cause = () => ({ kind: "agent", text: "write_file", at: 1, by: { id: "x:1", name: "X" } }) as const;
  const files = recorded(diskFiles(dir), { history, room: roomOf(dir), cause, at: "/" });
  const before = new TextEncoder().encode("what was there");
  expect(await files.write("/files/a", before)).toEqual({ ok: true });
  await history.look();
  fill();
  expect(await files.write("/files/a", new Uint8Array(100_000))).toEqual({ error: "failed", detail: "the disk is full" });
  expect(readFileSync(join(dir, "files/a"), "utf8")).toBe("what was there");
  expect(readdirSync(join(dir, "files"))).toEqual(["a"]);
  rmSync(ballast());
  expect(await files.write("/files/a", new Uint8Array(100_000))).toEqual({ ok: true });
  await history.look();
  expect((await history.commits()).commits.map(({ kind, files: changed }) => [kind, changed.map(({ path }) => path)])).toEqual([
    ["agent", ["files/a"]],
    ["agent", ["files/a"]],
    ["begun", []],
  ]);
});

test("P1 the journal: what it said it has is there, what had no room was refused, and it goes on when there is room", async ({ skip }) => {
  if (!mounted) return skip("no disk can be mounted here");
  const path = join(disk, "journal.db");
  const journal = openJournal(path);
  const place = { platform: "slack", team: "T", channel: "C", thread: "1.0" };
  const by = { id: "slack:U1", name: "Ann", kind: "member" } as const;
  const said = (i: number): Received => ({ type: "message.received", at: i, id: `m${i}`, by, text: "x".repeat(8_000), heard: true });
  const opening = { home: "h", scope: "team", place, code: "c" } as const;
  const taken: string[] = [];
  let refused = 0;
  const take = (i: number) =>
    journal.receive("slack:T:C:1.0", `m:m${i}`, said(i), opening).then(
      () => void taken.push(`m${i}`),
      () => void refused++,
    );
  await take(0);
  fill();
  for (let i = 1; i < 60; i++) await take(i);
  expect(refused).toBeGreaterThan(0);
  rmSync(ballast());
  await take(100);
  await journal.close();
  const again = openJournal(path);
  const kept = (await again.events("slack:T:C:1.0")).flatMap(({ event }) => (event.type === "message.received" ? [event.id] : []));
  await again.close();
  expect(kept).toEqual(taken);
  expect(taken.at(-1)).toBe("m100");
});

test("P1 the console's board: a message that could not be kept is refused, and those before it stay", async ({ skip }) => {
  if (!mounted) return skip("no disk can be mounted here");
  const folder = join(disk, "console");
  const board = await openBoard(folder);
  const say = (id: string) => board.say({ id, thread: "t", person: "console:ann", text: "x".repeat(20_000), at: 1 });
  await say("first");
  fill();
  const kept = ["first"];
  for (let i = 0; i < 5; i++)
    await say(`m${i}`).then(
      ({ id }) => kept.push(id),
      () => undefined,
    );
  expect(kept.length).toBeLessThan(6);
  rmSync(ballast());
  await say("last");
  const again = await openBoard(folder);
  expect(again.thread("t")?.entries.map(({ id }) => id)).toEqual([...kept, "last"]);
});
