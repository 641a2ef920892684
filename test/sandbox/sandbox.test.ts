import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bubblewrap } from "../../src/sandbox/bubblewrap.ts";
import { openSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { virtual } from "../../src/sandbox/virtual.ts";
import { sandboxContract } from "../contract/sandbox.ts";
import { until } from "../help/until.ts";

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
sandboxContract("virtual", virtual);

const strong = await bubblewrap();
if (strong.ok) sandboxContract("bubblewrap", () => strong.sandbox);
else test.skip(`bubblewrap is not tried here: ${strong.why}`, () => {});

describe.runIf(strong.ok)("bubblewrap, tried by somebody who wants out", () => {
  const inside = async (command: string, seconds = 15) => {
    const dir = mkdtempSync(join(tmpdir(), "denizen-escape-"));
    try {
      return await (strong as { sandbox: Sandbox }).sandbox.run({
        command,
        seconds,
        mounts: [{ at: "/", dir, writable: true }],
        signal: new AbortController().signal,
      });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  };
  test.each([
    ["remounting /usr", "mount -o remount,rw,bind /usr; touch /usr/escaped"],
    ["another namespace", "unshare -Ur touch /usr/escaped"],
    ["a device file", "mknod /sda b 8 0 && head -c1 /sda"],
    [
      "the host's processes",
      "kill -9 $(ls /proc | grep -E '^[0-9]+$' | grep -v '^1$' | tail -1) 2>/dev/null; ls /proc | grep -cE '^[0-9]{4,}$' | grep -v '^0$'",
    ],
    ["the host's /etc", "cat /etc/shadow /etc/passwd"],
    ["changing the host's name", "hostname escaped"],
    ["becoming root", "su -c id; sudo id; setpriv --reuid=0 id"],
  ])("%s does not get out (P7)", async (_, command) => {
    const ran = await inside(command);
    expect(ran.code).not.toBe(0);
  });

  test("what it put into the background ends with it", async () => {
    await inside("setsid nohup sleep 54321 >/dev/null 2>&1 & echo started");
    const sleeping = () =>
      readdirSync("/proc").some((pid) => {
        try {
          return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("54321");
        } catch {
          return false;
        }
      });
    await until(() => !sleeping(), "the background process to be gone", 3_000);
  });

  test("memory is bounded", async () => {
    const ran = await inside("perl -e 'my $x = \"a\" x (3 * 1024 * 1024 * 1024); print length $x'", 20);
    expect(ran.output).not.toContain("3221225472");
  });

  test("a link left where something is mounted leads the next run nowhere (P7)", async () => {
    const top = mkdtempSync(join(tmpdir(), "denizen-link-"));
    const [scratch, files, outside] = ["scratch", "files", "outside"].map((name) => join(top, name)) as [string, string, string];
    for (const dir of [scratch, files, outside]) mkdirSync(dir);
    const mounts = [
      { at: "/", dir: scratch, writable: true },
      { at: "/home/files", dir: files, writable: true },
    ];
    const run = (command: string) =>
      (strong as { sandbox: Sandbox }).sandbox.run({ command, seconds: 10, mounts, signal: new AbortController().signal });
    symlinkSync(outside, join(scratch, "home"));
    expect((await run("echo kept > /home/files/x")).code).toBe(0);
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(files)).toEqual(["x"]);
    rmSync(top, { recursive: true, force: true });
  });

  test("real programs are there", async () => {
    expect((await inside("perl -e 'print 6 * 7'")).output).toBe("42");
  });
});

describe("which sandbox there is", () => {
  test("off: none", async () => expect(await openSandbox("off", QUIET)).toBeUndefined());
  test("virtual: the simulated one, which says what it lacks", async () => {
    const sandbox = await openSandbox("virtual", QUIET);
    expect(sandbox?.kind).toBe("virtual");
    expect(sandbox?.notes).toMatch(/no git/);
  });
  test("auto: the strong one exactly where it works", async () => {
    expect((await openSandbox("auto", QUIET))?.kind).toBe(strong.ok ? "bubblewrap" : "virtual");
  });
});
