/** The rooms that the others stand on, made once from the configuration. What is not configured is not loaded. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import { type Adapter, type Journal, type Log, type Model, UserError } from "../core/ports.ts";
import { scrubber } from "../core/scrub.ts";
import { keyed } from "../keyed.ts";
import type { SignIn } from "../mcp/accounts.ts";
import { openServers, type Servers } from "../mcp/servers.ts";
import { homeMemory, type Memory } from "../memory/memory.ts";
import { observer } from "../observe/observe.ts";
import { type SentLately, sentLately } from "../observe/sent.ts";
import { openSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import { openJournal } from "../store/journal.ts";
import { type OpenHomes, openHomes } from "../workspace/homes.ts";
import { openTexts } from "../workspace/text.ts";
import { samplerOf } from "./sampling.ts";

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
  /** What the last steps were sent. */
  sent: SentLately;
}

async function modelOf({ anthropic: { key, baseUrl }, model }: Config, scrub: (text: string) => string): Promise<Model> {
  if (!key) return (await import("../model/offline.ts")).offline();
  return (await import("../model/anthropic.ts")).anthropic({ apiKey: key, baseURL: baseUrl, model, scrub });
}

/** How people sign in at servers: what was given is kept encrypted, and answers come to where the outside reaches this process. */
function signInOf({ dataDir, encryptionKey: key, publicUrl, console, healthPort }: Config, homes: OpenHomes, log: Log): SignIn {
  const closed = !console && healthPort === undefined;
  return {
    folder: join(dataDir, "mcp"),
    key,
    publicUrl,
    unreachable: closed ? "no answer can arrive while CONSOLE_PORT is off: the operator sets HEALTH_PORT" : undefined,
    wanted: async (home) => {
      const one = homes.home(home);
      const [{ text = "" }, { policy }] = await Promise.all([one.read("tools.json"), one.policy()]);
      return { home, directory: one.dir, text, trust: policy.trust, secrets: policy.secrets, sampling: policy.sampling };
    },
    warn: (text, facts) => log.warn(facts, text),
  };
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
  const model = await modelOf(config, scrub);
  const servers = openServers({
    log: (text, facts) => log.info(facts, text),
    debug: (text, facts) => log.debug(facts, text),
    stdio,
    secret: (name) => secrets[name],
    sampler: samplerOf(homes, model, config.model),
    signIn: signInOf(config, homes, log),
  });
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
    model,
    metrics: observed.text,
    sent: sentLately(),
  };
}
