import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { sealedFolder } from "../src/sealed.ts";

const root = mkdtempSync(join(tmpdir(), "sealed-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const fileOf = (folder: string, name: string) => join(folder, `${name}.sealed`);
let n = 0;
const fresh = () => join(root, String(n++));

test("what is written is read back, by this key and under this name alone (P9)", async () => {
  const folder = fresh();
  const sealed = sealedFolder(folder, key, "things");
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      await sealed.write("T1", text);
      expect(await sealed.read("T1")).toEqual({ text });
    }),
    { numRuns: 20 },
  );
  await sealed.write("T1", "a secret");
  expect(readFileSync(fileOf(folder, "T1"), "latin1")).not.toContain("secret");
  expect(statSync(fileOf(folder, "T1")).mode & 0o777).toBe(0o600);
  expect(await sealedFolder(folder, other, "things").read("T1")).toBe("unreadable");
  expect(await sealedFolder(folder, key, "other things").read("T1")).toBe("unreadable");
  writeFileSync(fileOf(folder, "T2"), readFileSync(fileOf(folder, "T1")));
  expect(await sealed.read("T2")).toBe("unreadable");
});
test("what was changed or cut is said to be unreadable, and stays", async () => {
  const folder = fresh();
  const sealed = sealedFolder(folder, key, "things");
  await sealed.write("T1", "a secret");
  const bytes = readFileSync(fileOf(folder, "T1"));
  for (const at of bytes.keys()) {
    const other = Buffer.from(bytes);
    other[at] = (other[at] ?? 0) ^ 1;
    writeFileSync(fileOf(folder, "T1"), other);
    expect(await sealed.read("T1"), `byte ${at}`).toBe("unreadable");
  }
  for (const damaged of [
    bytes.subarray(0, 20),
    bytes.subarray(0, 5),
    Buffer.from([...bytes.subarray(0, -1), 0x7f ^ (bytes.at(-1) ?? 0)]),
  ]) {
    writeFileSync(fileOf(folder, "T1"), damaged);
    expect(await sealed.read("T1")).toBe("unreadable");
    expect(readFileSync(fileOf(folder, "T1"))).toEqual(damaged);
  }
});
test("names come back, what is removed is gone, and many writers leave one whole file", async () => {
  const folder = fresh();
  const sealed = sealedFolder(folder, key, "things");
  expect([await sealed.names(), await sealed.read("T1")]).toEqual([[], "absent"]);
  await Promise.all(Array.from({ length: 20 }, (_, i) => sealed.write("a/b", `text ${i}`)));
  expect(await sealed.read("a/b")).toEqual({ text: "text 19" });
  expect(await sealed.names()).toEqual(["a/b"]);
  await sealed.remove("a/b");
  await sealed.remove("a/b");
  expect(readdirSync(folder)).toEqual([]);
});
