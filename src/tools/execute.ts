/**
 * `execute`: a command in the sandbox. There only where a sandbox is; real ones ask first. Never repeated after a crash.
 *
 * E1. Where there is no room left nothing is run, and a command that uses it up is ended: looked at before, every so often, and after.
 */
import { z } from "zod";
import type { Tool, ToolContext } from "../core/ports.ts";
import type { Mount, Ran, Sandbox } from "../sandbox/sandbox.ts";
import { define } from "./define.ts";

const SECONDS = 60;
const LONGEST = 600;
export interface ExecuteOn {
  sandbox: Sandbox;
  mountsFor(context: ToolContext): Promise<Mount[]>;
  /** Why what lies at one of these paths has no room left. */
  full(context: ToolContext, paths: readonly string[]): Promise<string | undefined>;
}
/** Between two looks at the room, in ms; longer where looking takes long. */
const LOOK = 500;
const SHARE = 10;

export const execute = ({ sandbox, mountsFor, full }: ExecuteOn): Tool =>
  define({
    name: "execute",
    description: `Run a shell command. ${sandbox.notes} It sees / and, of the rest, /home/files, /home/skills, /memories, /skills, /evicted, /attachments. Output and errors come together. timeout: seconds, default ${SECONDS}.`,
    input: z.object({ command: z.string().min(1, "a command may not be empty"), timeout: z.number().int().min(1).max(LONGEST).optional() }),
    aliases: { cmd: "command" },
    repeatable: false,
    risk: () => (sandbox.kind === "virtual" ? "none" : "ask"),
    subject: ({ command }) => command,
    async run({ command, timeout = SECONDS }, context) {
      const mounts = await mountsFor(context);
      const paths = mounts.filter(({ writable }) => writable).map(({ at }) => at);
      const before = await full(context, paths);
      if (before) return { content: `Not run: ${before}.`, failed: true };
      const watch = watching(() => full(context, paths), context.signal);
      const ran = await sandbox.run({ command, mounts, seconds: timeout, signal: watch.signal });
      const ended = watch.end();
      if (ended) return { content: told(ran.output, `ended: ${ended}`), failed: true };
      const after = await full(context, paths);
      return { content: told(ran.output, last(ran, timeout)) + (after ? `\n[${after}]` : ""), failed: ran.code !== 0 };
    },
  });

/** Aborts with the given signal, or when there is something to say; `end` gives what that was. */
function watching(look: () => Promise<string | undefined>, given: AbortSignal): { signal: AbortSignal; end(): string | undefined } {
  const stop = new AbortController();
  let why: string | undefined;
  let timer: NodeJS.Timeout;
  const later = (ms: number): void => {
    timer = setTimeout(() => void again(), ms).unref();
  };
  const again = async (): Promise<void> => {
    const began = performance.now();
    why ??= await look().catch(() => undefined);
    if (why) stop.abort();
    else if (!ended) later(Math.max(LOOK, SHARE * (performance.now() - began)));
  };
  let ended = false;
  later(LOOK);
  return {
    signal: AbortSignal.any([given, stop.signal]),
    end: () => {
      ended = true;
      clearTimeout(timer);
      return why;
    },
  };
}

const last = ({ code, ended }: Ran, seconds: number): string =>
  ({
    itself: `exit code ${code}`,
    time: `ended after ${seconds} s: the time limit`,
    output: "ended: it printed too much; what came until then is above",
    stopped: "stopped",
  })[ended];

const told = (output: string, end: string): string => (output ? `${output.replace(/\n$/, "")}\n[${end}]` : `[${end}]`);
