/** The rooms that the others stand on, made once from the configuration. What is not configured is not loaded. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import { type Adapter, type Journal, type Log, type Model, UserError } from "../core/ports.ts";
import { scrubber } from "../core/scrub.ts";
import { keyed } from "../keyed.ts";
import { openServers, type Servers } from "../mcp/servers.ts";
import { homeMemory, type Memory } from "../memory/memory.ts";
import { observer } from "../observe/observe.ts";
import { openSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import { openJournal } from "../store/journal.ts";
import { type OpenHomes, openHomes } from "../workspace/homes.ts";
import { openTexts } from "../workspace/text.ts";

const SHARED_SKILLS = fileURLToPath(new URL("../../skills", import.meta.url));
export const sharedSkills = { root: SHARED_SKILLS, folder: "", mount: "/skills", read: openTexts(SHARED_SKILLS) };

export interface House {
  config: Config;
  log: Log;
  scrub(text: string): string;
  homes: OpenHomes;
  journal(home: string): Promise<Journal>;
  journals(): Promise<Journal>[];
  memory(home: string): Memory;
  servers: Servers;
  /** Where commands of the agent run; none: they are not offered. */
  sandbox: Sandbox | undefined;
  adapters: Map<string, Adapter>;
  model: Model;
  /** Everything counted so far, as Prometheus reads it. */
  metrics(): string;
}

async function modelOf({ anthropic: { key, baseUrl }, model }: Config, scrub: (text: string) => string): Promise<Model> {
  if (!key) return (await import("../model/offline.ts")).offline();
  return (await import("../model/anthropic.ts")).anthropic({ apiKey: key, baseURL: baseUrl, model, scrub });
}

export async function build(config: Config, log: Log): Promise<House> {
  const scrub = scrubber(config.masked);
  const { workspacesDir, templateDir, dataDir, stepLimit, mcpStdio: stdio, secrets } = config;
  const homes = openHomes({ workspacesDir, templateDir, dataDir, stepLimit, log });
  const observed = observer(config.anthropic.key ? "anthropic" : "offline", (error) =>
    log.error({ err: error }, "what happened could not be counted"),
  );
  const open = async (home: string): Promise<Journal> => {
    // A folder made for the journal alone would be taken for a home that somebody prepared.
    if (!(await homes.list()).includes(home)) throw new UserError(`There is no home named ${home} yet.`);
    const folder = join(homes.home(home).dir, "agents", "main", "context");
    await mkdir(folder, { recursive: true });
    return observed.watch(home, openJournal(join(folder, "journal.db")));
  };
  // What could not be opened is tried again, so that a repaired home needs no restart.
  const journals = keyed(
    (home: string): Promise<Journal> =>
      open(home).catch((error: unknown) => {
        journals.drop(home);
        throw error;
      }),
  );
  const memories = keyed((home) => homeMemory(homes.home(home).dir, () => journals.get(home)));
  const servers = openServers({ log: (text, facts) => log.info(facts, text), stdio, secret: (name) => secrets[name] });
  return {
    config,
    log,
    scrub,
    homes,
    journal: journals.get,
    journals: journals.all,
    memory: memories.get,
    servers,
    sandbox: await openSandbox(config.sandbox, log),
    adapters: new Map(),
    model: await modelOf(config, scrub),
    metrics: observed.text,
  };
}
