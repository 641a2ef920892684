/** The platforms that are configured. */
import { join } from "node:path";
import type { Place } from "../core/event.ts";
import type { Harness } from "../harness/harness.ts";
import type { Health } from "../health.ts";
import { signInDoor } from "../mcp/door.ts";
import { openOperator } from "../operator/rooms.ts";
import { installations } from "../sealed.ts";
import type { House } from "./house.ts";

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
    adapters.set("console", made);
  }
  if (config.slack) {
    const { slack } = await import("../../adapters/slack/slack.ts");
    const { install: installing, ...settings } = config.slack;
    const folder = join(config.dataDir, "slack");
    const install = installing && { ...installing, sealed: installations(folder, installing.key) };
    adapters.set("slack", slack({ ...settings, ...(install && { install }), folder, log, scrub }));
  }
  if (config.discord) {
    const { discord } = await import("../../adapters/discord/discord.ts");
    adapters.set("discord", discord({ ...config.discord, folder: join(config.dataDir, "discord"), log, scrub }));
  }
  return { consoleUrl };
}
