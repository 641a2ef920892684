import { readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import type { Files } from "../../src/core/ports.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { substitute } from "../../src/tools/substitute.ts";
import { put, text } from "../contract/files.ts";
import { folder } from "../files/folder.ts";
import { context, run, tools } from "./context.ts";

let root: string;
let files: Files;
beforeEach(async () => {
  root = await folder();
  files = diskFiles(root);
});
const edit = (input: JsonObject, starts = 0) => run(tools(files).get("edit_file"), { file_path: "/f", ...input }, context({ starts }));

describe("edit_file", () => {
  it.each<[string, string, JsonObject, string | RegExp]>([
    ["a text that is there once", "one two three", { old_string: "two", new_string: "2" }, "one 2 three"],
    ["a text that is not there", "one", { old_string: "two", new_string: "2" }, /not found/],
    ["a text that is there twice", "x y x", { old_string: "x", new_string: "z" }, /occurs 2 times/],
    ["all of them", "x y x", { old_string: "x", new_string: "z", replace_all: true }, "z y z"],
    ["all of them, the flag sent as text", "x y x", { old_string: "x", new_string: "z", replace_all: "true" }, "z y z"],
    ["occurrences that overlap", "aaa", { old_string: "aa", new_string: "b" }, "ba"],
    ["a text into itself", "x", { old_string: "x", new_string: "x" }, /the same/],
    ["a text into itself but for line breaks", "a\r\nb", { old_string: "a\nb", new_string: "a\r\nb" }, /the same/],
    ["nothing, in a file with content", "x", { old_string: "", new_string: "y" }, /only an empty file/],
    ["nothing, in an empty file", "", { old_string: "", new_string: "y\n" }, "y\n"],
    ["patterns of replacement literally", "a b", { old_string: "b", new_string: "$& $1 $$" }, "a $& $1 $$"],
    ["the end without a final break", "a\nb", { old_string: "b", new_string: "c" }, "a\nc"],
    ["the end with a final break", "a\nb\n", { old_string: "b", new_string: "c" }, "a\nc\n"],
    ["LF against a CRLF file, which stays CRLF", "a\r\nb\r\nc\r\n", { old_string: "a\nb", new_string: "x\ny\nz" }, "x\r\ny\r\nz\r\nc\r\n"],
    ["CRLF against an LF file, which stays LF", "a\nb\n", { old_string: "a\r\nb", new_string: "x\r\ny" }, "x\ny\n"],
    ["a file of mixed breaks by the exact text first", "a\nb\r\nc", { old_string: "a\nb", new_string: "x\ny" }, "x\ny\r\nc"],
    ["a file of mixed breaks by its other breaks", "a\nb\r\nc", { old_string: "b\nc", new_string: "y\nz" }, "a\ny\r\nz"],
    ["behind a byte order mark, which stays", "\uFEFFone", { old_string: "one", new_string: "two" }, "\uFEFFtwo"],
    [
      "a text with a break at its end that the file lacks",
      "a",
      { old_string: "a\n", new_string: "b\n" },
      /without the white space at its end/,
    ],
  ])("changes %s", async (_, before, input, expected) => {
    await writeFile(join(root, "f"), before);
    const result = await edit(input);
    const after = await readFile(join(root, "f"), "utf8");
    if (typeof expected === "string") expect([result.failed, after]).toEqual([false, expected]);
    else {
      expect(result.text).toMatch(expected);
      expect([result.failed, after]).toEqual([true, before]);
    }
  });

  it("leaves a file it does not change untouched, its time too", async () => {
    await writeFile(join(root, "f"), "one");
    await utimes(join(root, "f"), 1, 1);
    await edit({ old_string: "two", new_string: "2" });
    expect((await stat(join(root, "f"))).mtimeMs).toBe(1_000);
  });

  it("two edits of one file at once are both in it", async () => {
    await put(files, { "/f": Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join("\n") });
    await Promise.all([edit({ old_string: "line 1", new_string: "first" }), edit({ old_string: "line 9", new_string: "last" })]);
    expect(text(await files.read("/f"))).toMatch(/^first\n[\s\S]*\nlast$/);
  });

  it.each([
    ["a replacement", "alpha", "beta"],
    ["an insertion that holds the old text", "import x", "import x\nimport y"],
    ["a doubling", "Q", "QQ"],
    ["a deletion", "Q", ""],
  ])("P3 %s that was made before the crash is not made again", async (_, from, to) => {
    await put(files, { "/f": `head\n${from}\ntail` });
    await edit({ old_string: from, new_string: to });
    const after = text(await files.read("/f"));
    const again = await edit({ old_string: from, new_string: to }, 1);
    expect(again.failed).toBe(false);
    expect(text(await files.read("/f"))).toBe(after);
  });

  it("P3 one that was not made before the crash is made now", async () => {
    await put(files, { "/f": "import x\ntail" });
    await edit({ old_string: "import x", new_string: "import x\nimport y" }, 1);
    expect(text(await files.read("/f"))).toBe("import x\nimport y\ntail");
  });

  it("P3 any replacement that was made is seen to be made", () => {
    const part = fc.array(fc.constantFrom("a", "b", "\n", "\r\n"), { maxLength: 4 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(part, part, part, part, (before, after, from, to) => {
        const once = substitute(before + from + after, { from, to, all: false, again: false });
        if (to !== "" && once.kind === "changed")
          expect(substitute(once.text, { from, to, all: false, again: true })).toEqual({ kind: "already" });
      }),
      { numRuns: 1_000 },
    );
  });

  it("a first edit is not taken for done because its new text is there", async () => {
    await put(files, { "/f": "hello" });
    expect(await edit({ old_string: "bye", new_string: "hello" })).toMatchObject({
      failed: true,
      text: expect.stringContaining("already there"),
    });
  });

  it("refuses a binary file and a missing one", async () => {
    await files.write("/f", new Uint8Array([0, 1]));
    expect(await edit({ old_string: "a", new_string: "b" })).toMatchObject({ failed: true, text: "/f: this is not a text file." });
    expect(await edit({ file_path: "/none", old_string: "", new_string: "b" })).toMatchObject({ failed: true });
  });
});

describe("write_file and delete", () => {
  const call = (name: string, input: JsonObject, starts = 0) => run(tools(files).get(name), input, context({ starts }));

  it("writes into folders that were not there, and over what was", async () => {
    expect(await call("write_file", { path: "a/b/c.txt", content: "1" })).toMatchObject({
      failed: false,
      text: "Wrote 1 byte to /a/b/c.txt.",
    });
    await call("write_file", { file_path: "/a/b/c.txt", content: "" });
    expect(await readFile(join(root, "a/b/c.txt"), "utf8")).toBe("");
    expect(await call("write_file", { file_path: "/a/b", content: "1" })).toMatchObject({ failed: true });
  });

  it("deletes once, and again after a crash; else what is not there is an error", async () => {
    await put(files, { "/a/b": "1" });
    expect(await call("delete", { file_path: "/a" })).toMatchObject({ failed: false });
    expect(await call("delete", { file_path: "/a" }, 1)).toMatchObject({ failed: false });
    expect(await call("delete", { file_path: "/a" })).toMatchObject({ failed: true });
    expect(await call("delete", { file_path: "/" })).toMatchObject({ failed: true });
  });
});

describe("what a change needs", () => {
  const writer = () => tools(files).get("write_file");
  const of = (path: string, scope: "team" | "place:slack:C1" | "person:slack:U1" = "team") => {
    const parsed = writer()?.parse({ path, content: "x" });
    return parsed?.ok ? [writer()?.risk(parsed.input, scope), writer()?.subject(parsed.input)] : parsed?.error;
  };

  it.each([
    "/home/AGENTS.md",
    "home//./AGENTS.md",
    "/home/KNOWLEDGE.md",
    "/home/tools.json",
    "/home/skills/x/SKILL.md",
    "/home/skills",
    "/home/subagents/r.md",
  ])("P7 %s is an administrator's decision and can never be granted", (path) => {
    for (const scope of ["team", "place:slack:C1", "person:slack:U1"] as const) expect(of(path, scope)).toEqual(["admin", null]);
  });

  it("P7 MEMORY.md and policy.json are refused with what to do instead", () => {
    for (const name of ["write_file", "edit_file", "delete"]) {
      const input = { content: "x", old_string: "a", new_string: "b" };
      expect(
        tools(files)
          .get(name)
          ?.parse({ ...input, path: "/home/MEMORY.md" }),
      ).toMatchObject({ ok: false, error: expect.stringContaining("remember") });
      expect(
        tools(files)
          .get(name)
          ?.parse({ ...input, path: "/home/policy.json" }),
      ).toMatchObject({ ok: false, error: expect.stringContaining("people") });
    }
  });

  it("P6 what is written to the team's files leaves the place; scratch and notes do not", () => {
    const leaves = (path: string) =>
      ["write_file", "edit_file", "delete"].map((name) =>
        tools(files).get(name)?.leaves?.({ file_path: path, content: "x", old_string: "a", new_string: "b" }),
      );
    expect(leaves("/home/files/a/b.txt")).toEqual([true, true, true]);
    expect(leaves("/home/AGENTS.md")).toEqual([true, true, true]);
    expect(leaves("/x")).toEqual([false, false, false]);
    expect(leaves("/memories/x")).toEqual([false, false, false]);
    expect(of("/home/files/a/b.txt", "person:slack:U1")).toEqual(["none", "/home/files"]);
  });

  it("shows people the path that is meant", () => {
    expect(writer()?.parse({ path: "home/./files//x", content: "" })).toMatchObject({ ok: true, input: { file_path: "/home/files/x" } });
  });
});
