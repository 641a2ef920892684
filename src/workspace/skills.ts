/**
 * The skills a session may use: instructions for kinds of work, by the Agent Skills standard. Only their heads are read here; the rest is
 * read by whoever uses one.
 *
 * S1. Read as they are at this moment. One that cannot be used costs only itself, and says what mends it.
 * S2. By name, the first source wins: the home's skills stand before shared ones.
 * S3. Small breaches of the standard are told, and the skill is used all the same.
 */
import { join } from "node:path";
import { namesIn } from "./folder.ts";
import { readFrontMatter } from "./front-matter.ts";
import { DESCRIPTION, nameFaults, skillFaults } from "./skill-rules.ts";
import type { Text } from "./text.ts";

export interface Skill {
  name: string;
  description: string;
  /** Where the agent reads it. */
  path: string;
}
/** A folder of skills: `root` on the disk, `folder` below it, `mount` where the agent sees that folder. */
export interface SkillSource {
  root: string;
  folder: string;
  mount: string;
  read(file: string): Promise<Text>;
}
export interface Skills {
  found: Skill[];
  warnings: string[];
}
type Read = { skill?: Skill; warnings: string[] };

export async function readSkills(sources: readonly SkillSource[]): Promise<Skills> {
  const all = await Promise.all(sources.map(readSource));
  const found = new Map<string, Skill>();
  for (const { found: own } of all) for (const skill of own) if (!found.has(skill.name)) found.set(skill.name, skill);
  return { found: [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), warnings: all.flatMap(({ warnings }) => warnings) };
}

async function readSource(source: SkillSource): Promise<Skills> {
  const { files, folders } = await namesIn(source.root, source.folder);
  const single = files.filter((file) => /\.md$/i.test(file) && !/^(?:readme|_)/i.test(file));
  const reads = [
    ...folders.filter((name) => !name.startsWith("_")).map((name) => readFolder(source, name)),
    ...single.map((file) => readSkill(source, file, file.replace(/\.md$/i, ""))),
  ];
  const found: Skill[] = [];
  const warnings: string[] = [];
  for (const { skill, warnings: own } of await Promise.all(reads)) {
    warnings.push(...own);
    if (!skill) continue;
    if (found.some(({ name }) => name === skill.name))
      warnings.push(`${skill.path} is not used: another skill beside it is named ${skill.name}, too.`);
    else found.push(skill);
  }
  return { found, warnings };
}

/** Some write its name in small letters; the standard's own tools read it all the same. */
async function readFolder(source: SkillSource, name: string): Promise<Read> {
  const { files } = await namesIn(source.root, join(source.folder, name));
  const small = !files.includes("SKILL.md") && files.includes("skill.md");
  return readSkill(source, `${name}/${small ? "skill.md" : "SKILL.md"}`, name);
}

async function readSkill({ folder, mount, read }: SkillSource, file: string, home: string): Promise<Read> {
  const path = `${mount}/${file}`;
  const { text, problem } = await read(folder === "" ? file : `${folder}/${file}`);
  if (text === undefined) return { warnings: [problem?.what ?? `${path} is missing, so there is no skill ${home}.`] };
  const head = readFrontMatter(text);
  if (!head.ok) return { warnings: [`${path} is not used: ${head.wrong}.`] };
  const { name, description } = head.data;
  if (typeof description !== "string" || !description.trim()) return { warnings: [`${path} is not used: it has no description.`] };
  const faults = skillFaults(head.data, home);
  return {
    skill: {
      name: typeof name === "string" && nameFaults(name, name).length === 0 ? name : home,
      description: description.replace(/\s+/g, " ").trim().slice(0, DESCRIPTION),
      path,
    },
    warnings: [...faults.map((fault) => `${path} breaks the rules for skills: ${fault}.`), ...(problem ? [problem.what] : [])],
  };
}
