import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { diskFiles } from "../../src/files/disk.ts";
import { mounts } from "../../src/files/mounts.ts";
import { isError } from "../../src/files/refusal.ts";
import { inRoom } from "../../src/workspace/recorded.ts";
import { roomOf } from "../../src/workspace/room.ts";

const root = mkdtempSync(join(tmpdir(), "room-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
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
