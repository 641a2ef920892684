/**
 * A shell that is only simulated, in a worker thread: nothing to install, no real programs. A boundary against the agent's mistakes.
 * The worker is ended from outside when its time is over, whatever it does.
 */
import { Worker } from "node:worker_threads";
import type { Ran, Sandbox, Task } from "./sandbox.ts";

const WORKER = new URL("./virtual-worker.mjs", import.meta.url);
const GRACE = 1_000;
const MEMORY = 256;

export const virtual = (): Sandbox => ({
  kind: "virtual",
  notes:
    "A simulated bash with the usual text tools (cat, grep, sed, awk, sort, jq, find, tar and the like). There are no real programs: no git, node, python, compilers or package managers, and no network. Nothing goes on in the background; out of time, no output is left.",
  run,
});

function run({ command, mounts, seconds, signal }: Task): Promise<Ran> {
  return new Promise((done) => {
    const worker = new Worker(WORKER, {
      workerData: { command, mounts, milliseconds: seconds * 1_000 },
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY },
    });
    const end = (ran: Ran) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      void worker.terminate();
      done(ran);
    };
    const stop = () => end({ output: "", code: null, ended: "stopped" });
    const timer = setTimeout(() => end({ output: "", code: null, ended: "time" }), seconds * 1_000 + GRACE);
    worker.once("message", (ran: Ran) => end(ran));
    worker.once("error", (error) => end({ output: `The shell gave up: ${error.message}`, code: 1, ended: "itself" }));
    worker.once("exit", () => end({ output: "The shell ended unexpectedly.", code: 1, ended: "itself" }));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
}
