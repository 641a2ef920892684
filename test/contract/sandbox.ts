/** What every sandbox keeps, whatever it can do besides. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OUTPUT_LIMIT, type Sandbox } from "../../src/sandbox/sandbox.ts";

export function sandboxContract(name: string, open: () => Sandbox): void {
  describe(`${name} keeps what every sandbox keeps`, () => {
    let top: string;
    let dir: (name: string) => string;
    beforeEach(() => {
      top = mkdtempSync(join(tmpdir(), "denizen-sandbox-test-"));
      dir = (folder) => join(top, folder);
      for (const folder of ["scratch", "files", "skills", "outside"]) mkdirSync(dir(folder));
      writeFileSync(join(dir("outside"), "secret.txt"), "TOP-SECRET");
      writeFileSync(join(dir("skills"), "how.md"), "a skill");
      writeFileSync(join(dir("scratch"), "a.txt"), "from the file tools\n");
    });
    afterEach(() => rmSync(top, { recursive: true, force: true }));

    const run = (command: string, more: { seconds?: number; signal?: AbortSignal } = {}) =>
      open().run({
        command,
        seconds: more.seconds ?? 20,
        signal: more.signal ?? new AbortController().signal,
        mounts: [
          { at: "/", dir: dir("scratch"), writable: true },
          { at: "/home/files", dir: dir("files"), writable: true },
          { at: "/skills", dir: dir("skills"), writable: false },
        ],
      });

    test("files have the same paths inside as in the file tools, both ways", async () => {
      const ran = await run("cat /a.txt && echo made > /b.txt && echo team > /home/files/c.txt && cat /skills/how.md");
      expect(ran).toEqual({ output: "from the file tools\na skill", code: 0, ended: "itself" });
      expect(readFileSync(join(dir("scratch"), "b.txt"), "utf8")).toBe("made\n");
      expect(readFileSync(join(dir("files"), "c.txt"), "utf8")).toBe("team\n");
    });

    test("output and errors come together, with the exit code", async () => {
      const ran = await run("echo out; echo err >&2; exit 7");
      expect(ran).toEqual({ output: "out\nerr\n", code: 7, ended: "itself" });
    });

    test("what is read-only cannot be changed, in words", async () => {
      const ran = await run("echo x > /skills/how.md; echo y > /skills/new.md");
      expect(ran.code).not.toBe(0);
      expect(ran.output).toMatch(/read-only/i);
      expect(readFileSync(join(dir("skills"), "how.md"), "utf8")).toBe("a skill");
      expect(existsSync(join(dir("skills"), "new.md"))).toBe(false);
    });

    test("a link that leads outside leads nowhere (P7)", async () => {
      symlinkSync(dir("outside"), join(dir("scratch"), "link"));
      symlinkSync(join(dir("outside"), "secret.txt"), join(dir("files"), "alias.txt"));
      const ran = await run(
        `cat /link/secret.txt; cat /home/files/alias.txt; cat ${dir("outside")}/secret.txt; ln -s ${dir("outside")} /mine && cat /mine/secret.txt`,
      );
      expect(ran.output).not.toContain("TOP-SECRET");
    });

    test("nothing of this process's environment is in it (P7)", async () => {
      process.env.DENIZEN_TEST_SECRET = "environment-secret-31337";
      try {
        const ran = await run("env; cat /proc/self/environ /proc/1/environ /proc/*/environ 2>/dev/null | tr '\\0' '\\n'");
        expect(ran.output).not.toContain("environment-secret-31337");
      } finally {
        delete process.env.DENIZEN_TEST_SECRET;
      }
    });

    test("there is no network: not even this machine is reached", async () => {
      let visits = 0;
      const server = createServer((socket) => socket.end(`visit ${++visits}`));
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
      const { port } = server.address() as AddressInfo;
      await run(`curl -s -m 2 http://127.0.0.1:${port}/; wget -q -T 2 http://127.0.0.1:${port}/; cat < /dev/tcp/127.0.0.1/${port}`);
      server.close();
      expect(visits).toBe(0);
    });

    test("what takes too long is ended at its time", async () => {
      const from = Date.now();
      const ran = await run("while :; do :; done", { seconds: 1 });
      expect(ran).toMatchObject({ code: null, ended: "time" });
      expect(Date.now() - from).toBeLessThan(15_000);
    });

    test("a flood of output is cut off, and the run ends", async () => {
      const ran = await run("while :; do echo 0123456789012345678901234567890123456789012345678901234567890123456789; done", {
        seconds: 3,
      });
      expect(ran.ended).not.toBe("itself");
      expect(ran.output.length).toBeLessThanOrEqual(OUTPUT_LIMIT + 100_000);
    });

    test("a stop ends it at once", async () => {
      const stop = new AbortController();
      const ran = run("sleep 30", { signal: stop.signal });
      setTimeout(() => stop.abort(), 300);
      expect(await ran).toMatchObject({ code: null, ended: "stopped" });
    });

    test("nobody answers a question on standard input", async () => {
      const ran = await run("read line; echo got:$line; cat", { seconds: 10 });
      expect(ran.ended).toBe("itself");
      expect(ran.output).toContain("got:");
    });

    test("the event loop goes on while it runs", async () => {
      let longest = 0;
      let last = performance.now();
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 5);
      await run("for i in $(seq 1 3000); do echo $i; done | sort -r | head -1", { seconds: 10 });
      clearInterval(timer);
      expect(longest).toBeLessThan(2_000);
    });
  });
}
