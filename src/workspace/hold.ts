/**
 * One process at a time: a file that names who holds it. Within a process holders wait for each other by turns.
 *
 * O1. Who dies holding it holds it no longer: the owner is named by process and by when that began, so a number used again is not taken for it.
 * O2. A hold is taken over by one process only: whoever takes over does it under a second file.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { locked } from "../files/lock.ts";

export interface Patience {
  /** How long one waits for another process, and how long between two tries, in ms. */
  within: number;
  every: number;
}
/** Another process did not let go. */
class Held extends Error {}
export const isHeld = (error: unknown): boolean => error instanceof Held;

/** What is held by whoever writes to a history. */
export const lockOf = (gitdir: string): string => `${gitdir}.lock`;

const PATIENCE: Patience = { within: 20_000, every: 15 };
/** Taking over takes microseconds: who is at it for longer has died. */
const TAKEOVER = 10_000;

/** Rejects if another process does not let go in time. */
export function held<T>(file: string, work: () => Promise<T>, patience = PATIENCE): Promise<T> {
  return locked(`hold ${file}`, async () => {
    const mine = await take(file, patience);
    try {
      return await work();
    } finally {
      if (read(file) === mine) rmSync(file, { force: true });
    }
  });
}

async function take(file: string, { within, every }: Patience): Promise<string> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const mine = `${process.pid} ${began(process.pid)} ${randomUUID()}`;
  for (const until = performance.now() + within; ; ) {
    if (made(file, mine)) return mine;
    takeOver(file);
    if (made(file, mine)) return mine;
    if (performance.now() > until) throw new Held(`another process (${(read(file) ?? "").split(" ", 1)[0]}) holds ${file}`);
    await new Promise((done) => setTimeout(done, every));
  }
}

/** Lets go of what a dead process held. */
function takeOver(file: string): void {
  if (!isDead(file)) return;
  const second = `${file}.takeover`;
  if (!made(second, "")) {
    if (isOld(second)) rmSync(second, { force: true });
    return;
  }
  try {
    if (isDead(file)) rmSync(file, { force: true });
  } finally {
    rmSync(second, { force: true });
  }
}

/** Within this process only one is at it, so a hold in its own name is of an earlier life. */
function isDead(file: string): boolean {
  const [, pid, since] = /^(\d+) (\S+) \S/.exec(read(file) ?? "") ?? [];
  // Written in two steps by the system: who dies between them leaves no name.
  if (pid === undefined) return isOld(file);
  return Number(pid) === process.pid || !isAlive(Number(pid)) || began(Number(pid)) !== since;
}

function isOld(file: string): boolean {
  const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return since !== undefined && Date.now() - since > TAKEOVER;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** When a process began, in ticks of the kernel; `-` where that cannot be told. */
function began(pid: number): string {
  const after = read(`/proc/${pid}/stat`)?.split(") ").at(-1);
  return after?.split(" ")[19] ?? "-";
}

function made(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
