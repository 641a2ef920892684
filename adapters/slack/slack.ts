/**
 * Slack. Owns everything between Slack and the inbox, and shows what the core wants shown.
 *
 * A1. Slack is told that we have something only after the inbox has it.
 * A2. What Slack's libraries throw where nobody can catch it does not end the process, and does not leave us deaf.
 * A3. Whatever is shown went through the scrubber.
 */
import { App } from "@slack/bolt";
import type { Ref } from "../../src/core/event.ts";
import { type Adapter, type Log, UserError } from "../../src/core/ports.ts";
import type { Failure, Outcome } from "../shared/failure.ts";
import { order } from "../shared/order.ts";
import { type Scrub, scrubbed } from "../shared/scrubbed.ts";
import { openSeen, type Seen } from "../shared/seen.ts";
import { within } from "../shared/within.ts";
import { type CatchUp, catchUp } from "./catch-up.ts";
import { type Clients, clients, logger, options } from "./client.ts";
import { command } from "./command.ts";
import type { Clean, Desk } from "./desk.ts";
import { hear } from "./hear.ts";
import { type Held, held } from "./held.ts";
import { http } from "./http.ts";
import { liveView } from "./live.ts";
import { named } from "./named.ts";
import { attempt, failure, revoked } from "./outcome.ts";
import { type People, people } from "./people.ts";
import { type Posts, type PostsOptions, posts } from "./posts.ts";
import { press } from "./press.ts";
import { reaction } from "./reaction.ts";
import { type Door, sockets } from "./socket.ts";
import type { Self } from "./told.ts";

export interface SlackOptions {
  botToken: string;
  /** With it: Socket Mode. */
  appToken?: string;
  /** Without an app token: signed HTTP on `port`. */
  signingSecret?: string;
  port?: number;
  apiUrl?: string;
  /** Where it is kept up to where everything was taken. */
  folder: string;
  log: Log;
  scrub: Scrub;
}

/** Characters of one answer: Slack takes 12,000 of Markdown, and what is made harmless grows a little. */
const PART = 11_000;
const STOP_WITHIN = 6000;

/** What stands once Slack has told us who we are. */
interface Connected {
  self: Self;
  url: string;
  people: People;
  posts: Posts;
  clean: Clean;
}

export function slack(given: SlackOptions): Adapter {
  const { log, scrub } = given;
  const calls = clients(given.botToken, given.apiUrl, logger(log, scrub));
  let missed: CatchUp | undefined;
  let seen: Seen | undefined;
  const door = doorOf(given, () => missed?.begin());
  const holding = held();
  const live = liveView(calls.live, scrub);
  let connected: Connected | undefined;
  let refused: string | undefined;
  const refuse = (code: string | undefined): void => {
    refused = code;
  };
  const there = (): Connected => started(connected);

  return {
    name: "slack",
    partLimit: PART,
    async start(inbox) {
      connected = await connect(calls, given, { notice: () => inbox.notice(), refused: refuse });
      seen ??= await openSeen(given.folder, "slack", log);
      missed = await open(door, holding, given, { inbox, log, scrub, order: order(), seen, ...connected }, calls);
    },
    async stop() {
      holding.close();
      live.stop();
      missed?.stop();
      await within(STOP_WITHIN, holding.idle(), undefined);
      await door.stop();
      await seen?.close();
    },
    health() {
      return refused === undefined ? door.health() : { ok: false, detail: `Slack refuses the bot's token (${refused})` };
    },
    async post(place, slot, key, mark) {
      const result = await there().posts.post(place, slot, key, mark);
      if (result.ok) live.posted(place);
      return result;
    },
    async edit(_place, ref, slot) {
      await live.settle(ref, slot.final);
      return there().posts.edit(ref, slot);
    },
    async hide(_place, ref) {
      await live.settle(ref, true);
      return there().posts.hide(ref);
    },
    find: (place, key) => there().posts.find(place, key),
    live: (_session, place, now) => live.show(place, now),
    whisper: (place, person, view) =>
      there()
        .posts.whisper(place, bareId(person), view)
        .then((outcome) => note(given, outcome)),
    standing: (_place, person) => there().people.standing(bareId(person)),
    link: (ref) => linkOf(connected?.url, ref),
  };
}

function started(connected: Connected | undefined): Connected {
  if (!connected) throw new Error("Slack was used before it was started.");
  return connected;
}
function note({ log, scrub }: SlackOptions, outcome: Outcome<unknown>): void {
  if (!outcome.ok) log.warn({ adapter: "slack", code: outcome.code }, `A private message could not be shown: ${scrub(outcome.reason)}`);
}
const bareId = (person: string): string => person.replace(/^slack:/, "");
const linkOf = (url: string | undefined, ref: Ref): string | undefined =>
  url && `${url.replace(/\/?$/, "/")}archives/${ref.channel}/p${ref.message.replace(".", "")}`;

function doorOf({ appToken, signingSecret, port, apiUrl, log, scrub }: SlackOptions, back: () => void): Door {
  const quiet = logger(log, scrub);
  if (appToken) return sockets({ appToken, client: options(apiUrl, quiet), logger: quiet, log, back });
  if (signingSecret) return http(signingSecret, port ?? 3000, quiet);
  throw new UserError("Slack needs SLACK_APP_TOKEN (Socket Mode), or SLACK_SIGNING_SECRET to be served over HTTP.");
}

async function connect(calls: Clients, { log, scrub }: SlackOptions, given: Omit<PostsOptions, "bot" | "clean">): Promise<Connected> {
  const outcome = await attempt(calls.look.auth.test());
  if (!outcome.ok) throw unusable("SLACK_BOT_TOKEN", "the Bot User OAuth Token (xoxb-…)", outcome);
  const { team_id: team = "", user_id: bot = "", bot_id: botId, url = "" } = outcome.value;
  const known = people(calls.look, team, log);
  const clean: Clean = async (view) => scrubbed(await named(view, known), scrub);
  return { self: { team, bot, botId }, url, people: known, clean, posts: posts(calls, { ...given, bot, clean }) };
}

async function open(door: Door, holding: Held, given: SlackOptions, desk: Desk, calls: Clients): Promise<CatchUp> {
  const { self, log, scrub } = desk;
  const { botToken, apiUrl, appToken } = given;
  const quiet = logger(log, scrub);
  const app = new App({
    // The doors are our own: they are handed the app with its acknowledgements held back.
    receiver: { init: () => {}, start: async () => {}, stop: async () => {} },
    authorize: async () => ({ botToken, botUserId: self.bot, teamId: self.team, ...(self.botId ? { botId: self.botId } : {}) }),
    convoStore: false,
    ignoreSelf: false,
    logger: quiet,
    clientOptions: options(apiUrl, quiet),
  });
  // What a listener throws must reach the door, or the event would count as taken.
  app.error(async (error) => {
    log.error({ adapter: "slack", code: error.code }, scrub(`Something from Slack could not be taken: ${error.message}`));
    throw error;
  });
  const take = hear(app, desk, calls.look);
  command(app, desk);
  press(app, desk, calls.main);
  reaction(app, desk, calls.look);
  const missed = catchUp(calls.look, desk, take);
  // Before anything new can come: that would count as all that was said up to it.
  missed.begin();
  await door.start(holding.wrap(app)).catch((error: unknown) => {
    missed.stop();
    if (error instanceof UserError || !appToken) throw error;
    throw unusable("SLACK_APP_TOKEN", "the App-Level Token (xapp-…, with connections:write)", failure(error));
  });
  return missed;
}

function unusable(name: string, token: string, { code, reason }: Failure): UserError {
  const advice =
    revoked(code) || /token|scope/.test(code)
      ? `Copy ${token} of the app from api.slack.com/apps once more.`
      : "Check the network and SLACK_API_URL.";
  return new UserError(`${name}: ${reason} ${advice}`);
}
