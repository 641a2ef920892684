/**
 * A server's process: lines out, lines in.
 *
 * P1. It gets only the environment it is given; of the product's own it sees where programs and the user's home are, and the language.
 * P2. It leads a group of its own. The whole group dies with it, when it is closed, and when this process exits.
 * P3. A line longer than the limit ends it, and so does more in some time than anybody can have asked for: nothing can fill the memory.
 *     What it complains is read slowly, so that complaining without end costs nobody but itself.
 * P4. It has ended when its leader has, whoever else still holds its output open.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { flow } from "./flow.ts";

export interface ProcessOptions {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  onLine: (line: string) => void;
  /** Once, when it has ended or could not start. */
  onEnd: (why: string) => void;
}

export interface ServerProcess {
  /** Resolves once it runs; rejects with a sentence if it cannot. */
  started: Promise<void>;
  write(line: string): Promise<void>;
  /** Asks it to end, then makes it. */
  close(): Promise<void>;
  /** The last it said on its error output. */
  complaint(): string;
}

const INHERITED = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];
const LONGEST_COMPLAINT = 2000;
/** Bytes of complaints that are read within each pause. */
const [COMPLAINTS, PAUSE] = [256 * 1024, 250];
const PATIENCE = 1000;
/** What it said last is read by then, if nobody holds its output open. */
const LAST_WORDS = 300;

const groups = new Set<number>();
let watching = false;

function adopt(pid: number): void {
  groups.add(pid);
  if (watching) return;
  watching = true;
  process.on("exit", () => groups.forEach((group) => void signal(group, "SIGKILL")));
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // Nobody is left in the group.
  }
}

export function startProcess({ command, args, env, cwd, onLine, onEnd }: ProcessOptions): ServerProcess {
  const inherited = Object.fromEntries(INHERITED.flatMap((key) => (process.env[key] === undefined ? [] : [[key, process.env[key]]])));
  const child = spawn(command, args, { cwd, env: { ...inherited, ...env }, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  let [complaint, cut] = ["", ""];
  const group = child.pid;
  if (group !== undefined) adopt(group);
  const started = new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new Error(error.code === "ENOENT" ? `the command ${command} was not found` : `the command could not be started: ${error.message}`),
      ),
    );
  });
  const ended = new Promise<void>((resolve) => {
    untilEnd(child, group, (why) => {
      onEnd(cut || why);
      resolve();
    });
  });
  readSlowly(child.stderr, (text) => {
    complaint = (complaint + text).slice(-LONGEST_COMPLAINT);
  });
  child.stdin.on("error", () => undefined);
  readLines(child, onLine, (why) => {
    cut = why;
    if (group !== undefined) signal(group, "SIGKILL");
  });
  return {
    started,
    write: (line) => write(child, line),
    async close() {
      child.stdin.end();
      if (group === undefined) return;
      const later = [setTimeout(() => signal(group, "SIGTERM"), PATIENCE / 2), setTimeout(() => signal(group, "SIGKILL"), PATIENCE)];
      await ended;
      later.forEach(clearTimeout);
    },
    complaint: () => complaint.trim(),
  };
}

/** Told once, when nobody of the group is left. */
function untilEnd(child: ChildProcess, group: number | undefined, onEnd: (why: string) => void): void {
  let over = false;
  const end = (why: string) => {
    if (over) return;
    over = true;
    if (group !== undefined) {
      signal(group, "SIGKILL");
      groups.delete(group);
    }
    onEnd(why);
  };
  const ended = (code: number | null, name: NodeJS.Signals | null) => end(name ? `it was ended by ${name}` : `it ended with code ${code}`);
  child.once("close", ended);
  // Grandchildren can hold the pipes open after the leader is gone, also in groups of their own: `close` would then never come.
  child.once("exit", (code, name) => {
    if (group !== undefined) signal(group, "SIGKILL");
    setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      ended(code, name);
    }, LAST_WORDS).unref();
  });
  if (group === undefined) child.once("error", (error) => end(error.message));
}

/** Reads so much, then pauses: who writes faster waits. */
function readSlowly(from: Readable, onText: (text: string) => void): void {
  let left = COMPLAINTS;
  from.setEncoding("utf8").on("data", (text: string) => {
    onText(text);
    left -= text.length;
    if (left > 0) return;
    left = COMPLAINTS;
    from.pause();
    setTimeout(() => from.resume(), PAUSE).unref();
  });
}

function readLines(child: ChildProcess, onLine: (line: string) => void, cutOff: (why: string) => void): void {
  let parts: string[] = [];
  let length = 0;
  const all = flow();
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const [first = "", ...rest] = text.split("\n");
    parts.push(first);
    length += first.length;
    for (const part of rest) {
      onLine(parts.join(""));
      parts = [part];
      length = part.length;
    }
    const why = all(text.length, length);
    if (!why) return;
    cutOff(why);
    child.stdout?.destroy();
  });
}

function write(child: ChildProcess, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!child.stdin?.writable) return reject(new Error("it is not running"));
    child.stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
