/**
 * Before each step: which skills there are, by name, description and path. What stands in one is read when it is needed.
 *
 * K1. Read anew at every step; one that is broken is told to people once and hides no other.
 * K2. A helper is told of the skills its file names, and of none if it cannot read them.
 */
import type { Hook, Moment, Offer } from "../core/ports.ts";
import { matchesLabel } from "../workspace/glob.ts";
import type { OpenHomes } from "../workspace/homes.ts";
import { readSkills, type Skill, type SkillSource } from "../workspace/skills.ts";
import { readSubagents } from "../workspace/subagents.ts";

export interface DynamicSkills {
  homes: Pick<OpenHomes, "home">;
  /** The skills of all homes. */
  shared: SkillSource;
}

/** More would crowd the prompt; the others are found with `ls`. */
const TOLD = 100;

export function dynamicSkills({ homes, shared }: DynamicSkills): Hook {
  return {
    name: "dynamic-skills",
    async preReasoning(moment): Promise<Offer> {
      const home = homes.home(moment.home);
      const own: SkillSource = { root: home.dir, folder: "skills", mount: "/home/skills", read: home.read };
      const { found, warnings } = await readSkills([own, shared]);
      const chosen = await choice(homes, moment);
      const skills = found.filter(({ name }) => chosen.some((pattern) => matchesLabel(pattern, name)));
      return { system: skills.length ? [{ rank: "skills", text: described(skills) }] : [], warnings };
    },
  };
}

/** Patterns of the skills a session is told of. */
async function choice(homes: DynamicSkills["homes"], { home, state }: Moment): Promise<readonly string[]> {
  const agent = state.opened?.parent?.agent;
  if (agent === undefined) return ["*"];
  const helper = (await readSubagents(homes.home(home))).found.find(({ name }) => name === agent);
  const reads = helper?.tools?.some((pattern) => matchesLabel(pattern, "read_file")) ?? true;
  return reads ? (helper?.skills ?? ["*"]) : [];
}

const described = (skills: readonly Skill[]): string =>
  [
    "# Skills",
    "Instructions for kinds of work. When one fits what you are about to do, read its file first and follow it. Paths in it begin at its folder. If work went well that the team will need again, offer to keep how it is done with `propose_skill`.",
    "",
    ...skills.slice(0, TOLD).map(({ name, description, path }) => `- ${name}: ${description} (${path})`),
    ...(skills.length > TOLD ? [`- and ${skills.length - TOLD} more below /home/skills and /skills`] : []),
  ].join("\n");
