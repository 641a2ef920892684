import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Cause, Log } from "../../src/core/ports.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { type OpenHistory, openHistory } from "../../src/workspace/history.ts";
import { Intents } from "../../src/workspace/intents.ts";
import { prune } from "../../src/workspace/prune.ts";
import { recorded } from "../../src/workspace/recorded.ts";
import { keptAs, oidOf, Repository } from "../../src/workspace/repository.ts";
import { roomOf } from "../../src/workspace/room.ts";

const root = await mkdtemp(join(tmpdir(), "history-"));
afterAll(() => rm(root, { recursive: true, force: true }));
const ann = { id: "slack:U1", name: "Ann" };
let n = 0;
let dir = "";
let gitdir = "";
let history: OpenHistory;
let troubles: string[] = [];
const log: Log = { debug() {}, info() {}, warn: (_, msg) => void troubles.push(msg), error: (_, msg) => void troubles.push(msg) };
const open = () => openHistory({ dir, gitdir, log });

beforeEach(() => {
  dir = join(root, String(n), "home");
  gitdir = join(root, String(n++), "data", "home.git");
  troubles = [];
  history = open();
});
const put = async (path: string, text: string | Uint8Array) => {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
};
const text = (path: string) => readFile(join(dir, path), "utf8").catch(() => undefined);
const cause = (words: string, more: Partial<Cause> = {}): Cause => ({
  kind: "agent",
  text: words,
  by: ann,
  at: 1_700_000_000_000,
  ...more,
});
/** The tree as the agent's tools have it, each change by this cause. */
const tree = (why: Cause) => recorded(diskFiles(dir), { history, room: roomOf(dir), cause: () => why, at: "/" });
const kept = (content: string) => keptAs(oidOf(bytes(content)), false);
const bytes = (content: string) => new TextEncoder().encode(content);
const told = async () =>
  (await history.commits()).commits.map(({ kind, text: words, files }) => [
    kind,
    words,
    files.map(({ path, how }) => `${path} ${how}`).join(", "),
  ]);
const newest = async () => (await history.commits({ limit: 1 })).commits[0]?.id ?? "";

test("P8: a change by the agent is listed with who, when and why, and what was there before is the home as it was found", async () => {
  await put("AGENTS.md", "One.\n");
  await put("files/a.txt", "a\n");
  await put("memory/people/x/MEMORY.md", "private");
  await put("MEMORY.md", "kept elsewhere");
  const why = cause("edit_file for Ann", { session: "slack:T:C:1", call: "1.1.0", approved: ["Bob"], scope: "team" });
  await tree(why).update("/AGENTS.md", () => bytes("One.\nTwo.\n"));
  await history.look();
  expect(await told()).toEqual([
    ["agent", "edit_file for Ann", "AGENTS.md changed"],
    ["begun", "The home as it was found", "AGENTS.md added, files/a.txt added"],
  ]);
  const { commits } = await history.commits({ limit: 1 });
  expect(commits[0]).toMatchObject(why);
  expect((await history.diff(commits[0]?.id ?? ""))?.[0]?.diff).toContain("+Two.");
});

test("P8: what a person changed in an editor is found at the next look, apart from what the agent changes on top of it", async () => {
  await put("AGENTS.md", "1\n");
  await history.look();
  await put("AGENTS.md", "1\n2\n");
  await tree(cause("the agent")).write("/AGENTS.md", bytes("1\n2\n3\n"));
  await put("KNOWLEDGE.md", "k");
  await history.look();
  await history.look();
  expect(await told()).toEqual([
    ["outside", "Changed outside", "KNOWLEDGE.md added"],
    ["agent", "the agent", "AGENTS.md changed"],
    ["outside", "Changed outside", "AGENTS.md changed"],
    ["begun", "The home as it was found", "AGENTS.md added"],
  ]);
});

test("a person's change in the console is theirs, and what lies beside it is not", async () => {
  await history.look();
  await put("AGENTS.md", "by Ann");
  await put("KNOWLEDGE.md", "by nobody we know");
  await history.look(cause("Edited in the console", { kind: "person" }), ["AGENTS.md"]);
  expect((await told()).slice(0, 2)).toEqual([
    ["person", "Edited in the console", "AGENTS.md added"],
    ["outside", "Changed outside", "KNOWLEDGE.md added"],
  ]);
});

test("a refused change leaves no trace, and deleting a folder is one change", async () => {
  await put("skills/s/SKILL.md", "s");
  await put("skills/s/more.md", "m");
  await history.look();
  await tree(cause("no")).write("/skills", bytes("a folder is in the way"));
  await tree(cause("no")).update("/AGENTS.md", () => bytes("not there"));
  await tree(cause("gone")).remove("/skills/s");
  await history.look();
  expect((await told()).slice(0, -1)).toEqual([["agent", "gone", "skills/s/SKILL.md deleted, skills/s/more.md deleted"]]);
});

test("the git directory lies outside the home, and nothing of it is in the agent's sight", async () => {
  await put("AGENTS.md", "x");
  await put("files/.git/hooks/pre-commit", "#!/bin/sh\ntouch /tmp/never");
  await history.look();
  expect(await readdir(dir)).not.toContain(".git");
  expect(await told()).toEqual([["begun", "The home as it was found", "AGENTS.md added"]]);
  expect(await readdir(gitdir)).toContain("HEAD");
});

test("P7: a link out of the home brings nothing from there into the history", async () => {
  await writeFile(join(root, `secret-${n}`), "operator's own");
  await put("AGENTS.md", "x");
  await symlink(join(root, `secret-${n}`), join(dir, "KNOWLEDGE.md"));
  await symlink(root, join(dir, "files"));
  await history.look();
  expect(await told()).toEqual([["begun", "The home as it was found", "AGENTS.md added"]]);
});

test("P8: undo takes a change out of what the file is now, and can itself be undone", async () => {
  await put("AGENTS.md", "one\ntwo\nthree\nfour\nfive\n");
  await history.look();
  await tree(cause("change")).write("/AGENTS.md", bytes("ONE\ntwo\nthree\nfour\nfive\n"));
  await history.look();
  const id = await newest();
  await put("AGENTS.md", "ONE\ntwo\nthree\nfour\nfive\nsix\n");
  const done = await history.undo([id], ann);
  expect(done).toMatchObject({ ok: true, commit: { kind: "undo", by: ann, undoes: [id], text: "Took back: change" } });
  expect(await text("AGENTS.md")).toBe("one\ntwo\nthree\nfour\nfive\nsix\n");
  expect(await history.undo([id], ann)).toEqual({ ok: false, why: "This has been taken back already." });
  if (done.ok) expect(await history.undo([done.commit.id], ann)).toMatchObject({ ok: true });
  expect(await text("AGENTS.md")).toBe("ONE\ntwo\nthree\nfour\nfive\nsix\n");
});

test("P8: what was deleted comes back, what was new goes, and several changes are taken back as one", async () => {
  await put("AGENTS.md", "a");
  await put("skills/s/SKILL.md", "s");
  await history.look();
  await tree(cause("del")).remove("/skills/s");
  await tree(cause("new")).write("/KNOWLEDGE.md", bytes("k"));
  await tree(cause("edit")).write("/AGENTS.md", bytes("b"));
  await tree(cause("edit again")).write("/AGENTS.md", bytes("c"));
  await history.look();
  const { commits } = await history.commits({ limit: 4 });
  expect(
    await history.undo(
      commits.map(({ id }) => id),
      ann,
    ),
  ).toMatchObject({ ok: true });
  expect([await text("AGENTS.md"), await text("KNOWLEDGE.md"), await text("skills/s/SKILL.md")]).toEqual(["a", undefined, "s"]);
});

test.each<[string, (id: string) => Promise<unknown>, string]>([
  ["the same lines", () => put("AGENTS.md", "one\nmine\n"), "AGENTS.md has been changed in the same place since (around line 2)"],
  ["a deletion", () => rm(join(dir, "AGENTS.md")), "AGENTS.md has been deleted since."],
  ["something that is no text", () => put("AGENTS.md", new Uint8Array([0, 1])), "AGENTS.md has been changed since, and is no text"],
])("P8: a conflict with %s is explained, and nothing at all is changed", async (_, since, why) => {
  await put("AGENTS.md", "one\ntwo\n");
  await put("KNOWLEDGE.md", "k\n");
  await history.look();
  await put("AGENTS.md", "one\nTWO\n");
  await put("KNOWLEDGE.md", "K\n");
  await history.look(cause("both"));
  await since(await newest());
  const before = await text("AGENTS.md");
  await history.look();
  const { commits } = await history.commits();
  const both = commits.find(({ text: words }) => words === "both");
  expect(await history.undo([both?.id ?? ""], ann)).toEqual({ ok: false, why: expect.stringContaining(why) });
  expect([await text("AGENTS.md"), await text("KNOWLEDGE.md")]).toEqual([before, "K\n"]);
});

test("a file that cannot be written puts back those that were", async () => {
  await put("AGENTS.md", "a");
  await put("files/x", "x");
  await history.look();
  await put("AGENTS.md", "b");
  await rm(join(dir, "files/x"));
  await rm(join(dir, "files"), { recursive: true });
  await history.look(cause("both"));
  await writeFile(join(dir, "files"), "a file where the folder was");
  expect(await history.undo([await newest()], ann)).toMatchObject({ ok: false });
  expect(await text("AGENTS.md")).toBe("b");
});

test("P8: whatever kills the process between a change and its commit, it is kept under its own cause", async () => {
  await put("AGENTS.md", "a");
  await history.look();
  // A process that died: it announced two changes and made one of them.
  const dead = new Intents(gitdir, log);
  dead.begin(cause("made"), [{ path: "AGENTS.md", before: bytes("a"), after: bytes("b") }]);
  dead.begin(cause("never made"), [{ path: "KNOWLEDGE.md", before: undefined, after: bytes("k") }]);
  await put("AGENTS.md", "b");
  history = open();
  await history.look();
  expect((await told()).slice(0, -1)).toEqual([["agent", "made", "AGENTS.md changed"]]);
  expect(await readdir(join(gitdir, "intents"))).toEqual([]);
});

test("P8: an undo that was cut off in the middle is finished, but for what was changed meanwhile", async () => {
  await put("AGENTS.md", "a");
  await put("KNOWLEDGE.md", "k");
  await history.look();
  await put("AGENTS.md", "A");
  await put("KNOWLEDGE.md", "K");
  await history.look(cause("both"));
  const repository = new Repository(gitdir);
  const head = (await repository.head()) ?? "";
  const { parent = "" } = await repository.read(head);
  const commit = await repository.commit((await repository.read(parent)).tree, head, "Took back\n", { name: "Ann", email: "x" }, 1);
  const files = [
    { path: "AGENTS.md", before: kept("A"), after: kept("a") },
    { path: "KNOWLEDGE.md", before: kept("K"), after: kept("k") },
  ];
  await writeFile(join(gitdir, "undo.json"), JSON.stringify({ commit, parent: head, files }));
  await put("AGENTS.md", "a");
  history = open();
  await history.look();
  expect([await text("AGENTS.md"), await text("KNOWLEDGE.md")]).toEqual(["a", "k"]);
  expect(await newest()).toBe(commit);
});

test("P8: a script that can be run comes back as one, and making it one is a change that can be taken back", async () => {
  const mode = async () => ((await stat(join(dir, "skills/s/run.sh"))).mode & 0o777).toString(8);
  await put("skills/s/run.sh", "#!/bin/sh\n");
  await history.look();
  await chmod(join(dir, "skills/s/run.sh"), 0o755);
  await history.look(cause("made it a program"));
  const made = await newest();
  expect((await history.diff(made))?.[0]?.diff).toContain("It can be run now.");
  await tree(cause("edit")).write("/skills/s/run.sh", bytes("#!/bin/sh\necho 2\n"));
  await history.look();
  await tree(cause("gone")).remove("/skills/s");
  await history.look();
  expect((await told()).map(([, words]) => words)).toEqual(["gone", "edit", "made it a program", "The home as it was found"]);
  expect(await history.undo([await newest()], ann)).toMatchObject({ ok: true });
  expect([await text("skills/s/run.sh"), await mode()]).toEqual(["#!/bin/sh\necho 2\n", "755"]);
  expect(await history.undo([made], ann)).toMatchObject({ ok: true });
  expect([await text("skills/s/run.sh"), await mode()]).toEqual(["#!/bin/sh\necho 2\n", "644"]);
});

test("what is too large is told and not kept, and an undo of it says so", async () => {
  await put("files/big.bin", new Uint8Array(1024 * 1024 + 1));
  await history.look();
  await put("files/big.bin", "small");
  await history.look(cause("smaller"));
  const id = await newest();
  expect((await history.diff(id))?.[0]?.diff).toContain("too large to be shown");
  expect(await history.undo([id], ann)).toEqual({ ok: false, why: "files/big.bin is too large: its earlier content was not kept." });
});

test("the history does not grow for ever: what only old changes need is dropped, and the rest still reads", async () => {
  for (let i = 0; i < 12; i++) {
    await put("AGENTS.md", `version ${i}\n`);
    await history.look(cause(`change ${i}`));
  }
  await prune(new Repository(gitdir), { commits: 5, bytes: Number.MAX_SAFE_INTEGER });
  history = open();
  const { commits, more } = await history.commits();
  expect([commits.map(({ text: words }) => words), more]).toEqual([["change 11", "change 10", "change 9", "change 8", "change 7"], false]);
  expect(await history.undo([commits[4]?.id ?? ""], ann)).toMatchObject({
    ok: false,
    why: expect.stringContaining("nothing before this change"),
  });
  expect(await history.undo([commits[0]?.id ?? ""], ann)).toMatchObject({ ok: true });
  expect(await text("AGENTS.md")).toBe("version 10\n");
});

test("P11: a history that cannot be read is set aside, and the home goes on with a new one", async () => {
  await put("AGENTS.md", "a");
  await history.look();
  await writeFile(join(gitdir, "refs/heads/main"), `${"0".repeat(39)}1\n`);
  history = open();
  await history.look();
  expect(await told()).toEqual([["begun", "The home as it was found", "AGENTS.md added"]]);
  expect(troubles).toEqual(["the history of a home cannot be read: it is set aside, and a new one is begun"]);
});

test("pages: skip and limit, newest first, and whether there is more", async () => {
  for (let i = 0; i < 5; i++) {
    await put("AGENTS.md", `${i}`);
    await history.look(cause(`c${i}`));
  }
  const { commits, more } = await history.commits({ skip: 1, limit: 2 });
  expect([commits.map(({ text: words }) => words), more]).toEqual([["c3", "c2"], true]);
});

test("P8: whatever sequence of changes, undoing all of them from the newest brings back the beginning", async () => {
  const line = fc.constantFrom("a", "b", "c", "");
  const content = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"));
  const step = fc.record({ path: fc.constantFrom("AGENTS.md", "files/x", "skills/s/SKILL.md"), content: fc.option(content) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const at = join(root, String(n++));
      dir = join(at, "home");
      history = openHistory({ dir, gitdir: join(at, "x.git"), log });
      await put("AGENTS.md", "begin\n");
      await history.look();
      for (const [index, { path, content: now }] of steps.entries()) {
        const files = tree(cause(`step ${index}`));
        if (now === null) await files.remove(`/${path}`);
        else await files.write(`/${path}`, bytes(now));
      }
      await history.look();
      const { commits } = await history.commits({ limit: 50 });
      const own = commits.filter(({ kind }) => kind === "agent");
      if (own.length === 0) return;
      await history.undo(
        own.map(({ id }) => id),
        ann,
      );
      expect([await text("AGENTS.md"), await text("files/x"), await text("skills/s/SKILL.md")]).toEqual(["begin\n", undefined, undefined]);
    }),
    { numRuns: 15 },
  );
});
