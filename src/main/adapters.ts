/** The platforms that are configured. */
import { dirname, join } from "node:path";
import type { Place } from "../core/event.ts";
import { UserError } from "../core/ports.ts";
import type { Harness } from "../harness/harness.ts";
import type { Health } from "../health.ts";
import { signInDoor } from "../mcp/door.ts";
import { openOperator } from "../operator/rooms.ts";
import { sealedIn } from "../sealed.ts";
import { held, isHeld } from "../workspace/hold.ts";
import type { House } from "./house.ts";

/** The console's board has one process: another would write over what this one knows. Held until the process ends, however it does. */
function alone(lock: string, start: () => Promise<void>): Promise<void> {
  const told = `Another Denizen keeps its console in the same DATA_DIR (${dirname(lock)}). Stop that one, or set DATA_DIR to another folder.`;
  return new Promise((started, failed) => {
    const holding = async () => {
      await start();
      started();
      await new Promise(() => {});
    };
    held(lock, holding, { within: 0, every: 50 }).catch((error: unknown) => failed(isHeld(error) ? new UserError(told) : error));
  });
}

/** Loads the adapters that are configured, and no others. */
export async function addAdapters(house: House, inbox: Harness, health: () => Health): Promise<{ consoleUrl(): string | undefined }> {
  const { config, adapters, homes, log, scrub, journal } = house;
  let consoleUrl: () => string | undefined = () => undefined;
  if (config.console) {
    const { console } = await import("../../adapters/console/console.ts");
    const folder = join(config.dataDir, "console");
    const sessions = async (home: string) => ((await homes.list()).includes(home) ? (await journal(home)).sessions({ limit: 500 }) : []);
    const link = (place: Place, message: string) => adapters.get(place.platform)?.link(place, message);
    const operator = openOperator({
      ...house,
      silences: (home) => inbox.silences(home),
      kept: house.sent.find,
      offered: (home, session, state) => inbox.offered(home, session, state),
      link,
    });
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
      // Without a token the console is for this machine alone: only the door answers to other names.
      publicUrl: config.console.token && config.publicUrl,
      door: signInDoor(house.servers, config.publicUrl),
    });
    consoleUrl = made.url;
    adapters.set("console", { ...made, start: (inbox) => alone(join(config.dataDir, "console.lock"), () => made.start(inbox)) });
  }
  if (config.slack) {
    const [{ slack }, { INSTALLATIONS }] = await Promise.all([
      import("../../adapters/slack/slack.ts"),
      import("../../adapters/slack/installations.ts"),
    ]);
    const { install: installing, ...settings } = config.slack;
    const folder = join(config.dataDir, "slack");
    const install = installing && { ...installing, sealed: sealedIn(folder, installing.key, INSTALLATIONS) };
    adapters.set("slack", slack({ ...settings, ...(install && { install }), folder, log, scrub }));
  }
  if (config.discord) {
    const { discord } = await import("../../adapters/discord/discord.ts");
    adapters.set("discord", discord({ ...config.discord, folder: join(config.dataDir, "discord"), log, scrub }));
  }
  return { consoleUrl };
}
