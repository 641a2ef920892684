/**
 * One workspace that is served: everything that stands between its events and the inbox, and shows what the core wants shown there. Each has
 * its own of all of this, down to the token, so that nothing of one workspace can reach another.
 */
import { join } from "node:path";
import { App } from "@slack/bolt";
import type { Place } from "../../src/core/event.ts";
import type { Inbox, Log, Platform } from "../../src/core/ports.ts";
import type { Outcome } from "../shared/failure.ts";
import { order } from "../shared/order.ts";
import { type Scrub, scrubbed } from "../shared/scrubbed.ts";
import { openSeen } from "../shared/seen.ts";
import { openTaken } from "../shared/taken.ts";
import { insisting } from "./answer.ts";
import { assistant } from "./assistant.ts";
import { type CatchUp, catchUp } from "./catch-up.ts";
import { type Clients, logger, options, type Token } from "./client.ts";
import { command } from "./command.ts";
import type { Clean, Desk } from "./desk.ts";
import { fetchFile } from "./files.ts";
import { hear } from "./hear.ts";
import type { Process } from "./held.ts";
import { type HomeTab, homeTab } from "./home-tab.ts";
import { type LiveView, liveView } from "./live.ts";
import { memberships } from "./memberships.ts";
import { named } from "./named.ts";
import { people } from "./people.ts";
import { posts } from "./posts.ts";
import { press } from "./press.ts";
import { reaction } from "./reaction.ts";
import { shortcut } from "./shortcut.ts";
import { react } from "./signs.ts";
import { streams } from "./stream.ts";
import { isStamp } from "./text.ts";
import type { Self } from "./told.ts";

/** Characters of one answer: Slack takes 12,000 of Markdown, and what is made harmless grows a little. */
export const PART = 11_000;
/** More than so many are no answer that anybody reads in a thread. */
export const MOST_PARTS = 5;

export interface TeamOptions {
  inbox: Inbox;
  self: Self;
  /** The workspace's address, if it is known. */
  url: string;
  calls: Clients;
  token: Token;
  apiUrl: string | undefined;
  /** Where it is kept up to where everything was taken. */
  folder: string;
  log: Log;
  scrub: Scrub;
  /** Told when Slack no longer takes the token, and when it takes it again. */
  refused(code: string | undefined): void;
  /** Slack says that the app was removed, or its tokens taken back. */
  ended(): Promise<void>;
}

type Whole = Platform & Required<Pick<Platform, "fetch" | "places" | "react">>;

export interface Team extends Whole {
  readonly self: Self;
  readonly process: Process;
  /** Events come again after a time in which none could. */
  missed(): void;
  /** Starts nothing more. */
  stop(): Promise<void>;
  /** Once what was under way is taken. */
  close(): Promise<void>;
}

export async function openTeam(given: TeamOptions): Promise<Team> {
  const { inbox, self, url, calls, folder, log, scrub, refused } = given;
  const known = people(calls.look, self.team, log);
  const clean: Clean = async (view) => scrubbed(await named(view, known), scrub);
  const streaming = streams(calls.live);
  const sent = posts(calls, { bot: self.bot, clean, streams: streaming, refused, notice: () => inbox.notice() });
  const [seen, taken] = await Promise.all([openSeen(folder, "slack", log), openTaken(folder, "slack", log)]);
  const shared = memberships(calls.look, log);
  const desk: Desk = { inbox, log, scrub, order: order(), seen, taken, self, people: known, clean, posts: sent, shared };
  const live = liveView({ client: calls.live, streams: streaming, there: () => ({ posts: sent, clean }), scrub });
  const tab = homeTab(calls.main, desk);
  live.sweep(seen.places());
  const { app, missed } = listen(given, desk, tab);
  // Before anything new can come: that would count as all that was said up to it.
  missed.begin();
  return {
    name: "slack",
    partLimit: PART,
    mostParts: MOST_PARTS,
    self,
    process: (event) => app.processEvent(event),
    missed: () => missed.begin(),
    async stop() {
      tab.stop();
      missed.stop();
      await live.stop();
    },
    close: async () => void (await Promise.all([seen.close(), taken.close()])),
    link: (place, message) => linkOf(url, place, message),
    ...showing(desk, live, tab),
    ...asking(given, desk),
  };
}

type Showing = Pick<Platform, "post" | "edit" | "hide" | "find" | "live" | "whisper">;
function showing({ posts: sent, log, scrub }: Desk, live: LiveView, tab: HomeTab): Showing {
  return {
    async post(place, slot, key, mark, bytes) {
      const result = await sent.post(place, slot, key, mark, bytes);
      if (result.ok) live.posted(place);
      if (slot.kind === "card") tab.changed();
      return result;
    },
    async edit(_place, ref, slot) {
      await live.settle(ref, slot.final);
      if (slot.kind === "card") tab.changed();
      return sent.edit(ref, slot);
    },
    hide: (_place, ref) => live.settle(ref, true).then(() => sent.hide(ref)),
    find: (place, key) => sent.find(place, key),
    live: (_session, place, now) => live.show(place, now),
    async whisper(place, person, view) {
      const outcome: Outcome<unknown> = await insisting(() => sent.whisper(place, bareId(person), view));
      if (!outcome.ok) log.warn({ adapter: "slack", code: outcome.code }, `A private message could not be shown: ${scrub(outcome.reason)}`);
    },
  };
}

type Asking = Required<Pick<Platform, "fetch" | "standing" | "places" | "react">>;
/** What is asked of Slack about people, places and messages, or done with one of them. */
function asking({ calls, token, apiUrl }: TeamOptions, { people: known, shared }: Desk): Asking {
  return {
    fetch: async (_place, _message, file, most, signal) =>
      fetchFile({ look: calls.look, token: await token(), apiUrl }, file, most, signal),
    standing: (_place, person) => known.standing(bareId(person)),
    places: (_team, person, among) => shared(bareId(person), among),
    react: (place, message, sign) => react(calls.main, place.channel, message, sign),
  };
}

const bareId = (person: string): string => person.replace(/^slack:/, "");
function linkOf(url: string, { channel, thread }: Place, message: string): string | undefined {
  if (!url || !isStamp(message)) return undefined;
  const within = thread !== null && thread !== message && isStamp(thread) ? `?thread_ts=${thread}&cid=${channel}` : "";
  return `${url.replace(/\/?$/, "/")}archives/${channel}/p${message.replace(".", "")}${within}`;
}

function listen({ self, calls, token, apiUrl, log, scrub, ended }: TeamOptions, desk: Desk, tab: HomeTab): { app: App; missed: CatchUp } {
  const quiet = logger(log, scrub);
  const app = new App({
    // The doors are our own: they give the team's app what is for it, with its acknowledgements held back.
    receiver: { init: () => {}, start: async () => {}, stop: async () => {} },
    authorize: async () => ({
      botToken: await token(),
      botUserId: self.bot,
      teamId: self.team,
      ...(self.botId ? { botId: self.botId } : {}),
    }),
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
  const take = hear(app, desk, calls.look, assistant(app, calls.live, desk, tab), () => missed.failed());
  const missed = catchUp(calls.look, desk, take);
  command(app, desk);
  press(app, desk, calls.main, tab);
  shortcut(app, desk, calls.main, calls.look);
  reaction(app, desk, calls.look);
  app.event("app_uninstalled", () => ended());
  app.event("tokens_revoked", async ({ event }) => {
    if (event.tokens?.bot?.length) await ended();
  });
  return { app, missed };
}

/** Where a team's own things are kept, among others. */
export const folderOf = (folder: string, team: string): string => join(folder, "teams", team);
