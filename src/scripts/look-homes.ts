/** What the doctor looks at in the homes: their files, their policy, their tool servers, and whether their journals can be read to the end. */
import { existsSync } from "node:fs";
import { cronProblem } from "../clock.ts";
import type { Config } from "../config.ts";
import { parseToolsFile } from "../mcp/tools-file.ts";
import { examine, repair } from "../store/repair.ts";
import { homeName, leftBy, type OpenHomes } from "../workspace/homes.ts";
import { readSkills } from "../workspace/skills.ts";
import { readSubagents } from "../workspace/subagents.ts";
import { type Finding, note, well, wrong } from "./finding.ts";
import { lookAtServers } from "./look-servers.ts";
import { journalPath } from "./open.ts";

const SHOWN = 20;

export async function lookAtHomes(homes: OpenHomes, config: Config, mend: boolean, start: boolean): Promise<Finding[]> {
  const names = await homes.list();
  if (names.length === 0) return [note("Homes", `none yet in ${config.workspacesDir}; one is made at a team's first message.`)];
  const looked = await Promise.all(
    names.map(async (name) => {
      const [files, servers] = await Promise.all([lookAtFiles(homes, name, config), lookAtServers(config, name, homes.home(name), start)]);
      return [...files, ...servers, ...lookAtJournal(homes, name, mend)];
    }),
  );
  return [...(await claims(homes, names)), ...looked.flat()];
}

/** A team that two homes claim is served by neither; one that a home was made for can be claimed by another. */
async function claims(homes: OpenHomes, names: readonly string[]): Promise<Finding[]> {
  const claimed = new Map<string, string[]>();
  for (const name of names)
    for (const team of (await homes.home(name).policy()).policy.platforms) claimed.set(team, [...(claimed.get(team) ?? []), name]);
  return [...claimed].flatMap(([team, by]): Finding[] => {
    if (by.length > 1)
      return [
        wrong("Homes", `${team} is claimed by ${by.join(" and ")}, so neither serves it. Take it out of "platforms" in all but one.`),
      ];
    const [at, own] = [by[0] ?? "", homeName(team.slice(0, team.indexOf(":")), team.slice(team.indexOf(":") + 1))];
    return own !== at && names.includes(own) ? [note("Homes", leftBy(team, own, at))] : [];
  });
}

async function lookAtFiles(homes: OpenHomes, name: string, config: Config): Promise<Finding[]> {
  const home = homes.home(name);
  const about = `Home ${name}`;
  const [{ policy, broken }, ...texts] = await Promise.all([
    home.policy(),
    ...["AGENTS.md", "KNOWLEDGE.md", "tools.json"].map((file) => home.read(file)),
  ]);
  const tools = parseToolsFile(texts[2]?.text ?? "");
  const [skills, helpers] = await Promise.all([
    readSkills([{ root: home.dir, folder: "skills", mount: "/home/skills", read: home.read }]),
    readSubagents(home),
  ]);
  const { teams = [] } = await homes.rules(name);
  const served = (id: string): boolean => teams.some((team) => team.startsWith(id.slice(0, id.indexOf(":") + 1)));
  const foreign = policy.approvals.notify.filter((id) => !served(id));
  const { announce, cron } = policy.consolidation;
  const night = cronProblem({ cron, timezone: policy.timezone });
  const unset = policy.secrets.filter((secret) => config.secrets[secret] === undefined);
  const found: Finding[] = [
    ...(broken ? [wrong(about, broken.what)] : []),
    ...texts.flatMap(({ problem }) => (problem ? [wrong(about, problem.what)] : [])),
    ...(tools.ok ? [] : [wrong(about, tools.problem)]),
    ...unset.map((secret) =>
      wrong(about, `policy.json lists the secret ${secret}, but SECRET_${secret} is not set. Set it, or take it out.`),
    ),
    ...foreign.map((id) =>
      wrong(about, `approvals.notify names ${id}, but this home serves no team there, so nobody is told. Add that team to "platforms".`),
    ),
    ...(night ? [wrong(about, `${night} Until it is mended no night is kept.`)] : []),
    ...(announce === undefined || served(announce) || (config.console && announce.startsWith("console:"))
      ? []
      : [
          wrong(
            about,
            `consolidation.announce names ${announce}, but this home serves no team there, so nobody is told what nights learn. Add that team to "platforms".`,
          ),
        ]),
    ...[...skills.warnings, ...helpers.warnings].map((warning) => wrong(about, warning)),
  ];
  return found.length ? found : [well(about, `its files can be used. Time zone ${policy.timezone}.`)];
}

function lookAtJournal(homes: OpenHomes, name: string, mend: boolean): Finding[] {
  const path = journalPath(homes.home(name).dir);
  const about = `Journal of ${name}`;
  if (!existsSync(path)) return [note(about, "there is none yet.")];
  const problem = examine(path);
  if (problem === undefined) return [well(about, "can be read to the end.")];
  if (!mend)
    return [
      wrong(about, `${path} is damaged (${problem}), so its home stays closed. Stop the product, and run \`npm run doctor -- --repair\`.`),
    ];
  const done = repair(path, new Date());
  if ("error" in done) return [wrong(about, done.error)];
  const { kept, upTo, dropped, because, copy } = done;
  const until = upTo === null ? "" : ` up to ${new Date(upTo).toISOString()}`;
  const lines = dropped.slice(0, SHOWN).map(({ at, session, type }) => `  - ${new Date(at).toISOString()} ${session}: ${type}`);
  const lost = dropped.length
    ? `Dropped, though they could still be read (${dropped.length}):\n${lines.join("\n")}${dropped.length > SHOWN ? "\n  - …" : ""}`
    : "Nothing behind that could be read.";
  return [
    well(
      about,
      `mended: ${kept} events${until} are kept; it broke off there (${because}). ${lost}\n  The damaged file is kept as ${copy}.`,
    ),
  ];
}
