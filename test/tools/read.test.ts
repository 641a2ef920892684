import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import type { Files } from "../../src/core/ports.ts";
import { estimateTokens } from "../../src/core/tokens.ts";
import { stateFiles } from "../../src/files/state.ts";
import { page } from "../../src/tools/page.ts";
import { put } from "../contract/files.ts";
import { run, tools } from "./context.ts";

let files: Files;
beforeEach(() => {
  files = stateFiles();
});
const read = (input: JsonObject) => run(tools(files).get("read_file"), input);
const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join("\n");

/** The lines a page shows, joined from their pieces. */
function shown(text: string): Map<number, string> {
  const lines = new Map<number, string>();
  for (const row of text.split("\n")) {
    const [, line, part] = /^ *(\d+)(?:\.\d+)?\t([^\n]*)$/.exec(row) ?? [];
    if (line !== undefined) lines.set(Number(line), (lines.get(Number(line)) ?? "") + part);
  }
  return lines;
}

/** Reads a text to its end by doing what the notices say. */
function readAll(text: string, limit = 100): { lines: string[]; pages: number } {
  const rows: [number, string][] = [];
  let [offset, part, pages] = [0, 0, 0];
  for (; pages < 1_000; pages++) {
    const result = page(text, offset, limit, part);
    if (!result.ok) throw new Error(result.error);
    rows.push(...shown(result.text));
    const [, next, piece] = /Read on with offset=(\d+)(?:, part=(\d+))?/.exec(result.text) ?? [];
    if (next === undefined) break;
    [offset, part] = [Number(next), Number(piece ?? 0)];
  }
  const lines: string[] = [];
  for (const [line, content] of rows) lines[line - 1] = (lines[line - 1] ?? "") + content;
  return { lines, pages: pages + 1 };
}

describe("read_file", () => {
  it.each(["a\nb", "a\nb\n", "a\r\nb\r\n"])("shows %j as two numbered lines", async (content) => {
    await put(files, { "/f": content });
    expect((await read({ file_path: "/f" })).text).toBe("     1\ta\n     2\tb");
  });

  it.each([
    ["", /empty/],
    [" \n\t\n", /white space/],
  ])("says that %j has nothing in it, and that is no error", async (content, words) => {
    await put(files, { "/f": content });
    const result = await read({ file_path: "/f" });
    expect(result.text).toMatch(words);
    expect(result.failed).toBe(false);
  });

  it("counts offsets from 0 and shows lines from 1, and says what is left", async () => {
    await put(files, { "/f": numbered(1, 500) });
    const first = await read({ path: "/f" });
    expect([...shown(first.text).keys()]).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(first.text).toContain("[Lines 1-100 of 500; 400 left. Read on with offset=100.]");
    expect((await read({ file_path: "/f", offset: 100, limit: 1 })).text).toMatch(/^ {3}101\tline 101\n/);
  });

  it("gives the rest where limit goes past the end, with nothing left", async () => {
    await put(files, { "/f": numbered(1, 5) });
    expect((await read({ file_path: "/f", limit: 100 })).text).not.toContain("[");
    const rest = await read({ file_path: "/f", offset: 3, limit: 100 });
    expect(shown(rest.text).size).toBe(2);
    expect(rest.text).not.toContain("Read on");
  });

  it.each<[JsonObject, boolean, RegExp]>([
    [{ offset: 5 }, true, /the file has 5 lines/],
    [{ offset: 500 }, true, /the file has 5 lines/],
    [{ offset: -3 }, false, /line 1[\s\S]*negative/],
    [{ offset: "2", limit: "1" }, false, /^ {5}3\tline 3/],
    [{ limit: 0 }, false, /No lines were read/],
    [{ limit: -1 }, false, /No lines were read/],
    [{ offset: 1.5 }, true, /offset: /],
    [{ offset: "many" }, true, /offset: /],
    [{ offset: null, limit: null }, false, /line 5/],
    [{ part: 3 }, true, /no part 3/],
  ])("answers %j in a defined way", async (input, failed, words) => {
    await put(files, { "/f": numbered(1, 5) });
    const result = await read({ file_path: "/f", ...input });
    expect(result.text).toMatch(words);
    expect(result.failed).toBe(failed);
  });

  it("splits an over-long line into pieces that joined are the line", async () => {
    const long = Array.from({ length: 12_000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join("");
    await put(files, { "/f": `${numbered(1, 6)}\n${long}\nend` });
    const result = await read({ file_path: "/f" });
    expect(result.text.match(/^ *7[^\t]*/gm)?.map((label) => label.trim())).toEqual(["7", "7.1", "7.2"]);
    expect(shown(result.text).get(7)).toBe(long);
  });

  it("a single line of 10 MB can be read to its end, without a loop", async () => {
    const long = "0123456789".repeat(1_000_000);
    await put(files, { "/f": long });
    const first = await read({ file_path: "/f" });
    expect(first.text.length).toBeLessThan(80_100);
    const all = readAll(long);
    expect(all.lines).toEqual([long]);
    expect(all.pages).toBeGreaterThan(100);
  });

  it("who follows the notices skips nothing and sees nothing twice", () => {
    expect(readAll(Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(6_000, "x")).join("\n")).lines).toHaveLength(50);
    const line = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.integer({ min: 4_990, max: 21_000 }).map((length) => "é🙂x".repeat(length / 4)),
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (lines, limit) => {
        const text = lines.map((each) => each.replace(/[\r\n\t]/g, " ")).join("\n");
        if (text.trim() === "") return;
        const expected = text.split("\n");
        if (expected.at(-1) === "") expected.pop();
        expect(readAll(text, limit).lines).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it("splits no character in two and costs no more in Chinese than in English", async () => {
    const emoji = `x${"🙂".repeat(4_000)}`;
    await put(files, { "/emoji": emoji, "/han": "漢字\n".repeat(60_000), "/latin": "ab\n".repeat(60_000) });
    expect((await read({ file_path: "/emoji" })).text.split("\n").every((row) => !/[\ud800-\udbff]$/.test(row))).toBe(true);
    const han = estimateTokens((await read({ file_path: "/han", limit: 60_000 })).text);
    const latin = estimateTokens((await read({ file_path: "/latin", limit: 60_000 })).text);
    expect(Math.abs(han - latin)).toBeLessThan(latin / 50);
  });

  it("hides a byte order mark", async () => {
    await put(files, { "/f": "\uFEFFhead" });
    expect((await read({ file_path: "/f" })).text).toBe("     1\thead");
  });

  it("breaks lines at \\n and \\r\\n only", async () => {
    await put(files, { "/f": "a\u2028b\u0085c\fd\ve\rf\ng" });
    expect(shown((await read({ file_path: "/f" })).text).size).toBe(2);
  });

  it.each([
    ["zeros", new Uint8Array([65, 0, 66])],
    ["broken UTF-8", new Uint8Array([0xc3, 0x28])],
    ["an archive", Buffer.from("PK\x03\x04 \u0000")],
  ])("refuses %s instead of mangling it", async (_, content) => {
    await files.write("/f", content);
    const result = await read({ file_path: "/f" });
    expect(result.failed).toBe(true);
    expect(result.text).toMatch(/not a text file/);
  });

  const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);
  it("shows a picture as a picture, by what is in it and not by its name", async () => {
    await files.write("/f.txt", PNG);
    const { content, failed } = await read({ file_path: "/f.txt" });
    expect(failed).toBe(false);
    expect(content).toEqual([
      { type: "text", text: "/f.txt: image/png, 10 bytes" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG.toString("base64") } },
    ]);
    await files.write("/g.png", Buffer.from("words"));
    expect((await read({ file_path: "/g.png" })).text).toContain("words");
  });
  it("does not send a picture that would make the whole request be refused", async () => {
    await files.write("/f", Buffer.concat([PNG, Buffer.alloc(4_000_000)]));
    expect(await read({ file_path: "/f" })).toMatchObject({
      failed: true,
      text: "/f: image/png, 3.8 MB: too large to be looked at; 3.5 MB are the most.",
    });
  });

  it("a folder, a missing file and a path that leads out are errors of the tool", async () => {
    await put(files, { "/d/f": "x" });
    expect(await read({ file_path: "/d" })).toMatchObject({ failed: true, text: "/d: this is a folder." });
    expect(await read({ file_path: "/none" })).toMatchObject({ failed: true, text: "/none: there is no such file or folder." });
    for (const path of ["/../etc/passwd", "..\\..\\x", "~/x", "C:\\x", "/a\0"])
      expect(await read({ file_path: path })).toMatchObject({ failed: true });
    expect(await read({})).toMatchObject({ failed: true });
  });
});

describe("ls", () => {
  it("lists one level, with sizes, and an empty folder in words", async () => {
    const list = (input: JsonObject) => run(tools(files).get("ls"), input);
    expect((await list({})).text).toBe("/ is empty.");
    await put(files, { "/b.md": "123", "/a/x": "1" });
    expect((await list({ path: "/" })).text).toBe("/a/\n/b.md (3 bytes)");
    expect(await list({ path: "/none" })).toMatchObject({ failed: true });
  });

  it("is cut where it would be too long, and says so", async () => {
    const many = stateFiles(Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`/file-${index}`, ""])));
    const { text } = await run(tools(many).get("ls"), {});
    expect(text.length).toBeLessThan(80_200);
    expect(text).toMatch(/more lines left out/);
  });
});
