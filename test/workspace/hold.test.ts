import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openHistory } from "../../src/workspace/history.ts";
import { held } from "../../src/workspace/hold.ts";
import { rewriteHistory } from "../../src/workspace/rewrite.ts";

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hold-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const WRITER = fileURLToPath(new URL("../help/home-writer.ts", import.meta.url));
function start(what: string, name: string, count: number): ChildProcess {
  const child = spawn(process.execPath, ["--import", "tsx", WRITER, what, folder, name, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}
const ended = async (child: ChildProcess): Promise<unknown> => (child.exitCode ?? (await once(child, "exit"))[0]) as unknown;

test("P8 a history is made anew only while nobody else writes to it", async () => {
  const child = start("holds", "a", 0);
  if (child.stdout) await once(child.stdout, "data");
  const same = <T>(given: T): T => given;
  const clean = { text: same, content: (_: string, bytes: Uint8Array) => bytes, path: same, cause: same };
  const anew = () => rewriteHistory(join(folder, "h.git"), clean, { within: 50, every: 5 });
  writeFileSync(join(folder, "h.git.lock"), readFileSync(join(folder, "lock")));
  await expect(anew()).rejects.toThrow(/another process/);
  child.kill("SIGKILL");
  await ended(child);
  expect(await anew()).toBeUndefined();
});

test("two processes that hold the same file do so one after the other", async () => {
  writeFileSync(join(folder, "count"), "0");
  expect(await Promise.all([start("counts", "a", 60), start("counts", "b", 60)].map(ended))).toEqual([0, 0]);
  expect(readFileSync(join(folder, "count"), "utf8")).toBe("120");
});

test("what a process held when it was killed is taken over; what a living one holds is not", async () => {
  const child = start("holds", "a", 0);
  if (child.stdout) await once(child.stdout, "data");
  const lock = join(folder, "lock");
  const short = { within: 100, every: 5 };
  await expect(held(lock, async () => "mine", short)).rejects.toThrow(`another process (${child.pid})`);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await held(lock, async () => "mine", short)).toBe("mine");
});

test.each(["", "12", "garbage from somebody"])("a file that names nobody (%j) is waited for, but not for ever", async (text) => {
  const lock = join(folder, "lock");
  writeFileSync(lock, text);
  const short = { within: 50, every: 5 };
  await expect(held(lock, async () => "mine", short)).rejects.toThrow("another process");
  const past = Date.now() / 1_000 - 60;
  utimesSync(lock, past, past);
  expect(await held(lock, async () => "mine", short)).toBe("mine");
});

test.each([`${process.pid} - of an earlier life`, `${process.ppid} 1 of another process with its number`, "999999999 1 of nobody"])(
  "a file that says %j is taken over",
  async (text) => {
    const lock = join(folder, "lock");
    writeFileSync(lock, text);
    expect(await held(lock, async () => "mine", { within: 50, every: 5 })).toBe("mine");
  },
);

test("P8 two processes that change one home keep every change under its own cause", async () => {
  mkdirSync(join(folder, "home", "files"), { recursive: true });
  expect(await Promise.all([start("writes", "a", 20), start("writes", "b", 20)].map(ended))).toEqual([0, 0]);
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const { commits } = await openHistory({ dir: join(folder, "home"), gitdir: join(folder, "data", "home.git"), log }).commits({
    limit: 100,
  });
  const texts = commits.map(({ text }) => text);
  const own = ["a", "b"].flatMap((name) => Array.from({ length: 20 }, (_, i) => `${name} ${i}`));
  expect(texts.filter((text) => text !== "The home as it was found").sort()).toEqual(own.sort());
  for (const { text, files } of commits.slice(0, -1)) expect(files.map(({ path }) => path)).toEqual([`files/${text.replace(" ", "-")}`]);
});
