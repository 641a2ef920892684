/** What every sandbox keeps, whatever it can do besides. */
import { spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

    test("many commands of one thread, also at once, each find the same world", async () => {
      const all = await Promise.all([1, 2, 3].map((n) => run(`echo ${n} >> /count.txt; cat /skills/how.md`)));
      expect(all.map(({ output }) => output)).toEqual(["a skill", "a skill", "a skill"]);
      expect((await run("sort /count.txt")).output).toBe("1\n2\n3\n");
    });

    test("output and errors come together, with the exit code", async () => {
      const ran = await run("echo out; echo err >&2; echo on; for i in 1 2; do echo $i; echo e$i >&2; done; exit 7");
      expect(ran).toEqual({ output: "out\nerr\non\n1\ne1\n2\ne2\n", code: 7, ended: "itself" });
    });

    test("errors stay out of what a command takes, captures or writes", async () => {
      const ran = await run(
        "words() { echo word; echo oops >&2; }; x=$(words 2>/dev/null); echo [$x]; cat /none 2>/dev/null | wc -l; (cat /none; echo in) > /kept; cat /kept; cat /none 2> /errors; grep -c none /errors",
      );
      expect(ran.output.replaceAll(/^cat: .*\n/gm, "").replaceAll(" ", "")).toBe("[word]\n0\nin\n1\n");
    });

    test("what is read-only cannot be changed, in words", async () => {
      const ran = await run("echo x > /skills/how.md; echo y > /skills/new.md");
      expect(ran.code).not.toBe(0);
      expect(ran.output).toMatch(/read-only/i);
      expect(readFileSync(join(dir("skills"), "how.md"), "utf8")).toBe("a skill");
      expect(existsSync(join(dir("skills"), "new.md"))).toBe(false);
    });

    test("a file that cannot be written fails its own command, and the others go on", async () => {
      const ran = await run(
        "echo one; echo x > /skills/new.md; echo two; echo y >> /skills/how.md || echo failed; cat /skills/how.md > /copy; f() { echo z > /skills/f; echo three; }; f; for i in 4; do echo $i > /skills/$i; echo four; done; { echo q; } > /skills/q; cat /copy",
      );
      expect(ran.output.split("\n").filter((line) => !/read-only|denied/i.test(line))).toEqual([
        "one",
        "two",
        "failed",
        "three",
        "four",
        "a skill",
      ]);
      expect(ran.output.match(/read-only|denied/gi)?.length).toBeGreaterThanOrEqual(5);
      expect(ran.code).toBe(0);
      expect(readdirSync(dir("skills"))).toEqual(["how.md"]);
    });

    test("what is written and read by redirection is what it says, also where a file is written twice", async () => {
      const ran = await run(
        'n=0; echo a > /w; echo b >> /w; cat < /w; read x < /w; echo "[$x]"; n=5 > /v; echo $n; cd /home > /c; pwd; echo new > /w; cat /w; echo both > /1 2> /2; cat /1 /2; ls /w /none &> /both; grep -c none /both; echo "$(echo in > /s; cat /s)"; false > /z || echo no; cat <<E > /h\nhere $n\nE\ncat /h',
      );
      expect(ran.output).toBe("a\nb\n[a]\n5\n/home\nnew\nboth\n1\nin\nno\nhere 5\n");
    });

    test("a command that writes how the one before it ended writes the truth", async () => {
      const ran = await run(
        'false; echo $? > /c; cat /c; f() { return 3; }; f; echo "code $?" >> /c; cat /c; false | true; { echo $PIPESTATUS; } > /p; cat /p; (exit 4); x="$?" > /e; echo $x',
      );
      expect(ran.output).toBe("1\n1\ncode 3\n1\n4\n");
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

    describe("tried by somebody who wants out (P7)", () => {
      const bystander = async <T>(use: (pid: number) => Promise<T>): Promise<T> => {
        const child = spawn("sleep", ["61"], { env: { WORD: "bystander-31337" }, stdio: "ignore" });
        try {
          return await use(child.pid ?? 0);
        } finally {
          child.kill("SIGKILL");
        }
      };
      const alive = (pid: number): boolean => {
        try {
          return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
        } catch {
          return false;
        }
      };

      test("mounting anew makes nothing writable", async () => {
        await run("mount -o remount,rw,bind /skills; mount --bind / /skills; umount /skills; echo x > /skills/new.md");
        expect(readdirSync(dir("skills"))).toEqual(["how.md"]);
      });

      test("/proc shows nothing of this machine's processes and leads nowhere", () =>
        bystander(async (pid) => {
          const at = `/proc/${pid}`;
          const { output } = await run(
            `cat ${at}/environ ${at}/cmdline ${at}/root${dir("outside")}/secret.txt ${at}/cwd/package.json /proc/${process.pid}/environ; ls ${at}/fd; cat /proc/1/root${dir("outside")}/secret.txt; cat /proc/self/root/../..${dir("outside")}/secret.txt; echo x > /proc/sys/kernel/hostname; echo c > /proc/sysrq-trigger`,
          );
          expect(output).not.toMatch(/bystander-31337|TOP-SECRET|"name": "denizen"/);
        }));

      test("no signal reaches a process outside", () =>
        bystander(async (pid) => {
          await run(`kill -9 ${pid}; kill -TERM -${pid}; kill -STOP ${pid}`);
          expect(alive(pid)).toBe(true);
          expect(readFileSync(`/proc/${pid}/status`, "utf8")).not.toMatch(/^State:\s*T/m);
        }));

      test("no device can be made or read", async () => {
        const made = await run("mknod /disk b 8 0 && head -c1 /disk");
        expect(made.code).not.toBe(0);
        for (const device of ["/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/port"])
          expect((await run(`head -c1 ${device}`)).code, device).not.toBe(0);
        expect(readdirSync(dir("scratch")).filter((name) => lstatSync(join(dir("scratch"), name)).isBlockDevice())).toEqual([]);
      });

      test("what it left behind is not run by the next command, nor worth anything to who runs it outside", async () => {
        const trap = `printf '#!/bin/sh\\necho TRAPPED\\n'`;
        const names = ["ls", "cat", "bash", "sort"];
        await run(
          `${names.map((name) => `${trap} > /${name}; chmod 4777 /${name}; cp /${name} /home/files/${name}`).join("; ")}; export PATH=/:$PATH`,
        );
        const { output } = await run("ls / > /dev/null; cat /a.txt; echo b | sort");
        expect(output).toBe("from the file tools\nb\n");
        for (const folder of ["scratch", "files"])
          for (const name of names) {
            const left = lstatSync(join(dir(folder), name), { throwIfNoEntry: false });
            expect(left && (left.mode & 0o6000) !== 0 && left.uid === 0, `${folder}/${name}`).toBeFalsy();
          }
      });

      test("whatever it does to the places of its world, the next command has them as they should be", async () => {
        await run(
          `for name in bin sbin lib lib64 usr etc tmp home skills; do rm -rf /$name; rmdir /$name; ln -s ${dir("outside")} /$name; echo x > /$name; done 2>/dev/null`,
        );
        for (const name of ["etc", "bin", "proc"]) writeFileSync(join(dir("scratch"), `${name}-x`), "");
        const ran = await run("cat /skills/how.md; echo; cat /etc/secret.txt /home/secret.txt /skills/secret.txt; echo on | sort");
        expect(ran.output).toMatch(/^a skill\n/);
        expect(ran.output).toMatch(/^on$/m);
        expect(ran.output).not.toContain("TOP-SECRET");
        expect(readdirSync(dir("outside"))).toEqual(["secret.txt"]);
      });
    });

    test("a fork bomb ends with its time, and others go on", async () => {
      const ran = await run("bomb() { bomb | bomb & }; bomb; sleep 20", { seconds: 1 });
      expect(ran.ended).not.toBe("stopped");
      expect((await run("echo fine")).output).toBe("fine\n");
    });

    test("a flood of memory ends the command and nobody else", async () => {
      const before = process.memoryUsage().rss;
      const ran = await run("word=0123456789abcdef; while :; do word=$word$word; done; echo through", { seconds: 10 });
      expect(ran.output).not.toContain("through");
      expect(process.memoryUsage().rss - before).toBeLessThan(1_200 * 1024 * 1024);
      expect((await run("echo fine")).output).toBe("fine\n");
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
