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
import { archive } from "./archive/archive.ts";
import { startClock } from "./clock.ts";
import { commands } from "./commands/commands.ts";
import { numbers } from "./commands/shown.ts";
import { type Config, loadEnvFile, readConfig } from "./config.ts";
import { type Adapter, type Hook, type Journal, type Log, type Model, type Moment, type Standing, UserError } from "./core/ports.ts";
import { scrubber } from "./core/scrub.ts";
import { evictedFiles } from "./files/mounts.ts";
import { Harness } from "./harness/harness.ts";
import { told } from "./harness/world.ts";
import { type Health, serveHealth } from "./health.ts";
import { approval } from "./hooks/approval.ts";
import { builtins } from "./hooks/builtin-tools.ts";
import { dynamicSkills } from "./hooks/dynamic-skills.ts";
import { dynamicSubagents } from "./hooks/dynamic-subagents.ts";
import { dynamicTools } from "./hooks/dynamic-tools.ts";
import { homeHistory } from "./hooks/home-history.ts";
import { resultEviction } from "./hooks/result-eviction.ts";
import { sessionLog } from "./hooks/session-log.ts";
import { workspaceContext } from "./hooks/workspace-context.ts";
import { keyed } from "./keyed.ts";
import { connect, onSignals, watchFaults } from "./life.ts";
import { openLog } from "./log.ts";
import { openServers, type Servers } from "./mcp/servers.ts";
import { homeMemory, type Memory } from "./memory/memory.ts";
import { nightly } from "./memory/night.ts";
import { scopesSeen } from "./memory/seen.ts";
import { observer } from "./observe/observe.ts";
import { openOperator } from "./operator/rooms.ts";
import { openSandbox, type Sandbox } from "./sandbox/sandbox.ts";
import { openJournal } from "./store/journal.ts";
import { searchSessions } from "./tools/sessions.ts";
import { type OpenHomes, openHomes } from "./workspace/homes.ts";
import { changesOf, keeping } from "./workspace/keeping.ts";
import { inRoom } from "./workspace/recorded.ts";
import { openTexts } from "./workspace/text.ts";
import { startTidying } from "./workspace/tidy.ts";

const CLOSE_WITHIN = 5_000;
const SHARED_SKILLS = fileURLToPath(new URL("../skills", import.meta.url));
const sharedSkills = { root: SHARED_SKILLS, folder: "", mount: "/skills", read: openTexts(SHARED_SKILLS) };

interface House {
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
  if (!key) return (await import("./model/offline.ts")).offline();
  return (await import("./model/anthropic.ts")).anthropic({ apiKey: key, baseURL: baseUrl, model, scrub });
}

async function build(config: Config, log: Log): Promise<House> {
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

/** In this order: what each adds to the prompt, then what judges a call, then what shortens its result. */
async function hooksOf(house: House): Promise<Hook[]> {
  const { config, homes, journal, memory, servers, adapters, sandbox } = house;
  const evicted = ({ home, session }: Moment) => inRoom(evictedFiles(homes.home(home).dir, session), homes.room(home), "/evicted");
  const policy = async (home: string) => (await homes.home(home).policy()).policy;
  const seen = ({ scope, by, place }: Pick<Moment, "scope" | "by" | "place">) => scopesSeen(house, scope, by, place);
  const admin = async ({ home, place, by }: Pick<Moment, "home" | "place" | "by">): Promise<boolean> => {
    const found = await adapters.get(place.platform)?.standing(place, by.id);
    return found !== undefined && (await homes.rules(home)).may("admin", by.id, found);
  };
  const own = config.hooks ? await peoplesHooks(config.hooks) : [];
  return [
    workspaceContext({ homes, memoryFor: async (moment) => memory(moment.home).read(await seen(moment)) }),
    builtins({
      homes,
      memory: { memoryFor: ({ home: at }) => memory(at), isAdmin: admin, scopesFor: seen },
      sandbox,
      sharedSkillsDir: SHARED_SKILLS,
      keep: keeping(homes),
    }),
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
    dynamicSkills({ homes, shared: sharedSkills }),
    dynamicSubagents({ homes }),
    approval({
      homes,
      grants: async (home, session) => (await journal(home)).grants(session),
      standing: async (place, person) => (await adapters.get(place.platform)?.standing(place, person)) ?? STRANGER,
    }),
    resultEviction(evicted),
    homeHistory(homes),
    sessionLog({
      add: async (home, root) => archive(join(homes.home(home).dir, "agents", "main", "sessions"), await journal(home)).add(root),
      search: searchSessions({
        search: async (query, limit, context) => (await journal(context.home)).search(query, await seen(context), limit),
        link: ({ platform, channel }, message) => adapters.get(platform)?.link({ channel, message }),
      }),
    }),
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
    memory,
    shown: numbers(),
    scopes: (scope, by, place) => scopesSeen(house, scope, by, place),
    offer: servers.offer,
    sharedSkills: [sharedSkills],
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
    changes: changesOf(homes),
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
    const link = (platform: string, channel: string, message: string) => adapters.get(platform)?.link({ channel, message });
    const operator = openOperator({ ...house, silences: (home) => inbox.silences(home), link });
    const made = console({
      ...config.console,
      folder,
      log,
      health,
      sessions,
      notice: () => inbox.notice(),
      scrub,
      operator,
      metrics: house.metrics,
    });
    consoleUrl = made.url;
    adapters.set("console", made);
  }
  if (config.slack) {
    const { slack } = await import("../adapters/slack/slack.ts");
    adapters.set("slack", slack({ ...config.slack, folder: join(config.dataDir, "slack"), log, scrub }));
  }
  if (config.discord) {
    const { discord } = await import("../adapters/discord/discord.ts");
    adapters.set("discord", discord({ ...config.discord, folder: join(config.dataDir, "discord"), log, scrub }));
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
  let clock: ReturnType<typeof startClock> | undefined;
  const stop = onSignals(async () => {
    closing.abort();
    const nightEnds = clock?.stop();
    await Promise.allSettled([...adapters.values()].map((adapter) => adapter.stop()));
    await inbox.close(CLOSE_WITHIN);
    await nightEnds;
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
  for (const home of await homes.list())
    house
      .memory(home)
      .settle()
      .catch((err: unknown) => log.debug({ home, err }, "memory could not be settled"));
  clock = startClock({
    homes: homes.list,
    nights: async (home) => {
      const { consolidation, timezone } = (await homes.home(home).policy()).policy;
      return { cron: consolidation.cron, timezone };
    },
    journal: house.journal,
    night: nightly({ ...house, rules: homes.rules, modelName: config.model, now: Date.now }),
    now: Date.now,
    log,
  });
  startTidying({ ...house });
  const at = consoleUrl();
  log.info({ adapters: [...adapters.keys()], ...(at ? { console: at } : {}), model: model.kind, woken }, "ready");
}

main().catch((error: unknown) => {
  const text = error instanceof UserError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
