/**
 * Puts the house together and keeps it running: this file and the folder of its name are all that know every room.
 *
 * - What is not configured is not loaded.
 * - The line `ready` comes once every configured adapter is connected; one that cannot connect is tried again and spoils nothing else:
 *   what was interrupted goes on, and nights are kept, without it.
 * - SIGTERM: no more events are taken, what is being written is finished, exit 0 within ten seconds.
 */
import { startClock } from "./clock.ts";
import { loadEnvFile, readConfig } from "./config.ts";
import { UserError } from "./core/ports.ts";
import { whyUnwritable } from "./ground.ts";
import { type Health, serveHealth } from "./health.ts";
import { connectAll, onSignals, watchFaults } from "./life.ts";
import { openLog } from "./log.ts";
import { addAdapters } from "./main/adapters.ts";
import { build } from "./main/house.ts";
import { inboxOf } from "./main/inbox.ts";
import { nightsOf } from "./main/nights.ts";
import { signInDoor } from "./mcp/door.ts";
import { misspelt } from "./misspelt.ts";

const CLOSE_WITHIN = 5_000;

async function main(): Promise<void> {
  loadEnvFile(".env");
  const config = readConfig(process.env);
  const log = openLog({ level: config.logLevel, secrets: config.masked });
  for (const { text } of misspelt(process.env)) log.warn({}, text);
  const folders = { WORKSPACES_DIR: config.workspacesDir, DATA_DIR: config.dataDir };
  const closed = await Promise.all(Object.entries(folders).map(([name, dir]) => whyUnwritable(name, dir)));
  if (closed.some(Boolean)) throw new UserError(closed.filter(Boolean).join("\n"));
  const house = await build(config, log);
  const { adapters, homes, model } = house;
  const closing = new AbortController();
  const health = (): Health => Object.fromEntries([...adapters].map(([name, adapter]) => [name, adapter.health()]));
  const inbox = await inboxOf(house);
  const { consoleUrl } = await addAdapters(house, inbox, health);
  if (!adapters.size) throw new UserError("Nothing is configured: the console is off, and there are no tokens of a platform.");
  const healthServer =
    !config.console && config.healthPort !== undefined
      ? await serveHealth(config.healthPort, "127.0.0.1", health, signInDoor(house.servers, config.publicUrl), {
          text: house.metrics,
          token: config.metricsToken,
        })
      : undefined;
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
  const connected = connectAll(adapters.values(), inbox, log, closing.signal);
  await connected.enough;
  if (closing.signal.aborted) return stop;
  const woken = await inbox.resume(await homes.list());
  for (const home of await homes.list())
    house
      .memory(home)
      .settle()
      .catch((err: unknown) => log.debug({ home, err }, "memory could not be settled"));
  clock = startClock(nightsOf(house, inbox));
  await connected.all;
  if (closing.signal.aborted) return stop;
  const at = consoleUrl();
  log.info({ adapters: [...adapters.keys()], ...(at ? { console: at } : {}), model: model.kind, woken }, "ready");
}

main().catch((error: unknown) => {
  const text = error instanceof UserError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
