/**
 * A shell that is only simulated, in a worker thread: nothing to install, no real programs. A boundary against the agent's mistakes.
 * The worker is ended from outside when its time is over, whatever it does.
 */
import type { Ran, Sandbox, Task } from "./sandbox.ts";
import { inWorker } from "./worker.ts";

const WORKER = new URL("./virtual-worker.mjs", import.meta.url);
const GRACE = 1_000;

export const virtual = (): Sandbox => ({
  kind: "virtual",
  notes:
    "A simulated bash with the usual text tools (cat, grep, sed, awk, sort, jq, find, tar and the like). There are no real programs: no git, node, python, compilers or package managers, and no network. Nothing goes on in the background; out of time, no output is left.",
  run,
});

async function run({ command, mounts, seconds, signal }: Task): Promise<Ran> {
  const milliseconds = seconds * 1_000;
  const ran = await inWorker<Ran>(WORKER, { command, mounts, milliseconds }, { signal, ms: milliseconds + GRACE });
  switch (ran.how) {
    case "answered":
      return ran.answer;
    case "failed":
      return { output: `The shell gave up: ${ran.why}`, code: 1, ended: "itself" };
    case "ended":
      return { output: "The shell ended unexpectedly.", code: 1, ended: "itself" };
    default:
      return { output: "", code: null, ended: ran.how };
  }
}
