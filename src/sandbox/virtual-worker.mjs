/**
 * One command in a simulated shell, in a thread of its own. Given `{ command, mounts, milliseconds }`; answers once with
 * `{ output, code, ended }`. Plain JavaScript, so that a worker needs no loader.
 */
import { parentPort, workerData } from "node:worker_threads";
import { Bash, InMemoryFs, MountableFs, OverlayFs, ReadWriteFs } from "just-bash";
import { asOnTerminal } from "./terminal.mjs";

const OUTPUT_LIMIT = 2_000_000;
const TIMED_OUT = 124;
const MANY = 1_000_000_000;
const { command, mounts, milliseconds } = workerData;

/** Files are the product's own outside: none is marked to run as its owner. */
class Written extends ReadWriteFs {
  chmod(path, mode) {
    return super.chmod(path, mode & 0o777);
  }
}
/** What may only be read, refused by the path that the script knows. */
class Kept extends OverlayFs {
  constructor({ at, dir }) {
    super({ root: dir, mountPoint: "/", readOnly: true });
    this.at = at;
  }
  async writeFile(path) {
    throw new Error(`${this.at}${path}: Read-only file system`);
  }
  appendFile(path) {
    return this.writeFile(path);
  }
}
const on = (mount) => (mount.writable ? new Written({ root: mount.dir }) : new Kept(mount));
const root = mounts.find(({ at }) => at === "/");
const fs = new MountableFs({ base: root ? on(root) : new InMemoryFs() });
for (const mount of mounts) if (mount !== root) fs.mount(mount.at, on(mount));
for (const at of ["/tmp", "/dev"]) fs.mount(at, new InMemoryFs());

const bash = new Bash({
  fs,
  cwd: "/",
  env: { HOME: "/", LANG: "C.UTF-8" },
  // Time and output bound a run; what the shell counts besides would only end long, honest work.
  executionLimits: {
    maxExecutionTimeMs: milliseconds,
    maxOutputSize: OUTPUT_LIMIT,
    maxLoopIterations: MANY,
    maxCommandCount: MANY,
    maxWorkUnits: MANY,
  },
});
bash.registerTransformPlugin({ name: "terminal", transform: ({ ast }) => ({ ast: asOnTerminal(ast, command) }) });
try {
  const { stdout, stderr, exitCode } = await bash.exec(command);
  const output = stdout + stderr;
  const ended = exitCode === TIMED_OUT && /deadline/.test(stderr) ? "time" : output.length >= OUTPUT_LIMIT ? "output" : "itself";
  parentPort.postMessage({ output, code: ended === "itself" ? exitCode : null, ended });
} catch (error) {
  // Some refusals of the file system are thrown instead of being a command's failure.
  parentPort.postMessage({ output: `bash: ${error instanceof Error ? error.message : String(error)}\n`, code: 1, ended: "itself" });
}
