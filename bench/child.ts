/**
 * Programs that are measured each run in a process of their own, so that neither's garbage is the other's cost.
 * A program takes its job as JSON in its first argument and prints one line of JSON.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

export interface Started {
  child: ChildProcess;
  lines: AsyncIterator<string>;
}

/** A young generation this small takes 25 to 40 MB less beside 200 working sessions, and no more time. */
const FLAGS = ["--max-semi-space-size=2", "--import", "tsx"];

/** Starts a program the way `npm start` does. */
export function start(
  file: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  flags: readonly string[] = [],
): Started {
  const all = [...FLAGS, ...flags, file, ...args];
  const child = spawn(process.execPath, all, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  if (!child.stdout) throw new Error("a child without an output");
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

/** What a program of `bench/programs` prints. */
export async function run<T>(program: string, job: object): Promise<T> {
  const { child, lines } = start(`bench/programs/${program}.ts`, [JSON.stringify(job)], {}, ["--expose-gc"]);
  const ended = once(child, "exit");
  const line = await lines.next();
  const [code] = await ended;
  if (code !== 0 || line.done) throw new Error(`bench/programs/${program}.ts ended with ${code}`);
  return JSON.parse(line.value) as T;
}

export async function stop({ child }: Started): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

/** The local model, in a process of its own: its CPU is nobody's cost. */
export async function withProvider<T>(use: (url: string) => Promise<T>): Promise<T> {
  const provider = start("bench/programs/provider.ts");
  try {
    const { value } = await provider.lines.next();
    return await use(String(value));
  } finally {
    await stop(provider);
  }
}
