/**
 * Slack. Owns everything between Slack and the inbox, and shows what the core wants shown.
 *
 * A1. Slack is told that we have something only after the inbox has it.
 * A2. What Slack's libraries throw where nobody can catch it does not end the process, and does not leave us deaf.
 * A3. Whatever is shown went through the scrubber.
 * A4. What is for a workspace is done with that workspace's token, or not at all.
 */
import { type Adapter, type Posted, type Standing, UserError } from "../../src/core/ports.ts";
import { within } from "../shared/within.ts";
import { logger, options } from "./client.ts";
import { held } from "./held.ts";
import { http } from "./http.ts";
import type { Installing } from "./install.ts";
import { installedTeams } from "./installed.ts";
import { failure } from "./outcome.ts";
import { serveRoutes } from "./routes.ts";
import { type Door, sockets } from "./socket.ts";
import { MOST_PARTS, PART, type Team } from "./team.ts";
import { type Common, isServed, oneTeam, type Resting, type Teams, unusable } from "./teams.ts";

export interface SlackOptions extends Common {
  /** Of the one workspace that is served. */
  botToken?: string;
  /** Instead of it: those that install the app. */
  install?: Installing;
  /** With it: Socket Mode. */
  appToken?: string;
  /** Without an app token: signed HTTP on `port`. */
  signingSecret?: string;
  port?: number;
}

const STOP_WITHIN = 6000;
const NOBODY: Standing = { member: false, guest: false, external: false, owner: false, bot: false, groups: [] };

export function slack(given: SlackOptions): Adapter {
  const teams = teamsOf(given);
  const door = doorOf(given, teams);
  const holding = held();
  return {
    name: "slack",
    partLimit: PART,
    mostParts: MOST_PARTS,
    async start(inbox) {
      await teams.open(inbox);
      await door.start(holding.wrap(teams.process)).catch(async (error: unknown) => {
        await teams.stop();
        if (error instanceof UserError || !given.appToken) throw error;
        throw unusable("SLACK_APP_TOKEN", "the App-Level Token (xapp-…, with connections:write)", failure(error));
      });
    },
    async stop() {
      holding.close();
      await teams.stop();
      await within(STOP_WITHIN, holding.idle(), undefined);
      await door.stop();
      await teams.close();
    },
    health() {
      const [heard, served] = [door.health(), teams.health()];
      if (!served.ok) return { ok: false, detail: served.detail ?? "" };
      return { ok: heard.ok, detail: [heard.detail, served.detail].filter(Boolean).join(", ") };
    },
    ...forwarding((team) => teams.of(team)),
  };
}

type Forwarding = Omit<Adapter, "name" | "partLimit" | "mostParts" | "start" | "stop" | "health">;
/** Each to the workspace it is for. */
function forwarding(of: (team: string) => Team | Resting): Forwarding {
  const at = <T>(place: { team: string }, served: (team: Team) => Promise<T>, resting: (why: Resting) => T): Promise<T> => {
    const found = of(place.team);
    return isServed(found) ? served(found) : Promise.resolve(resting(found));
  };
  const refused = ({ retryIn, reason }: Resting): Posted => ({ ok: false, unsure: false, retryIn, reason });
  return {
    post: (place, ...what) => at(place, (team) => team.post(place, ...what), refused),
    edit: (place, ...what) => at(place, (team) => team.edit(place, ...what), refused),
    hide: (place, ref) => at(place, (team) => team.hide(place, ref), refused),
    find: (place, key) =>
      at(
        place,
        (team) => team.find(place, key),
        ({ retryIn }) => (retryIn === null ? "absent" : "unknown"),
      ),
    live: (session, place, now) =>
      void at(
        place,
        async (team) => team.live(session, place, now),
        () => undefined,
      ),
    whisper: (place, ...what) =>
      at(
        place,
        (team) => team.whisper(place, ...what),
        () => undefined,
      ),
    standing: (place, person) =>
      at(
        place,
        (team) => team.standing(place, person),
        () => NOBODY,
      ),
    fetch: (place, ...what) =>
      at(
        place,
        (team) => team.fetch(place, ...what),
        ({ retryIn, reason }) => ({ ok: false, retryIn, why: reason.replace(/\.$/, "") }),
      ),
    places: (team, person, among) =>
      at(
        { team },
        (served) => served.places(team, person, among),
        () => [],
      ),
    link(place, message) {
      const found = of(place.team);
      return isServed(found) ? found.link(place, message) : undefined;
    },
    react: (place, ...what) =>
      at(
        place,
        (team) => team.react(place, ...what),
        ({ reason }) => ({ ok: false, reason }),
      ),
  };
}

function teamsOf({ botToken, install, ...common }: SlackOptions): Teams {
  if (install) return installedTeams({ ...common, install });
  if (botToken) return oneTeam({ ...common, botToken });
  throw new UserError("Slack needs SLACK_BOT_TOKEN, or SLACK_CLIENT_ID for workspaces that install the app.");
}

function doorOf({ appToken, signingSecret, port = 3000, apiUrl, log, scrub }: SlackOptions, teams: Teams): Door {
  const quiet = logger(log, scrub);
  const back = () => {
    for (const team of teams.all()) team.missed();
  };
  if (appToken) return beside(sockets({ appToken, client: options(apiUrl, quiet), logger: quiet, log, back }), port, teams.routes);
  if (signingSecret) return http(signingSecret, port, teams.routes, quiet);
  throw new UserError("Slack needs SLACK_APP_TOKEN (Socket Mode), or SLACK_SIGNING_SECRET to be served over HTTP.");
}

/** A door that serves no pages by itself, with some beside it. */
function beside(door: Door, port: number, routes: Teams["routes"]): Door {
  if (!routes.length) return door;
  let pages: { close(): Promise<void> } | undefined;
  return {
    ...door,
    async start(app) {
      pages ??= await serveRoutes(port, routes);
      await door.start(app);
    },
    async stop() {
      await Promise.all([door.stop(), pages?.close()]);
      pages = undefined;
    },
  };
}
