/** Opens one home for a job that a person started in a terminal, beside the running product or without it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Config, loadEnvFile, readConfig } from "../config.ts";
import { type Journal, UserError } from "../core/ports.ts";
import { scrubber } from "../core/scrub.ts";
import { openLog } from "../log.ts";
import { openJournal } from "../store/journal.ts";
import { type OpenHomes, openHomes } from "../workspace/homes.ts";

export interface Job {
  config: Config;
  homes: OpenHomes;
  home: string;
  dir: string;
  scrub(text: string): string;
  journal: Journal;
}

export function journalPath(dir: string): string {
  return join(dir, "agents", "main", "context", "journal.db");
}

/** `--home NAME` and what else a job is told. */
export function wishes(...names: string[]): Record<string, string> {
  const options = Object.fromEntries(["home", ...names].map((name) => [name, { type: "string" as const }]));
  const usage = `Say it like this: ${["home", ...names].map((name) => `--${name} ${name.toUpperCase()}`).join(" ")}`;
  try {
    const { values } = parseArgs({ options });
    const found = Object.entries(values).flatMap(([name, value]) => (typeof value === "string" && value ? [[name, value] as const] : []));
    if (found.length === names.length + 1) return Object.fromEntries(found);
  } catch {
    throw new UserError(usage);
  }
  throw new UserError(usage);
}

export async function openHome(home: string): Promise<Omit<Job, "journal">> {
  loadEnvFile(".env");
  const config = readConfig(process.env);
  const { workspacesDir, templateDir, dataDir, stepLimit } = config;
  const log = openLog({ level: "silent", secrets: config.masked });
  const homes = openHomes({ workspacesDir, templateDir, dataDir, stepLimit, log });
  const known = await homes.list();
  if (!known.includes(home)) {
    throw new UserError(
      `There is no home ${home} in ${workspacesDir}. There ${known.length === 1 ? "is" : "are"}: ${known.join(", ") || "none"}.`,
    );
  }
  return { config, homes, home, dir: homes.home(home).dir, scrub: scrubber(config.masked) };
}

export async function openJob(home: string): Promise<Job> {
  const opened = await openHome(home);
  const path = journalPath(opened.dir);
  await mkdir(join(path, ".."), { recursive: true });
  return { ...opened, journal: openJournal(path) };
}

/** A sentence for people on failure, and the exit code. */
export function run(work: () => Promise<number>): void {
  work().then(
    (code) => process.exit(code),
    (error: unknown) => {
      const text = error instanceof UserError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`${text}\n`);
      process.exit(1);
    },
  );
}
