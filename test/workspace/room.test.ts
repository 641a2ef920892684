import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Journal, SessionRow } from "../../src/core/ports.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { leftovers, mounts } from "../../src/files/mounts.ts";
import { isError } from "../../src/files/refusal.ts";
import { openHomes } from "../../src/workspace/homes.ts";
import { inRoom } from "../../src/workspace/recorded.ts";
import { roomOf } from "../../src/workspace/room.ts";
import { tidy } from "../../src/workspace/tidy.ts";

const root = mkdtempSync(join(tmpdir(), "room-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const log = { debug() {}, info() {}, warn() {}, error() {} };
const MB = 1024 * 1024;
let n = 0;
let dir = "";
beforeEach(() => {
  dir = join(root, `${n++}`, "h");
  mkdirSync(dir, { recursive: true });
});
const bytes = (count: number) => new Uint8Array(count);
const tree = (most = { scratch: MB, evicted: MB, files: 2 * MB }) =>
  inRoom(mounts({ homeDir: dir, session: "slack:T:C:1", scope: "team" }), roomOf(dir, { most }));

test("each part of a home has its own room, and what goes over is refused in a sentence; what is there stays", async () => {
  const files = tree();
  expect(await files.write("/a", bytes(MB * 0.6))).toEqual({ ok: true });
  expect(await files.write("/b", bytes(MB * 0.6))).toEqual({
    error: "failed",
    detail: "the scratch of this home's threads may take 1 MB in all, and 1 MB are taken; delete what is no longer needed",
  });
  expect(await files.write("/home/files/a", bytes(MB * 1.5))).toEqual({ ok: true });
  expect(await files.write("/home/files/b", bytes(MB))).toMatchObject({
    detail: expect.stringContaining("the files of this home may take 2 MB"),
  });
  expect(await files.read("/a")).toHaveLength(Math.floor(MB * 0.6));
});

test("what was deleted makes room at once, and small things of the home always have some", async () => {
  const files = tree();
  await files.write("/a", bytes(MB));
  expect(isError(await files.write("/b", bytes(1)))).toBe(true);
  expect(await files.write("/home/KNOWLEDGE.md", bytes(10))).toEqual({ ok: true });
  expect(await files.write("/memories/x.md", bytes(10))).toEqual({ ok: true });
  await files.remove("/a");
  expect(await files.write("/b", bytes(MB / 2))).toEqual({ ok: true });
});

test("an edit counts what it adds", async () => {
  const files = tree();
  await files.write("/a", bytes(MB / 2));
  expect(await files.update("/a", () => bytes(MB * 0.9))).toMatchObject({ ok: true });
  expect(await files.update("/a", () => bytes(MB * 2))).toMatchObject({ error: "failed" });
  expect(await files.read("/a")).toHaveLength(Math.floor(MB * 0.9));
});

test("large results of all threads share their room", async () => {
  const room = roomOf(dir, { most: { evicted: MB } });
  const kept = (folder: string) => inRoom(diskFiles(dir, { at: `agents/main/evicted/${folder}` }), room, "/evicted");
  expect(await kept("one").write("/x", bytes(MB * 0.7))).toEqual({ ok: true });
  expect(await kept("two").write("/x", bytes(MB * 0.7))).toMatchObject({
    detail: expect.stringContaining("the large results kept for this home's threads"),
  });
});

const DAY = 24 * 60 * 60_000;
const row = (session: string, days: number, settled = true): SessionRow => ({
  session,
  settled,
  wakeAt: null,
  scope: "team",
  place: { platform: "slack", team: "T", channel: "C", thread: "1" },
  todos: [],
  at: 100 * DAY - days * DAY,
  title: "",
});
async function tidied(policy: string): Promise<string[]> {
  writeFileSync(join(dir, "policy.json"), policy);
  const rows = [row("slack:T:C:old", 31), row("slack:T:C:busy", 31, false), row("slack:T:C:new", 1)];
  for (const { session } of rows)
    for (const folder of leftovers(session)) {
      mkdirSync(join(dir, folder), { recursive: true });
      writeFileSync(join(dir, folder, "x"), "x");
    }
  const homes = openHomes({
    workspacesDir: join(dir, ".."),
    templateDir: "none",
    dataDir: join(dir, "..", "..", "data"),
    stepLimit: 50,
    log,
  });
  await tidy({ homes, journal: async () => ({ sessions: async () => rows }) as unknown as Journal, log }, "h", 100 * DAY);
  return rows.filter(({ session }) => leftovers(session).some((folder) => existsSync(join(dir, folder)))).map(({ session }) => session);
}

test("what threads leave is cleared when they were idle for longer than policy keeps them, and only then", async () => {
  expect(await tidied('{"retention": {"sessionsDays": 30}}')).toEqual(["slack:T:C:busy", "slack:T:C:new"]);
});
test("without a number of days nothing is ever cleared, nor while policy.json cannot be used", async () => {
  expect(await tidied("{}")).toHaveLength(3);
  expect(await tidied("{")).toHaveLength(3);
});
