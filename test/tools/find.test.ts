import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import type { FileInfo, Files } from "../../src/core/ports.ts";
import { compositeFiles } from "../../src/files/composite.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { stateFiles } from "../../src/files/state.ts";
import { put } from "../contract/files.ts";
import { folder } from "../files/folder.ts";
import { context, run, tools } from "./context.ts";

const CONTENT = {
  "/a.ts": "call a.b(1)\nnothing\ncall a.b(2)\n",
  "/src/b.ts": "aXb(\r\na.b(\r\n",
  "/src/deep/c.md": "--force and -e\n$HOME [x] a|b\n",
  "/.hidden": "a.b(",
  "/node_modules/x.js": "a.b(",
  "/.gitignore": "node_modules",
};

const BACKENDS: [string, () => Promise<Files>][] = [
  ["disk", async () => diskFiles(await folder())],
  ["state", async () => stateFiles()],
  ["composite", async () => compositeFiles({ "/": stateFiles(), "/src": stateFiles() })],
];

describe.each(BACKENDS)("searching on %s", (_, make) => {
  let files: Files;
  beforeEach(async () => {
    files = await make();
    await put(files, CONTENT);
  });
  const grep = async (input: JsonObject) => (await run(tools(files).get("grep"), input)).text;
  const glob = async (input: JsonObject) => (await run(tools(files).get("glob"), input)).text;

  it("finds text literally, hidden and ignored files too", async () => {
    expect(await grep({ pattern: "a.b(" })).toBe("/.hidden\n/a.ts\n/node_modules/x.js\n/src/b.ts");
  });

  it.each(["--force", "-e", "$HOME [x]", "a|b"])("takes %j for a text and nothing else", async (pattern) => {
    expect(await grep({ pattern, output_mode: "content" })).toMatch(/^\/src\/deep\/c\.md:[12]: /);
  });

  it("shows content by line, and counts that add up", async () => {
    expect(await grep({ pattern: "a.b(", output_mode: "content", path: "/a.ts" })).toBe("/a.ts:1: call a.b(1)\n/a.ts:3: call a.b(2)");
    expect(await grep({ pattern: "a.b(", output_mode: "count" })).toBe(
      "5 matching lines in 4 files.\n/.hidden: 1\n/a.ts: 2\n/node_modules/x.js: 1\n/src/b.ts: 1",
    );
  });

  it("searches only below path and where glob matches", async () => {
    expect(await grep({ pattern: "a.b(", path: "/src" })).toBe("/src/b.ts");
    expect(await grep({ pattern: "a.b(", glob: "*.ts" })).toBe("/a.ts\n/src/b.ts");
    expect(await grep({ pattern: "a.b(", glob: "../*" })).toMatch(/not allowed/);
    expect(await grep({ pattern: "a.b(", path: "/src", glob: "", output_mode: "", max_count: "" })).toBe("/src/b.ts");
  });

  it.each<[JsonObject["max_count"], RegExp]>([
    [1, /^\/\.hidden:1: [^\n]*\n\[Incomplete: stopped at max_count=1\.]$/],
    ["2", /stopped at max_count=2/],
    [5, /^(?![\s\S]*Incomplete)/],
    [null, /^(?![\s\S]*Incomplete)/],
    [0, /max_count was 0/],
    [-1, /max_count/],
    ["x", /max_count/],
  ])("max_count %j has a defined answer", async (max_count, words) => {
    expect(await grep({ pattern: "a.b(", output_mode: "content", max_count })).toMatch(words);
  });

  it("says so where nothing is found, and that a pattern is no regular expression", async () => {
    expect(await grep({ pattern: "zzz" })).toBe("No matches.");
    expect(await grep({ pattern: "a.*b" })).toMatch(/taken literally/);
    expect(await grep({ pattern: "foo|bar" })).toMatch(/taken literally/);
    expect(await grep({ pattern: "" })).toMatch(/pattern/);
    expect(await grep({ pattern: "x", path: "/none" })).toMatch(/no such file/);
  });

  it("says which files it could not search", async () => {
    await files.write("/binary", new Uint8Array([97, 46, 98, 40, 0]));
    await files.write("/large", new Uint8Array(11 * 1024 * 1024).fill(97));
    expect(await grep({ pattern: "a.b(" })).toMatch(/\[2 files not searched: too large, not text, or not readable\.]$/);
  });

  it("globs by name at any depth, by path below a folder, and from the root", async () => {
    expect(await glob({ pattern: "*.ts" })).toBe("/a.ts\n/src/b.ts");
    expect(await glob({ pattern: "deep/*.md", path: "/src" })).toBe("/src/deep/c.md");
    expect(await glob({ pattern: "/src/**" })).toBe("/src/b.ts\n/src/deep/c.md");
    expect(await glob({ pattern: ".*" })).toBe("/.gitignore\n/.hidden");
    expect(await glob({ pattern: "*.{js,md}" })).toBe("/node_modules/x.js\n/src/deep/c.md");
    expect(await glob({ pattern: "none/*.ts" })).toBe("No files match.");
    expect(await glob({ pattern: "/../**" })).toMatch(/not allowed/);
  });
});

describe("bounds of a search", () => {
  const file = (index: number): FileInfo => ({ path: `/f${index}`, directory: false, size: 100 });
  const many: Files = Object.assign(stateFiles(), {
    read: async () => new TextEncoder().encode("x\n".repeat(50)),
    walk: async (_: string, limit: number) => ({ files: Array.from({ length: limit }, (_, index) => file(index)), truncated: true }),
  });

  it("a tree without end is searched in bounded time, with a bounded answer that says it is incomplete", async () => {
    const found = await run(tools(many).get("grep"), { pattern: "x", output_mode: "content" });
    expect(found.text.split("\n").filter((line) => line.startsWith("/"))).toHaveLength(1_000);
    expect(found.text).toMatch(/Incomplete: stopped at max_count=1000[\s\S]*more than 20000/);
    const names = await run(tools(many).get("glob"), { pattern: "*" });
    expect(names.text).toMatch(/first 1000 of 20000[\s\S]*more than 20000/);
  });

  it("two hundred thousand matches are no problem", async () => {
    const found = await run(tools(many).get("grep"), { pattern: "x", output_mode: "count", max_count: 200_000 });
    expect(found.text).toMatch(/^200,000 matching lines in 4,000 files/);
    expect(found.text.length).toBeLessThan(81_000);
  });

  it("shows the part of an over-long line in which the text is", async () => {
    const files = stateFiles({ "/f": `${"a".repeat(5_000)}needle${"b".repeat(5_000)}` });
    const found = await run(tools(files).get("grep"), { pattern: "needle", output_mode: "content" });
    expect(found.text).toMatch(/^\/f:1: …a+needleb+…$/);
    expect(found.text.length).toBeLessThan(600);
  });

  it("ends when the turn is stopped", async () => {
    const found = await run(tools(many).get("grep"), { pattern: "absent" }, context({ signal: AbortSignal.abort() }));
    expect(found.text).toMatch(/took too long/);
  });
});
