/** The files of a home as the operator edits them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OperatorFiles } from "../../src/core/ports.ts";
import { operatorFiles } from "../../src/operator/files.ts";

const BY = { id: "console:operator", name: "Operator", kind: "member" } as const;
let dir: string;
let files: OperatorFiles;
let told: string[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "operator-files-"));
  mkdirSync(join(dir, "h", "skills", "a"), { recursive: true });
  mkdirSync(join(dir, "h", "memory", "people", "x"), { recursive: true });
  mkdirSync(join(dir, "h", ".git"), { recursive: true });
  for (const [path, text] of [
    ["AGENTS.md", "# Me\n"],
    ["policy.json", "{}"],
    ["skills/a/SKILL.md", "skill"],
    ["memory/people/x/MEMORY.md", "private"],
    [".git/config", "git"],
    ["journal.db", "db"],
  ] as const)
    writeFileSync(join(dir, "h", path), text);
  writeFileSync(join(dir, "outside.txt"), "outside");
  told = [];
  files = operatorFiles({
    directory: (home) => join(dir, home),
    changing:
      (_home, { path, before, after }, by) =>
      (happened) => {
        if (happened) told.push(`${before ? (after ? "changed" : "deleted") : "added"} ${path} ${by.id}`);
      },
  });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const disk = (path: string) => readFileSync(join(dir, "h", path));
const version = async (path: string) => {
  const found = await files.read("h", path);
  if ("error" in found) throw new Error(found.error);
  return found.version;
};

describe("what is a file of the home", () => {
  test("only what makes up the agent is listed: no memory of private scopes, no journal, no .git", async () => {
    const { files: listed } = await files.list("h");
    expect(listed.map(({ path }) => path)).toEqual(["AGENTS.md", "policy.json", "skills/a/SKILL.md"]);
  });

  test.each([
    "memory/people/x/MEMORY.md",
    ".git/config",
    "skills/.git/config",
    "skills/.GIT/hooks",
    "journal.db",
    "agents/main/context/journal.db",
    "../outside.txt",
    "files/../../outside.txt",
    "/etc/passwd",
    "..\\outside.txt",
    "files/\u0000",
    "~/x",
    "C:/x",
    "",
    "/",
  ])("%j is neither read nor checked nor written nor deleted", async (path) => {
    expect(await files.read("h", path)).toHaveProperty("error");
    expect(await files.check("h", path, "x")).toHaveProperty("error");
    expect(await files.write("h", path, "x", "", BY)).toMatchObject({ ok: false });
    expect(await files.remove("h", path, BY)).toMatchObject({ ok: false });
    expect([readFileSync(join(dir, "outside.txt"), "utf8"), told]).toEqual(["outside", []]);
  });

  test("P7 a link out of the home leads nowhere", async () => {
    symlinkSync(join(dir, "outside.txt"), join(dir, "h", "KNOWLEDGE.md"));
    symlinkSync(dir, join(dir, "h", "files"));
    for (const path of ["KNOWLEDGE.md", "files/outside.txt"]) {
      expect(await files.read("h", path)).toHaveProperty("error");
      expect(await files.write("h", path, "changed", "x", BY)).toMatchObject({ ok: false });
    }
    expect(readFileSync(join(dir, "outside.txt"), "utf8")).toBe("outside");
  });
});

describe("writing", () => {
  test("replaces the text that was edited, and whoever keeps the history is told who did it", async () => {
    expect(await files.write("h", "AGENTS.md", "# You\n", await version("AGENTS.md"), BY)).toEqual({ ok: true });
    expect([disk("AGENTS.md").toString(), told]).toEqual(["# You\n", ["changed AGENTS.md console:operator"]]);
  });

  test("a file that changed meanwhile is not written over", async () => {
    const before = await version("AGENTS.md");
    writeFileSync(join(dir, "h", "AGENTS.md"), "# Somebody else\n");
    expect(await files.write("h", "AGENTS.md", "# Mine\n", before, BY)).toMatchObject({
      ok: false,
      why: expect.stringContaining("has changed"),
    });
    expect(disk("AGENTS.md").toString()).toBe("# Somebody else\n");
  });

  test("a new file is made with its folders; one that is there already is not taken for new", async () => {
    expect(await files.write("h", "files/a/b.md", "hello", "", BY)).toEqual({ ok: true });
    expect(disk("files/a/b.md").toString()).toBe("hello");
    expect(await files.write("h", "AGENTS.md", "x", "", BY)).toMatchObject({ ok: false });
    expect(disk("AGENTS.md").toString()).toBe("# Me\n");
  });

  test("line breaks and the byte order mark stay as they were", async () => {
    writeFileSync(join(dir, "h", "AGENTS.md"), "\ufeffone\r\ntwo\r\n");
    const found = await files.read("h", "AGENTS.md");
    expect(found).toMatchObject({ text: "one\ntwo\n" });
    await files.write("h", "AGENTS.md", "one\nthree\n", await version("AGENTS.md"), BY);
    expect(disk("AGENTS.md").toString()).toBe("\ufeffone\r\nthree\r\n");
  });

  test.each([
    ["policy.json", '{ "people": { "aprove": [] } }', 'unknown key "aprove" in "people"'],
    ["policy.json", "{", "not valid JSON"],
    ["policy.json", '{ "timezone": "Mars/Olympus" }', "time zone"],
    ["tools.json", '{ "mcpServers": { "a": {} } }', "either a command or a url"],
  ])("P11 %s with %j is not written, and the mistake is explained", async (path, text, words) => {
    const before = path === "policy.json" ? await version(path) : "";
    expect(await files.check("h", path, text)).toMatchObject({ problem: expect.stringContaining(words) });
    expect(await files.write("h", path, text, before, BY)).toMatchObject({ ok: false, why: expect.stringContaining(words) });
    expect([disk("policy.json").toString(), told]).toEqual(["{}", []]);
  });

  test("what is no text, or too large, is not opened in the editor and cannot be made by it", async () => {
    mkdirSync(join(dir, "h", "files"));
    writeFileSync(join(dir, "h", "files", "a.bin"), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(join(dir, "h", "files", "big.txt"), "x".repeat(500_000));
    expect(await files.read("h", "files/a.bin")).toMatchObject({ text: undefined });
    expect(await files.read("h", "files/big.txt")).toMatchObject({ text: undefined, size: 500_000 });
    expect(await files.write("h", "files/new.txt", "x".repeat(500_000), "", BY)).toMatchObject({ ok: false });
  });
});

test("a check compares with what is there, as a unified diff; the same text differs in nothing", async () => {
  expect(await files.check("h", "AGENTS.md", "# Me\n")).toEqual({ problem: "", hint: "", diff: "" });
  const { diff } = (await files.check("h", "AGENTS.md", "# You\n")) as { diff: string };
  expect(diff).toMatch(/--- AGENTS\.md\n\+\+\+ AGENTS\.md\n@@ .* @@\n-# Me\n\+# You\n?$/);
});
