/** Words about how the product is, what it can do and what it costs. */
import { HOME_SESSION } from "../core/id.ts";
import { NIGHT, type Reply } from "../core/ports.ts";
import type { Part } from "../core/view.ts";
import { changeLines } from "../workspace/keeping.ts";
import { originLink } from "../workspace/origin.ts";
import { readSkills } from "../workspace/skills.ts";
import { type Asked, lines, page } from "./asked.ts";

const CHANGES = 3;

export async function status(asked: Asked): Promise<Reply> {
  const { on, rules, home, journal, scopes, command } = asked;
  const { paused } = await journal.state(HOME_SESSION);
  const policy =
    rules.broken ??
    `Who may talk: ${rules.who("talk", command.place.platform)}. Who may approve: ${rules.who("approve", command.place.platform)}.`;
  const state = paused ? [`Paused by ${paused.by.name} since ${new Date(paused.at).toISOString().slice(0, 16).replace("T", " ")} UTC`] : [];
  // Guests see only what is theirs, and the team's files are not.
  const { commits } = scopes.includes("team") ? await on.homes.history(home).commits({ limit: CHANGES }) : { commits: [] };
  const changes = await changeLines(commits, scopes, (commit) => originLink(commit, journal, on.link));
  const parts: Part[] = [{ kind: "list", items: [...state, ...on.status(), policy] }];
  if (changes.length) parts.push({ kind: "text", text: "**Latest changes of my home**" }, { kind: "list", items: changes });
  if (changes.length && command.place.platform !== "console")
    parts.push({ kind: "note", text: "All of them, with a way back, are in the console." });
  return page("How I am", parts);
}

export async function usage({ on, journal, rules, command }: Asked): Promise<Reply> {
  const day = new Date(on.now()).toISOString().slice(0, 10);
  const [own, all] = await Promise.all([journal.usage(day, command.by.id), journal.usage(day)]);
  const nights = all.filter(({ person }) => person === NIGHT);
  const sum = (rows: typeof all) => rows.reduce((total, row) => total + row.input + row.output, 0).toLocaleString("en");
  const of = (most: number | undefined) => (most === undefined ? "" : ` of ${most.toLocaleString("en")}`);
  const rows: [string, string][] = [
    ["You", `${sum(own)}${of(rules.budget?.tokensPerPersonPerDay)}`],
    ["This home", `${sum(all)}${of(rules.budget?.tokensPerDay)}`],
    ...(nights.length ? [["Of that, the nights", sum(nights)] satisfies [string, string]] : []),
  ];
  return page("Tokens today (UTC)", [{ kind: "fields", rows }]);
}

export async function skills({ on, home }: Asked): Promise<Reply> {
  const { dir, read } = on.homes.home(home);
  const { found, warnings } = await readSkills([{ root: dir, folder: "skills", mount: "/home/skills", read }, ...on.sharedSkills]);
  const items = [
    ...warnings.map((warning) => `⚠️ ${warning}`),
    ...found.map(({ name, description }) => `**${name}**: ${shortly(description)}`),
  ];
  return lines("Skills", items, "There are none yet. A skill is a folder below skills/ with a SKILL.md.");
}

/** Its first words, whole ones; of scripts that set no spaces its first signs. */
const shortly = (text: string): string => {
  const signs = [...text];
  const first = signs.slice(0, 120).join("");
  return signs.length > 120 ? `${first.replace(/\s+\S{0,30}$/, "")} …` : text;
};
