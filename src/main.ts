/**
 * Puts the house together and keeps it running: the only file that knows every room.
 *
 * - What is not configured is not loaded.
 * - The line `ready` comes once every configured adapter is connected; one that cannot connect is tried again and spoils nothing else.
 * - SIGTERM: no more events are taken, what is being written is finished, exit 0 within ten seconds.
 */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { commands } from "./commands/commands.ts";
import { type Config, loadEnvFile, readConfig } from "./config.ts";
import { conversation } from "./core/conversation.ts";
import { type Adapter, type Hook, type Journal, type Log, type Model, type Moment, type Standing, UserError } from "./core/ports.ts";
import { visibleScopes } from "./core/scope.ts";
import { scrubber } from "./core/scrub.ts";
import { evictedFiles, mounts } from "./files/mounts.ts";
import { Harness } from "./harness/harness.ts";
import { told } from "./harness/world.ts";
import { type Health, serveHealth } from "./health.ts";
import { approval } from "./hooks/approval.ts";
import { dynamicTools } from "./hooks/dynamic-tools.ts";
import { resultEviction } from "./hooks/result-eviction.ts";
import { workspaceContext } from "./hooks/workspace-context.ts";
import { connect, onSignals, watchFaults } from "./life.ts";
import { openLog } from "./log.ts";
import { openServers, type Servers } from "./mcp/servers.ts";
import { homeMemory, type Memory } from "./memory/memory.ts";
import { openJournal } from "./store/journal.ts";
import { builtinTools } from "./tools/index.ts";
import { FILE_NOTES } from "./tools/notes.ts";
import { type OpenHomes, openHomes } from "./workspace/homes.ts";

const CLOSE_WITHIN = 5_000;
const SHARED_SKILLS = fileURLToPath(new URL("../skills", import.meta.url));

interface House {
  config: Config;
  log: Log;
  scrub(text: string): string;
  homes: OpenHomes;
  journal(home: string): Promise<Journal>;
  journals(): Promise<Journal>[];
  memory(home: string): Memory;
  servers: Servers;
  adapters: Map<string, Adapter>;
  model: Model;
}

/** One value a key, made at the first use. */
function keyed<T>(make: (key: string) => T): { get(key: string): T; all(): T[]; drop(key: string): void } {
  const known = new Map<string, T>();
  const get = (key: string): T => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
  return { get, all: () => [...known.values()], drop: (key) => void known.delete(key) };
}

async function modelOf({ anthropic: { key, baseUrl }, model }: Config, scrub: (text: string) => string): Promise<Model> {
  if (!key) return (await import("./model/offline.ts")).offline();
  return (await import("./model/anthropic.ts")).anthropic({ apiKey: key, baseURL: baseUrl, model, scrub });
}

async function build(config: Config, log: Log): Promise<House> {
  const scrub = scrubber(config.masked);
  const { workspacesDir, templateDir, dataDir, stepLimit, mcpStdio: stdio, secrets } = config;
  const homes = openHomes({ workspacesDir, templateDir, dataDir, stepLimit, log });
  const open = async (home: string): Promise<Journal> => {
    // A folder made for the journal alone would be taken for a home that somebody prepared.
    if (!(await homes.list()).includes(home)) throw new UserError(`There is no home named ${home} yet.`);
    const folder = join(homes.home(home).dir, "agents", "main", "context");
    await mkdir(folder, { recursive: true });
    return openJournal(join(folder, "journal.db"));
  };
  // What could not be opened is tried again, so that a repaired home needs no restart.
  const journals = keyed(
    (home: string): Promise<Journal> =>
      open(home).catch((error: unknown) => {
        journals.drop(home);
        throw error;
      }),
  );
  const memories = keyed((home) => homeMemory(homes.home(home).dir));
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
    adapters: new Map(),
    model: await modelOf(config, scrub),
  };
}

/** The built-in tools, made anew only when a home is frozen or thawed. */
function toolsHook({ homes, memory }: House): Hook {
  const made = keyed((key) => {
    const [home = "", frozen = ""] = key.split("\n");
    return builtinTools({
      memoryFor: (context) => memory(context.home),
      filesFor: ({ session, scope, by, state }) =>
        mounts({
          homeDir: homes.home(home).dir,
          sharedSkillsDir: SHARED_SKILLS,
          session,
          scope,
          seesTeam: visibleScopes(scope, by).includes("team"),
          ...(frozen ? { frozen } : {}),
          ...(state.context.cut > 0 ? { history: () => conversation(state) } : {}),
        }),
    });
  });
  return {
    name: "builtin-tools",
    async preReasoning({ home }) {
      const { broken } = await homes.home(home).policy();
      const system = [{ rank: "tools" as const, text: FILE_NOTES }];
      return { system, tools: made.get(`${home}\n${broken?.what.replaceAll("\n", " ") ?? ""}`) };
    },
  };
}

/** In this order: what each adds to the prompt, then what judges a call, then what shortens its result. */
async function hooksOf(house: House): Promise<Hook[]> {
  const { config, homes, journal, memory, servers, adapters } = house;
  const evicted = ({ home, session }: Moment) => evictedFiles(homes.home(home).dir, session);
  const policy = async (home: string) => (await homes.home(home).policy()).policy;
  const own = config.hooks ? await peoplesHooks(config.hooks) : [];
  return [
    workspaceContext({ homes, memoryFor: ({ home, scope, by }) => memory(home).read(visibleScopes(scope, by)) }),
    toolsHook(house),
    dynamicTools({
      servers,
      readTools: async (home) => {
        const { text } = await homes.home(home).read("tools.json");
        return text === undefined ? undefined : { text };
      },
      directory: (home) => homes.home(home).dir,
      trust: async (home) => (await policy(home)).trust,
      secrets: async (home) => (await policy(home)).secrets,
    }),
    approval({
      homes,
      grants: async (home, session) => (await journal(home)).grants(session),
      standing: async (place, person) => (await adapters.get(place.platform)?.standing(place, person)) ?? STRANGER,
    }),
    resultEviction(evicted),
    ...own,
  ];
}
const STRANGER: Standing = { member: false, guest: false, external: true, owner: false, bot: false, groups: [] };

async function peoplesHooks(file: string): Promise<Hook[]> {
  const module: { default?: unknown } = await import(pathToFileURL(resolve(file)).href);
  if (!Array.isArray(module.default)) throw new UserError(`HOOKS names ${file}, but its default export is not a list of hooks.`);
  return module.default;
}

async function inboxOf(house: House): Promise<Harness> {
  const { config, homes, journal, memory, servers, adapters, model, scrub, log } = house;
  const words = commands({
    homes,
    journal,
    facts: async (home, scopes) => {
      const found = await memory(home).read(scopes);
      return found.flatMap(({ text }) => text.split("\n").filter((line) => line.startsWith("- "))).map((line) => line.slice(2));
    },
    servers: async (home) => {
      const [{ text }, { policy }] = await Promise.all([homes.home(home).read("tools.json"), homes.home(home).policy()]);
      const { trust, secrets } = policy;
      const { tools, down, problem } = await servers.offer({ home, directory: homes.home(home).dir, text: text ?? "", trust, secrets });
      const absent = down.map(({ server, why }) => `${server}: not available, ${why}`);
      return [
        ...(problem ? [problem] : []),
        ...absent,
        ...tools.map(({ label, description }) => `\`${label}\`: ${description.slice(0, 80)}`),
      ];
    },
    standing: async ({ place, by }) => adapters.get(place.platform)?.standing(place, by.id),
    link: (platform, channel, message) => adapters.get(platform)?.link({ channel, message }),
    status: () => [
      model.kind === "offline" ? "Model: the offline model (no key is set)" : `Model: ${config.model}`,
      ...[...adapters].map(([name, adapter]) => `${name}: ${adapter.health().ok ? "connected" : adapter.health().detail}`),
    ],
    now: Date.now,
  });
  const world = {
    journal,
    homes,
    platforms: adapters,
    model,
    modelName: model.kind === "offline" ? model.name : config.model,
    window: config.contextWindow,
    hooks: await hooksOf(house),
    now: Date.now,
    patience: 1,
    scrub,
    log,
    told: told(),
  };
  return new Harness(world, words);
}

/** Loads the adapters that are configured, and no others. */
async function addAdapters(house: House, inbox: Harness, health: () => Health): Promise<{ consoleUrl(): string | undefined }> {
  const { config, adapters, homes, log, scrub, journal } = house;
  let consoleUrl: () => string | undefined = () => undefined;
  if (config.console) {
    const { console } = await import("../adapters/console/console.ts");
    const folder = join(config.dataDir, "console");
    const sessions = async (home: string) => ((await homes.list()).includes(home) ? (await journal(home)).sessions({ limit: 500 }) : []);
    const made = console({ ...config.console, folder, log, health, sessions, notice: () => inbox.notice(), scrub });
    consoleUrl = made.url;
    adapters.set("console", made);
  }
  if (config.slack) {
    const { slack } = await import("../adapters/slack/slack.ts");
    adapters.set("slack", slack({ ...config.slack, log, scrub }));
  }
  return { consoleUrl };
}

async function main(): Promise<void> {
  loadEnvFile(".env");
  const config = readConfig(process.env);
  const log = openLog({ level: config.logLevel, secrets: config.masked });
  const house = await build(config, log);
  const { adapters, homes, model } = house;
  const closing = new AbortController();
  const health = (): Health => Object.fromEntries([...adapters].map(([name, adapter]) => [name, adapter.health()]));
  const inbox = await inboxOf(house);
  const { consoleUrl } = await addAdapters(house, inbox, health);
  if (!adapters.size) throw new UserError("Nothing is configured: the console is off, and there are no tokens of a platform.");
  const healthServer =
    !config.console && config.healthPort !== undefined ? await serveHealth(config.healthPort, "127.0.0.1", health) : undefined;
  watchFaults(log);
  const stop = onSignals(async () => {
    closing.abort();
    await Promise.allSettled([...adapters.values()].map((adapter) => adapter.stop()));
    await inbox.close(CLOSE_WITHIN);
    await Promise.allSettled([
      house.servers.close(),
      healthServer?.close(),
      ...house.journals().map(async (journal) => (await journal).close()),
    ]);
  }, log);
  if (model.kind === "offline") log.warn({}, "no ANTHROPIC_API_KEY is set: the offline model answers");
  await Promise.all([...adapters.values()].map((adapter) => connect(adapter, inbox, log, closing.signal)));
  if (closing.signal.aborted) return stop;
  const woken = await inbox.resume(await homes.list());
  const at = consoleUrl();
  log.info({ adapters: [...adapters.keys()], ...(at ? { console: at } : {}), model: model.kind, woken }, "ready");
}

main().catch((error: unknown) => {
  const text = error instanceof UserError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
