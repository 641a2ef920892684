/** What every backend of `Files` promises. `make` gives an empty tree that may be written to. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileError, Files } from "../../src/core/ports.ts";
import { isError } from "../../src/files/refusal.ts";

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (content: Uint8Array | FileError): string =>
  isError(content) ? `error ${content.error}` : new TextDecoder().decode(content);
export const kind = (value: object): string => (isError(value) ? value.error : "ok");

export async function put(files: Files, all: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(all)) expect(await files.write(path, bytes(content))).toEqual({ ok: true });
}

export function filesContract(name: string, make: () => Promise<Files>): void {
  describe(`files contract: ${name}`, () => {
    it("gives back what was written, byte for byte", async () => {
      const files = await make();
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (content) => {
          await files.write("/deep/in/x.bin", content);
          const back = await files.read("/deep/in/x.bin");
          expect(isError(back) ? back : Buffer.compare(back, content)).toBe(0);
        }),
        { numRuns: 20 },
      );
    });

    it("replaces a file as a whole", async () => {
      const files = await make();
      await put(files, { "/a.txt": "a long first version" });
      await put(files, { "/a.txt": "short" });
      expect(text(await files.read("/a.txt"))).toBe("short");
    });

    it("makes the folders a file needs, and lists one level at a time in order", async () => {
      const files = await make();
      await put(files, { "/b.txt": "bb", "/a/x.txt": "x", "/a/y/z.txt": "z" });
      expect(await files.list("/")).toEqual([
        { path: "/a", directory: true, size: 0 },
        { path: "/b.txt", directory: false, size: 2 },
      ]);
      expect(await files.list("/a")).toEqual([
        { path: "/a/x.txt", directory: false, size: 1 },
        { path: "/a/y", directory: true, size: 0 },
      ]);
    });

    it("is empty, not missing, before the first write", async () => {
      const files = await make();
      expect(await files.list("/")).toEqual([]);
      expect(await files.walk("/", 10)).toEqual({ files: [], truncated: false });
    });

    it.each<[string, (files: Files) => Promise<object>, string]>([
      ["reading a file that is not there", (files) => files.read("/none"), "file_not_found"],
      ["reading a folder", (files) => files.read("/dir"), "is_directory"],
      ["reading the root", (files) => files.read("/"), "is_directory"],
      ["reading through a file", (files) => files.read("/file/x"), "invalid_path"],
      ["listing a folder that is not there", (files) => files.list("/none"), "file_not_found"],
      ["listing a file", (files) => files.list("/file"), "invalid_path"],
      ["writing over a folder", (files) => files.write("/dir", bytes("x")), "is_directory"],
      ["writing to the root", (files) => files.write("/", bytes("x")), "is_directory"],
      ["writing below a file", (files) => files.write("/file/x", bytes("x")), "invalid_path"],
      ["updating a file that is not there", (files) => files.update("/none", (content) => content), "file_not_found"],
      ["updating a folder", (files) => files.update("/dir", (content) => content), "is_directory"],
      ["removing what is not there", (files) => files.remove("/none"), "file_not_found"],
      ["removing the root", (files) => files.remove("/"), "permission_denied"],
      ["walking what is not there", (files) => files.walk("/none", 10), "file_not_found"],
    ])("answers %s with an error value, and nothing is changed", async (_, act, error) => {
      const files = await make();
      await put(files, { "/file": "content", "/dir/inner": "inner" });
      expect(kind(await act(files))).toBe(error);
      expect(text(await files.read("/file"))).toBe("content");
      expect(text(await files.read("/dir/inner"))).toBe("inner");
    });

    it("keeps every one of many changes made at once", async () => {
      const files = await make();
      await put(files, { "/log": "" });
      const names = Array.from({ length: 30 }, (_, index) => `line ${index}`);
      await Promise.all(names.map((name) => files.update("/log", (content) => bytes(`${new TextDecoder().decode(content)}${name}\n`))));
      expect(
        text(await files.read("/log"))
          .trim()
          .split("\n")
          .sort(),
      ).toEqual([...names].sort());
    });

    it("leaves a file alone when the change says so", async () => {
      const files = await make();
      await put(files, { "/a": "same" });
      expect(await files.update("/a", () => null)).toEqual({ ok: true, changed: false });
      expect(text(await files.read("/a"))).toBe("same");
    });

    it("removes a folder with all that is in it and nothing else", async () => {
      const files = await make();
      await put(files, { "/a/x": "1", "/a/b/y": "2", "/ab": "3" });
      expect(await files.remove("/a")).toEqual({ ok: true });
      expect(kind(await files.list("/a"))).toBe("file_not_found");
      expect(text(await files.read("/ab"))).toBe("3");
    });

    it("walks everything below a path, a single file too", async () => {
      const files = await make();
      await put(files, { "/a/x": "1", "/a/b/.y": "22", "/ab": "3" });
      const paths = async (path: string) => {
        const found = await files.walk(path, 100);
        return isError(found) ? found : found.files.map((info) => info.path).sort();
      };
      expect(await paths("/")).toEqual(["/a/b/.y", "/a/x", "/ab"]);
      expect(await paths("/a")).toEqual(["/a/b/.y", "/a/x"]);
      expect(await paths("/a/x")).toEqual(["/a/x"]);
    });

    it("stops a walk at its limit and says so", async () => {
      const files = await make();
      await put(files, Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`/f${index}`, "x"])));
      const found = await files.walk("/", 5);
      expect(isError(found) ? found : [found.files.length, found.truncated]).toEqual([5, true]);
    });

    it("takes names that only look dangerous", async () => {
      const files = await make();
      for (const name of ["notes..md", "%2e%2e", "...", "a b", "ü", "名前", "-rf", "x".repeat(255)]) {
        await put(files, { [`/${name}`]: name });
        expect(text(await files.read(`/${name}`))).toBe(name);
      }
    });

    it("does not let a caller change what it holds through the bytes it gave", async () => {
      const files = await make();
      await put(files, { "/a": "abc" });
      const content = await files.read("/a");
      if (!isError(content)) content.fill(0);
      expect(text(await files.read("/a"))).toBe("abc");
    });
  });
}
