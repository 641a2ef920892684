import { execFileSync } from "node:child_process";
import { appendFile, chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, expect, test } from "vitest";
import { openTexts, TEXT_LIMIT } from "../../src/workspace/text.ts";

const root = await realpath(await mkdtemp(join(tmpdir(), "text-")));
afterAll(() => rm(root, { recursive: true, force: true }));
let home = "";
let n = 0;
beforeEach(async () => {
  home = join(root, `home-${n++}`);
  await mkdir(home);
});
const put = (name: string, content: string | Uint8Array) => writeFile(join(home, name), content);
const OLD = new Date(2020, 1, 1);

test("a text is read as it is, without its byte order mark", async () => {
  await put("AGENTS.md", "\uFEFFYou are $& Zoë.\r\n");
  expect(await openTexts(home)("AGENTS.md")).toEqual({ text: "You are $& Zoë.\r\n", problem: undefined });
});

test("a file that is not there is no problem", async () => {
  expect(await openTexts(home)("AGENTS.md")).toEqual({ text: undefined, problem: undefined });
  expect(await openTexts(join(home, "nowhere"))("AGENTS.md")).toEqual({ text: undefined, problem: undefined });
});

test("a change is seen at the next reading, also one of equal length within the same instant", async () => {
  const read = openTexts(home);
  for (const text of ["aaa", "bbb", "ccc", "ddd"]) {
    await put("AGENTS.md", text);
    expect((await read("AGENTS.md")).text).toBe(text);
  }
  await rm(join(home, "AGENTS.md"));
  expect((await read("AGENTS.md")).text).toBeUndefined();
});

test("an older file put in place of a newer one is seen", async () => {
  const read = openTexts(home);
  await put("old", "one");
  await utimes(join(home, "old"), OLD, OLD);
  await put("AGENTS.md", "two");
  expect((await read("AGENTS.md")).text).toBe("two");
  await rename(join(home, "old"), join(home, "AGENTS.md"));
  expect((await read("AGENTS.md")).text).toBe("one");
});

test("a file that did not change is not read again", async () => {
  const read = openTexts(home);
  await put("AGENTS.md", "same");
  const twice = async () => [await read("AGENTS.md"), await read("AGENTS.md")];
  await expect.poll(async () => new Set(await twice()).size).toBe(1);
});

test("P11: a file that is too long is cut at a whole character, says so, and is reported", async () => {
  await put("KNOWLEDGE.md", "é".repeat(TEXT_LIMIT / 2 - 1) + "€".repeat(1000));
  const { text, problem } = await openTexts(home)("KNOWLEDGE.md");
  expect(text).toMatch(/^é+\n\n\[KNOWLEDGE\.md goes on: it is \d+ KB long, and only the first 200 KB are read\.\]\n$/);
  expect(problem?.what).toContain("KNOWLEDGE.md is");
});

test("a file of exactly the limit is whole", async () => {
  await put("KNOWLEDGE.md", "x".repeat(TEXT_LIMIT));
  expect(await openTexts(home)("KNOWLEDGE.md")).toEqual({ text: "x".repeat(TEXT_LIMIT), problem: undefined });
});

test.each<[string, () => Promise<unknown>, string]>([
  ["a folder", () => mkdir(join(home, "AGENTS.md")), "is a folder"],
  ["Latin-1", () => put("AGENTS.md", new Uint8Array([0x5a, 0x6f, 0xeb])), "UTF-8"],
  ["UTF-16", () => put("AGENTS.md", new Uint8Array([0xff, 0xfe, 0x41, 0x00])), "UTF-8"],
  ["binary", () => put("AGENTS.md", "a\0b"), "UTF-8"],
  ["a character cut in two", () => put("AGENTS.md", new Uint8Array([0x41, 0xe2, 0x82])), "UTF-8"],
  ["a named pipe", async () => execFileSync("mkfifo", [join(home, "AGENTS.md")]), "not a regular file"],
  ["a link in a circle", () => symlink("AGENTS.md", join(home, "AGENTS.md")), "cannot be read (ELOOP)"],
  ["a link out of the home", () => symlink("/etc/hostname", join(home, "AGENTS.md")), "is a link"],
  ["a link to a sibling with the same beginning", () => linkTo(`${home}-evil`), "is a link"],
  ["a link into memory", () => linkTo(join(home, "memory", "people")), "is a link"],
  ["a link into the agent's own folder", () => linkTo(join(home, "agents")), "is a link"],
])("P11: %s in place of a text counts as missing and is said in words", async (_, make, words) => {
  await make();
  const { text, problem } = await openTexts(home)("AGENTS.md");
  expect(text).toBeUndefined();
  expect(problem?.what).toContain("AGENTS.md");
  expect(problem?.what).toContain(words);
});

async function linkTo(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "secret.md"), "secret");
  await symlink(join(folder, "secret.md"), join(home, "AGENTS.md"));
}

test.runIf(process.getuid?.() !== 0)("P11: a file without the right to read it counts as missing", async () => {
  await put("AGENTS.md", "x");
  await chmod(join(home, "AGENTS.md"), 0);
  expect((await openTexts(home)("AGENTS.md")).problem?.what).toContain("cannot be read (EACCES)");
});

test("a parent folder that is a link out of the home is not followed", async () => {
  await mkdir(`${home}-other`);
  await writeFile(join(`${home}-other`, "x.md"), "secret");
  await symlink(`${home}-other`, join(home, "subagents"));
  expect((await openTexts(home)("subagents/x.md")).text).toBeUndefined();
  expect((await openTexts(home)("../home-0-other/x.md")).text).toBeUndefined();
});

test("a link that stays in the home is followed, and so is one to the home itself", async () => {
  await put("real.md", "inside");
  await symlink("real.md", join(home, "AGENTS.md"));
  await symlink(home, `${home}-link`);
  expect((await openTexts(`${home}-link`)("AGENTS.md")).text).toBe("inside");
});

test("a problem keeps its version while the file does not change, and has another afterwards", async () => {
  const read = openTexts(home);
  await put("AGENTS.md", "a\0b");
  const first = (await read("AGENTS.md")).problem?.version;
  expect((await read("AGENTS.md")).problem?.version).toBe(first);
  await appendFile(join(home, "AGENTS.md"), "c");
  expect((await read("AGENTS.md")).problem?.version).not.toBe(first);
});

test("P11: whatever bytes a file holds, reading gives a text or a sentence", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
      await put("AGENTS.md", bytes);
      const { text, problem } = await openTexts(home)("AGENTS.md");
      expect(text === undefined).toBe(problem !== undefined);
    }),
    { numRuns: 150 },
  );
});
