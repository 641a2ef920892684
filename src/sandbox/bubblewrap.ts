/**
 * Real programs behind Linux namespaces: bubblewrap with no capabilities, no network, a clean environment and limits.
 *
 * B1. As root the command becomes nobody in particular once its world is made: a namespace alone would still be root to the kernel outside.
 * B2. Only /usr and a few files of /etc are there, read-only; the scratch is the root's own folder, so paths are those of the file tools.
 * B3. The whole process group ends with the run, also what it put into the background.
 * B4. Commands over one scratch run one after the other, and each finds its world as the first did, whatever those before it have done to
 *     the places where that world is mounted: a link there would lead the mount elsewhere.
 * B5. What is left behind gives nobody rights: marks that would make a program run as its owner are taken off.
 */
import { execFile, spawn } from "node:child_process";
import { chmod, lstat, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Mount, OUTPUT_LIMIT, type Ran, type Sandbox, type Task } from "./sandbox.ts";

const NOBODY = 64_000;
/** Output and errors in one pipe: they come in the order in which they were written. */
const TOGETHER = 'exec "$@" 2>&1';
const OWN_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";
const LIMITS = ["--nproc=64", "--nofile=256", "--fsize=104857600", "--core=0", "--data=1073741824"];
const call = promisify(execFile);
const isRoot = (): boolean => process.getuid?.() === 0;

/** Tried by running it: a binary that is there says nothing about what the kernel permits. */
export async function bubblewrap(): Promise<{ ok: true; sandbox: Sandbox } | { ok: false; why: string }> {
  if (process.platform !== "linux") return { ok: false, why: "it needs Linux" };
  const dir = await mkdtemp(join(tmpdir(), "denizen-sandbox-"));
  try {
    const mounts = [{ at: "/", dir, writable: true }];
    const ran = await run({ command: "echo ok > /probe && cat /probe", mounts, seconds: 10, signal: new AbortController().signal });
    if (ran.code === 0 && ran.output.trim() === "ok") return { ok: true, sandbox: { kind: "bubblewrap", notes: NOTES, run } };
    return { ok: false, why: ran.output.trim().split("\n").at(-1) || "the probe gave no answer" };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const NOTES =
  "A real Linux shell (bash) with the programs of this machine's /usr. No network, no root, no standard input; at most 64 processes, files of 100 MB. / is the scratch; what is in /tmp is gone after each command.";

const tails = new Map<string, Promise<unknown>>();

function run(task: Task): Promise<Ran> {
  const scratch = task.mounts.find(({ at }) => at === "/")?.dir ?? "";
  const mine = (tails.get(scratch) ?? Promise.resolve()).then(() => alone(task));
  const tail = mine.catch(() => undefined).then(() => void (tails.get(scratch) === tail && tails.delete(scratch)));
  tails.set(scratch, tail);
  return mine;
}

async function alone(task: Task): Promise<Ran> {
  if (task.signal.aborted) return { output: "", code: null, ended: "stopped" };
  if (isRoot()) await giveAway(task.mounts);
  await clearPlaces(task.mounts);
  const ran = await start(task);
  await disarm(task.mounts);
  return ran;
}

function start({ command, mounts, seconds, signal }: Task): Promise<Ran> {
  const args = ["-c", TOGETHER, "sh", ...commandLine(command, mounts, seconds)];
  return new Promise((done) => {
    const child = spawn("sh", args, { stdio: ["ignore", "pipe", "ignore", "pipe"], detached: true, env: { PATH: OWN_PATH }, cwd: "/" });
    const chunks: Buffer[] = [];
    let size = 0;
    let ended: Ran["ended"] = "itself";
    let first: number | undefined;
    const end = () => {
      if (first !== undefined) kill(first);
      if (child.pid) kill(-child.pid);
    };
    const cut = (why: Ran["ended"]) => {
      if (ended === "itself") ended = why;
      end();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= OUTPUT_LIMIT) chunks.push(chunk);
      else cut("output");
    };
    child.stdout?.on("data", take);
    child.stdio[3]?.on("data", (told: Buffer) => {
      first ??= firstProcess(told);
      if (ended !== "itself") end();
    });
    const stop = () => cut("stopped");
    const timer = setTimeout(() => cut("time"), seconds * 1_000);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
    const finish = (code: number | null, extra = "") => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      done({ output: Buffer.concat(chunks).toString("utf8") + extra, code: ended === "itself" ? code : null, ended });
    };
    child.once("error", (error) => finish(127, error.message));
    child.once("close", (code) => finish(code));
  });
}

/** The first process of the new namespace, by its number outside: when it is killed, everything in the namespace is. */
function firstProcess(told: Buffer): number | undefined {
  const pid = /"child-pid":\s*(\d+)/.exec(told.toString("utf8"))?.[1];
  return pid === undefined ? undefined : Number(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}

const BINDS = [
  ["/usr", "/usr"],
  ["/usr/bin", "/bin"],
  ["/usr/sbin", "/sbin"],
  ["/usr/lib", "/lib"],
  ["/usr/lib64", "/lib64"],
] as const;
const MADE = ["/etc", "/proc", "/dev", "/tmp"];

/** Where something is to be mounted there is a folder that can be entered, or nothing. */
async function clearPlaces(mounts: readonly Mount[]): Promise<void> {
  const root = mounts.find(({ at }) => at === "/");
  if (!root) return;
  const others = mounts.filter((mount) => mount !== root);
  const places = [...BINDS.map(([, at]) => at), ...MADE, ...parents(others), ...others.map(({ at }) => at)];
  await chmod(root.dir, 0o755);
  // The shorter first: what lies below a link is not ours to look at.
  for (const at of places.sort((a, b) => a.length - b.length)) {
    const place = join(root.dir, at);
    const found = await lstat(place).catch(() => undefined);
    if (found?.isDirectory()) await chmod(place, 0o755);
    else if (found) await rm(place);
  }
}

async function disarm(mounts: readonly Mount[]): Promise<void> {
  const own = mounts.filter((mount) => mount.writable).map((mount) => mount.dir);
  if (own.length)
    await call("find", [...own, "-xdev", "-type", "f", "-perm", "/6000", "-exec", "chmod", "ug-s", "{}", "+"]).catch(() => {});
}

/** What a command may write has to belong to whom it runs as. */
async function giveAway(mounts: readonly Mount[]): Promise<void> {
  const own = mounts.filter((mount) => mount.writable).map((mount) => mount.dir);
  // `-h`: links are changed themselves, never what they point at.
  if (own.length) await call("chown", ["-hR", `${NOBODY}:${NOBODY}`, "--", ...own]);
}

/** As root: the namespaces are made with root's rights, and given up, all of them, before the command begins. */
function commandLine(command: string, mounts: readonly Mount[], seconds: number): string[] {
  const limits = ["prlimit", ...LIMITS, `--cpu=${Math.ceil(seconds) + 5}`];
  const shell = ["bash", "-c", command];
  if (!isRoot()) {
    const user = ["--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns", "--cap-drop", "ALL"];
    return [...limits, "bwrap", ...user, ...profile(mounts), "--", ...shell];
  }
  const caps = [
    "--cap-drop",
    "ALL",
    ...["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_OVERRIDE"].flatMap((cap) => ["--cap-add", cap]),
  ];
  const drop = ["--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"];
  const become = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, ...drop, "--"];
  return [...limits, "bwrap", ...caps, ...profile(mounts), "--", ...become, ...shell];
}

/** The world of a command, the same for everybody. */
function profile(mounts: readonly Mount[]): string[] {
  const root = mounts.find(({ at }) => at === "/");
  const others = mounts.filter((mount) => mount !== root).sort((a, b) => a.at.length - b.at.length);
  return [
    ...["--info-fd", "3", "--as-pid-1", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    ...["--unshare-cgroup-try", "--unshare-net", "--hostname", "sandbox"],
    ...(root ? ["--bind", root.dir, "/"] : ["--tmpfs", "/"]),
    // Bound, not linked: a link stays in the scratch, and the next command's could not be made.
    ...BINDS.flatMap(([from, at]) => ["--ro-bind-try", from, at]),
    ...["--tmpfs", "/etc"],
    ...["/etc/alternatives", "/etc/ssl/certs", "/etc/ld.so.cache"].flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", "--dev", "/dev", "--size", "67108864", "--perms", "1777", "--tmpfs", "/tmp"],
    ...parents(others).flatMap((path) => ["--perms", "0755", "--dir", path]),
    ...others.flatMap(({ at, dir, writable }) => [writable ? "--bind" : "--ro-bind", dir, at]),
    ...[
      "--chdir",
      "/",
      "--clearenv",
      "--setenv",
      "PATH",
      "/usr/local/bin:/usr/bin:/bin",
      "--setenv",
      "HOME",
      "/",
      "--setenv",
      "LANG",
      "C.UTF-8",
    ],
  ];
}

/** Folders on the way to a mount; made by bubblewrap itself they would be root's alone. */
const parents = (mounts: readonly Mount[]): string[] => {
  const all = mounts.flatMap(({ at }) =>
    at
      .split("/")
      .slice(1, -1)
      .map((_, i, names) => `/${names.slice(0, i + 1).join("/")}`),
  );
  return [...new Set(all)];
};
