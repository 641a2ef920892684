/** `execute`: a command in the sandbox. There only where a sandbox is; real ones ask first. Never repeated after a crash. */
import { z } from "zod";
import type { Tool, ToolContext } from "../core/ports.ts";
import type { Mount, Ran, Sandbox } from "../sandbox/sandbox.ts";
import { define } from "./define.ts";

const SECONDS = 60;
const LONGEST = 600;
export type MountsFor = (context: ToolContext) => Promise<Mount[]>;

export const execute = (sandbox: Sandbox, mountsFor: MountsFor): Tool =>
  define({
    name: "execute",
    description: `Run a shell command. ${sandbox.notes} Standard output and error come together. The limit is ${SECONDS} seconds unless timeout (at most ${LONGEST}) says otherwise.`,
    input: z.object({ command: z.string().min(1, "a command has words"), timeout: z.number().int().min(1).max(LONGEST).optional() }),
    aliases: { cmd: "command" },
    repeatable: false,
    risk: () => (sandbox.kind === "virtual" ? "none" : "ask"),
    subject: ({ command }) => command,
    async run({ command, timeout = SECONDS }, context) {
      const mounts = await mountsFor(context);
      const ran = await sandbox.run({ command, mounts, seconds: timeout, signal: context.signal });
      return { content: told(ran, timeout), failed: ran.code !== 0 };
    },
  });

function told({ output, code, ended }: Ran, seconds: number): string {
  const last = {
    itself: `[exit code ${code}]`,
    time: `[ended after ${seconds} s: the time limit]`,
    output: "[ended: it printed too much; what came until then is above]",
    stopped: "[stopped]",
  }[ended];
  return output ? `${output.replace(/\n$/, "")}\n${last}` : last;
}
