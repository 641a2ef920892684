/**
 * `propose_skill`: a new skill of the home, or a new text for one. People see the whole of it on the card, and an administrator decides.
 *
 * P1. What is written keeps to the Agent Skills standard; secrets and ways round people's decisions are refused before anybody is asked.
 */
import { z } from "zod";
import type { Tool, ToolContext } from "../core/ports.ts";
import { isError } from "../files/refusal.ts";
import { DESCRIPTION, nameFaults, unfitSkill } from "../workspace/skill-rules.ts";
import { unified } from "../workspace/unified.ts";
import { define, done } from "./define.ts";
import { refused } from "./paths.ts";
import type { FilesFor } from "./read-files.ts";
import { decode, encode } from "./text.ts";

const LONGEST = 50_000;
const input = z
  .object({
    name: z
      .string()
      .trim()
      .superRefine((name, context) => {
        for (const message of nameFaults(name, name)) context.addIssue({ code: "custom", message });
      }),
    description: z.string().trim().min(1, "says what it does and when to use it").max(DESCRIPTION, `has at most ${DESCRIPTION} characters`),
    instructions: z.string().trim().min(1, "says how the work is done").max(LONGEST, `has at most ${LONGEST} characters`),
  })
  .superRefine((skill, context) => {
    const why = unfitSkill([skill.name, skill.description, skill.instructions].join("\n"));
    if (why) context.addIssue({ code: "custom", message: why });
  });
type Skill = z.output<typeof input>;

export const proposeSkill = (filesFor: FilesFor): Tool => {
  const tool = define({
    name: "propose_skill",
    description:
      "Propose to keep how a kind of work is done as a skill of this home, or a better text for one. An administrator sees it whole and decides. Describe what it does and when to use it; write the instructions in Markdown, short, for somebody who was not here.",
    input,
    aliases: { body: "instructions", content: "instructions" },
    repeatable: true,
    risk: () => "admin",
    leaves: () => true,
    subject: () => null,
    async run(skill, context) {
      const path = pathOf(skill);
      const written = await filesFor(context).write(path, encode(fileOf(skill)));
      return isError(written) ? refused(path, written) : done(`Kept as ${path}. It can be used from the next step on.`);
    },
  });
  const preview = async (given: Parameters<Tool["run"]>[0], context: ToolContext): Promise<string> => {
    const skill = input.parse(given);
    const path = pathOf(skill);
    const before = await filesFor(context).read(path);
    const text = isError(before) ? undefined : decode(before);
    return unified(path, text?.ok ? text.text : "", fileOf(skill));
  };
  return { ...tool, preview };
};

const pathOf = ({ name }: Skill): string => `/home/skills/${name}/SKILL.md`;
/** Texts in JSON's quotes are YAML, whatever is in them. */
const fileOf = ({ name, description, instructions }: Skill): string =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${instructions}\n`;
