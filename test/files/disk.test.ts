import { execFileSync, spawn } from "node:child_process";
import { chmod, lstat, mkdir, readdir, readFile, rename, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Files } from "../../src/core/ports.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { isError } from "../../src/files/refusal.ts";
import { bytes, kind, put, text } from "../contract/files.ts";
import { folder } from "./folder.ts";

let top: string;
let root: string;
let outside: string;

beforeEach(async () => {
  top = await folder();
  root = join(top, "ws");
  outside = join(top, "outside");
  await mkdir(root);
  await mkdir(outside);
  await writeFile(join(outside, "secret"), "SECRET");
});

const everyWay: [string, (files: Files, path: string) => Promise<object>][] = [
  ["read", (files, path) => files.read(path)],
  ["write", (files, path) => files.write(path, bytes("x"))],
  ["update", (files, path) => files.update(path, () => bytes("x"))],
];

describe.each([true, false])("containment, /proc used: %s", (proc) => {
  const files = () => diskFiles(root, { proc });
  const untouched = async () => {
    expect(await readFile(join(outside, "secret"), "utf8")).toBe("SECRET");
    expect(await readdir(outside)).toEqual(["secret"]);
  };

  it.each(everyWay)("P7 does not %s through a link to a file outside", async (_, act) => {
    await symlink(join(outside, "secret"), join(root, "alias"));
    expect(kind(await act(files(), "/alias"))).toBe("permission_denied");
    await untouched();
  });

  it.each(everyWay)("P7 does not %s through a linked folder, also where the file is not there", async (_, act) => {
    await symlink(outside, join(root, "link"));
    for (const path of ["/link/secret", "/link/new", "/link/deep/new"]) expect(kind(await act(files(), path))).toBe("permission_denied");
    await untouched();
  });

  it("P7 neither lists, walks nor deletes through links", async () => {
    await symlink(outside, join(root, "link"));
    await symlink(".", join(root, "loop"));
    await symlink("nowhere", join(root, "dangling"));
    await put(files(), { "/own": "1" });
    expect(kind(await files().list("/link"))).toBe("permission_denied");
    expect(kind(await files().walk("/link", 10))).toBe("permission_denied");
    expect(kind(await files().remove("/link/secret"))).toBe("permission_denied");
    expect(await files().list("/")).toEqual([{ path: "/own", directory: false, size: 1 }]);
    expect(await files().walk("/", 10)).toEqual({ files: [{ path: "/own", directory: false, size: 1 }], truncated: false });
    await untouched();
  });

  it("removes a link itself, and links inside a folder, never what they point to", async () => {
    await symlink(outside, join(root, "link"));
    await mkdir(join(root, "dir"));
    await symlink(outside, join(root, "dir", "link"));
    expect(await files().remove("/link")).toEqual({ ok: true });
    expect(await files().remove("/dir")).toEqual({ ok: true });
    expect(await readdir(root)).toEqual([]);
    await untouched();
  });

  it("P7 does not take a folder beside the root for the root", async () => {
    await mkdir(`${root}-evil`);
    await writeFile(`${root}-evil/f`, "EVIL");
    await symlink(`../${basename(root)}-evil`, join(root, "x"));
    expect(kind(await files().read("/x/f"))).toBe("permission_denied");
  });

  // Without /proc a moment stays open that only a process on the same machine could use.
  it.runIf(proc && process.platform === "linux")("P7 a folder swapped for a link again and again lets nothing in or out", async () => {
    await put(files(), { "/d/secret": "mine", "/d/sub/secret": "mine" });
    await mkdir(join(outside, "sub"));
    await writeFile(join(outside, "sub", "secret"), "SECRET");
    const swapper = spawn(process.execPath, ["-e", SWAP, join(root, "d"), outside], { stdio: "ignore" });
    const until = performance.now() + 700;
    let mine = 0;
    while (performance.now() < until) {
      const seen = await files().read("/d/secret");
      if (!isError(seen)) expect(text(seen)).not.toBe("SECRET");
      if (!isError(seen)) mine++;
      await files().write("/d/new", bytes("in"));
      await files().update("/d/secret", () => bytes("mine"));
      await files().remove("/d/sub/secret");
      await files().remove("/d/new");
      const walked = await files().walk("/", 50);
      if (!isError(walked)) expect(walked.files.map((info) => info.size)).not.toContain(6);
    }
    swapper.kill();
    expect(mine).toBeGreaterThan(0);
    expect((await readdir(outside)).sort()).toEqual(["secret", "sub"]);
    expect(await readFile(join(outside, "secret"), "utf8")).toBe("SECRET");
    expect(await readFile(join(outside, "sub", "secret"), "utf8")).toBe("SECRET");
  });
});

const SWAP = `
const fs = require("node:fs"); const [d, outside] = process.argv.slice(1);
for (;;) { try { fs.renameSync(d, d + "2"); fs.symlinkSync(outside, d); } catch {} try { fs.unlinkSync(d); } catch {} try { fs.renameSync(d + "2", d); } catch {} }
`;

describe("disk", () => {
  it("P7 hides and refuses what the allow-list does not name", async () => {
    const files = diskFiles(root, { allow: (path) => path === "/" || path.startsWith("/a") });
    await writeFile(join(root, "b"), "hidden");
    await put(files, { "/a": "1" });
    expect(await files.list("/")).toEqual([{ path: "/a", directory: false, size: 1 }]);
    for (const [, act] of everyWay) expect(kind(await act(files, "/b"))).toBe("permission_denied");
    expect(kind(await files.remove("/b"))).toBe("permission_denied");
    expect(await files.walk("/", 10)).toMatchObject({ files: [{ path: "/a" }] });
  });

  it("says why a frozen file stays, and still reads it", async () => {
    const files = diskFiles(root, { frozen: () => "not now" });
    await writeFile(join(root, "a"), "1");
    expect(await files.write("/a", bytes("2"))).toEqual({ error: "permission_denied", detail: "not now" });
    expect(await files.remove("/a")).toEqual({ error: "permission_denied", detail: "not now" });
    expect(text(await files.read("/a"))).toBe("1");
  });

  it("refuses what is too large, to read as to write", async () => {
    const files = diskFiles(root, { maxBytes: 10 });
    await writeFile(join(root, "big"), "x".repeat(11));
    expect(kind(await files.read("/big"))).toBe("too_large");
    expect(kind(await files.write("/x", bytes("x".repeat(11))))).toBe("too_large");
    await put(files, { "/x": "x".repeat(10) });
  });

  it("keeps the mode of a file, and respects write protection", async () => {
    const files = diskFiles(root);
    await put(files, { "/run.sh": "1", "/kept": "1" });
    await chmod(join(root, "run.sh"), 0o750);
    await chmod(join(root, "kept"), 0o444);
    await put(files, { "/run.sh": "2" });
    await files.update("/run.sh", () => bytes("3"));
    expect((await stat(join(root, "run.sh"))).mode & 0o777).toBe(0o750);
    expect(kind(await files.write("/kept", bytes("2")))).toBe("permission_denied");
  });

  it("a change that changes nothing leaves the file's time alone", async () => {
    const files = diskFiles(root);
    await put(files, { "/a": "1" });
    await utimes(join(root, "a"), 1, 1);
    await files.update("/a", () => null);
    expect((await stat(join(root, "a"))).mtimeMs).toBe(1_000);
  });

  it("starts an update over when another program wrote in between", async () => {
    const files = diskFiles(root);
    await put(files, { "/a": "one" });
    let runs = 0;
    const changed = await files.update("/a", (content) => {
      if (runs++ === 0) execFileSync(process.execPath, ["-e", `require("fs").writeFileSync(process.argv[1], "theirs")`, join(root, "a")]);
      return bytes(`${new TextDecoder().decode(content)} and mine`);
    });
    expect(changed).toEqual({ ok: true, changed: true });
    expect(text(await files.read("/a"))).toBe("theirs and mine");
  });

  it("two trees over the same folder still change a file one after the other", async () => {
    const [a, b] = [diskFiles(root), diskFiles(join(root, "..", "ws"), { at: "sub" })];
    await put(a, { "/sub/n": "0" });
    const more = (content: Uint8Array) => bytes(String(Number(new TextDecoder().decode(content)) + 1));
    await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? a.update("/sub/n", more) : b.update("/n", more))));
    expect(text(await a.read("/sub/n"))).toBe("20");
  });

  it("refuses a named pipe without waiting for it", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    for (const [, act] of everyWay) expect(kind(await act(diskFiles(root), "/pipe"))).toBe("permission_denied");
    expect(await diskFiles(root).list("/")).toEqual([]);
  });

  it("answers a name too long for the disk with an error value", async () => {
    expect(kind(await diskFiles(root).write(`/${"x".repeat(300)}`, bytes("x")))).toBe("invalid_path");
  });

  it("one unreadable folder costs itself only", async () => {
    const files = diskFiles(root);
    await put(files, { "/open/a": "1", "/shut/b": "2" });
    await chmod(join(root, "shut"), 0);
    await chmod(top, 0o755);
    const found = await asNobody(() => files.walk("/", 10));
    expect(found).toEqual({ files: [{ path: "/open/a", directory: false, size: 1 }], truncated: false });
  });

  it("a process killed while it writes leaves the old or the new content, and no litter in sight", async () => {
    const [old, fresh] = ["o".repeat(3_000_000), "n".repeat(3_000_000)];
    await writeFile(join(root, "a"), old);
    for (const wait of [0, 4, 8, 15, 30]) {
      const child = spawn(process.execPath, ["--import", "tsx", "-e", WRITER, root], { stdio: ["ignore", "pipe", "ignore"] });
      await new Promise<void>((resolve) => child.stdout.once("data", () => setTimeout(resolve, wait)));
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("exit", resolve));
      expect([old, fresh]).toContain(await readFile(join(root, "a"), "utf8"));
      expect(await diskFiles(root).list("/")).toHaveLength(1);
    }
  });

  it("a folder of very many files is left at the limit, in bounded time", async () => {
    execFileSync("bash", ["-c", `mkdir d && cd d && seq 1 1500 | xargs touch`], { cwd: root });
    const began = performance.now();
    const found = await diskFiles(root).walk("/", 500);
    expect(isError(found) ? found : [found.files.length, found.truncated]).toEqual([499, true]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("the root itself may be reached through a link", async () => {
    await symlink(root, join(top, "here"));
    const files = diskFiles(join(top, "here"));
    await put(files, { "/a": "1" });
    expect(await readFile(join(root, "a"), "utf8")).toBe("1");
    expect((await lstat(join(top, "here"))).isSymbolicLink()).toBe(true);
    await rename(join(root, "a"), join(root, "b"));
    expect(text(await files.read("/b"))).toBe("1");
  });
});

const WRITER = `
import { diskFiles } from ${JSON.stringify(new URL("../../src/files/disk.ts", import.meta.url).pathname)};
const files = diskFiles(process.argv[1]); const [o, n] = ["o", "n"].map((c) => Buffer.from(c.repeat(3000000)));
for (let i = 0; ; i++) { const done = await files.write("/a", i % 2 ? o : n); if (i === 0 && "ok" in done) console.log("go"); }
`;

/** Root may read everything; as nobody the modes count. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
