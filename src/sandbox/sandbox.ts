/**
 * Where commands of the agent run: the port, and which of its kinds this machine offers.
 *
 * X1. A sandbox sees the given mounts at the given paths and nothing else of the disk; no secrets, no network, no standard input.
 * X2. Time, output, memory and processes are limited; what a run leaves behind ends with it.
 * X3. A kind counts as there only after it has run something. Where none is, nothing is offered.
 */
import type { Log } from "../core/ports.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { virtual } from "./virtual.ts";

export interface Mount {
  /** Absolute, as the agent knows it. `/` is the scratch, always there and writable. */
  at: string;
  dir: string;
  writable: boolean;
}
export interface Task {
  command: string;
  mounts: readonly Mount[];
  seconds: number;
  signal: AbortSignal;
}
export interface Ran {
  /** Standard output and error together. */
  output: string;
  /** Null if it was ended from outside. */
  code: number | null;
  ended: "itself" | "time" | "output" | "stopped";
}
export interface Sandbox {
  kind: "virtual" | "bubblewrap";
  /** What can and cannot be done in it, for the model. */
  notes: string;
  run(task: Task): Promise<Ran>;
}

/** Bytes of output after which a run is ended. */
export const OUTPUT_LIMIT = 2_000_000;

/** The sandbox that is wanted, or none. `auto`: the strong one where it works, else the virtual one. */
export async function openSandbox(wanted: "auto" | "virtual" | "bubblewrap" | "off", log: Log): Promise<Sandbox | undefined> {
  if (wanted === "off") return undefined;
  if (wanted === "virtual") return virtual();
  const strong = await bubblewrap();
  if (strong.ok) return strong.sandbox;
  if (wanted === "auto") {
    log.info({ why: strong.why }, "commands run in the virtual sandbox: bubblewrap is not available");
    return virtual();
  }
  log.error({ why: strong.why }, "SANDBOX is bubblewrap, but it does not work here: commands are not offered");
  return undefined;
}
