/**
 * `task`: hands a piece of work to a helper. It never runs as a tool: a session of the helper's own does the work, and what it answers
 * in the end is the call's result.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Tool } from "../core/ports.ts";
import { define, failed } from "./define.ts";

/** A helper that can be chosen. `print` changes whenever what it is told or may do does. */
export interface Choice {
  name: string;
  description: string;
  print: string;
}

export function task(choices: readonly Choice[]): Tool {
  const names = listed(choices.map(({ name }) => name));
  const tool = define({
    name: "task",
    description:
      "Hand a self-contained piece of work to a helper, which works by itself and gives back one report. It sees nothing of this conversation: put all it needs into the description, and say what the report should hold. Several calls in one answer run side by side.",
    input: z.object({
      description: z.string().trim().min(1, "says what is to be done"),
      subagent_type: z
        .string()
        .trim()
        .refine((name) => choices.some((choice) => choice.name === name), { error: ({ input }) => unknown(String(input), names) })
        .describe(
          `One of: ${listed(
            choices.map(({ name, description }) => `${name} (${short(description)})`),
            "; ",
          )}`,
        ),
    }),
    aliases: { prompt: "description", agent: "subagent_type", type: "subagent_type" },
    repeatable: false,
    subject: ({ subagent_type }) => subagent_type,
    run: async () => failed("No helper took this up. Call it again if it is still needed."),
  });
  const digest = createHash("sha256")
    .update(JSON.stringify([tool.digest, choices]))
    .digest("hex");
  return { ...tool, digest, helper: true };
}

const unknown = (name: string, names: string): string => `there is no helper “${name}”. There are: ${names}`;
/** The first of many: what is told stays bounded. */
const TOLD = 50;
const listed = (items: readonly string[], between = ", "): string =>
  [...items.slice(0, TOLD), ...(items.length > TOLD ? [`and ${items.length - TOLD} more in /home/subagents`] : [])].join(between);
const short = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 200)}…`);
