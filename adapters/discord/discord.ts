/**
 * Discord. Owns everything between Discord and the inbox, and shows what the core wants shown.
 *
 * A1. The gateway asks for no receipts: what the inbox does not have yet is asked for again after a restart.
 * A2. A connection that tells nothing any more is replaced by a new one; what was missed meanwhile is caught up.
 * A3. Whatever is shown went through the scrubber, and calls nobody.
 */
import type { Client } from "discord.js";
import type { Ref } from "../../src/core/event.ts";
import type { Adapter, Inbox, Log, UserError } from "../../src/core/ports.ts";
import { type Order, order } from "../shared/order.ts";
import type { Scrub } from "../shared/scrubbed.ts";
import { within } from "../shared/within.ts";
import { register } from "./command.ts";
import type { Desk, Self } from "./desk.ts";
import { door } from "./door.ts";
import { connect, isPresent, newClient, standing } from "./gateway.ts";
import { listen } from "./listen.ts";
import { type LiveView, liveView } from "./live.ts";
import { type Memberships, memberships } from "./memberships.ts";
import { people } from "./people.ts";
import { places } from "./places.ts";
import { posts } from "./posts.ts";
import { openSeen, type Seen } from "./seen.ts";
import { threads } from "./threads.ts";
import { watch } from "./watch.ts";

export interface DiscordOptions {
  token: string;
  /** REST base without the version. */
  apiUrl?: string;
  /** The guilds served; without it all. */
  guilds?: readonly string[];
  /** The guild whose home serves direct messages. */
  dmGuild?: string;
  /** For what has to be known after a restart. */
  folder: string;
  log: Log;
  scrub: Scrub;
}

/** Characters of one answer: Discord takes 2,000, and what is noted below it needs room. */
const PART = 1800;
const STOP_WITHIN = 6000;
/** Before what a person has to mend is tried again; a wrong token never is. */
const MENDED_AFTER = 15 * 60_000;
const AGAIN_AFTER = 5000;

/** One connection and everything that works with it. */
interface Connected {
  client: Client;
  desk: Desk;
  live: LiveView;
  privately: Memberships;
  close(): void;
}
/** What outlives a connection. */
interface Kept {
  inbox: Inbox;
  seen: Seen;
  order: Order;
}

export function discord(given: DiscordOptions): Adapter {
  const { log } = given;
  let connected: Connected | undefined;
  let kept: Kept | undefined;
  let lost: { error: UserError; at: number } | undefined;
  let blind = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const there = (): Connected => {
    if (!connected) throw new Error("Discord was used before it was started.");
    return connected;
  };
  const resting = () => lost && (lost.error.message.startsWith("DISCORD_TOKEN") || Date.now() - lost.at < MENDED_AFTER);

  async function open(keeping: Kept): Promise<void> {
    if (lost && resting()) throw lost.error;
    connected = await connection(given, keeping, {
      lost(error) {
        if (!lost && connected) log.error({ adapter: "discord" }, error.message);
        if (connected) again(keeping, MENDED_AFTER);
        lost = { error, at: Date.now() };
      },
      deaf(why) {
        log.warn({ adapter: "discord" }, `Connecting anew: ${why}.`);
        again(keeping, 0);
      },
      blind() {
        if (!blind) log.error({ adapter: "discord" }, BLIND);
        blind = true;
      },
    });
    lost = undefined;
  }
  function again(keeping: Kept, wait: number): void {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(() => {
      connected?.close();
      open(keeping).catch((error: unknown) => {
        log.warn({ adapter: "discord", err: error }, "Discord could not be connected again; it is tried once more");
        again(keeping, resting() ? MENDED_AFTER : AGAIN_AFTER);
      });
    }, wait).unref();
  }

  return {
    name: "discord",
    partLimit: PART,
    async start(inbox) {
      kept ??= { inbox, seen: await openSeen(given.folder, log), order: order() };
      await open(kept);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      connected?.close();
      if (kept) await within(STOP_WITHIN, kept.order.idle(), undefined);
      await kept?.seen.close();
    },
    health() {
      if (lost) return { ok: false, detail: lost.error.message };
      if (!connected) return { ok: false, detail: "not connected yet" };
      const now = standing(connected.client);
      return blind && now.ok ? { ok: true, detail: `${now.detail}, but ${BLIND}` } : now;
    },
    post: (place, slot, key, mark) => there().desk.posts.post(place, slot, key, mark),
    async edit(place, ref, slot) {
      await there().live.settle(ref, slot.final);
      return there().desk.posts.edit(place, ref, slot);
    },
    async hide(place, ref) {
      await there().live.settle(ref, true);
      return there().desk.posts.hide(place, ref);
    },
    find: (place, key) => there().desk.posts.find(place, key),
    live: (_session, place, now) => there().live.show(place, now),
    async whisper(_place, person, view) {
      const outcome = await there().desk.posts.whisper(bareId(person), view);
      if (!outcome.ok)
        log.warn({ adapter: "discord", code: outcome.code }, `A private message could not be shown: ${given.scrub(outcome.reason)}`);
    },
    standing: (place, person) => there().desk.people.standing(place.team, bareId(person)),
    places: async (team, person) => (connected ? connected.privately(team, bareId(person)) : []),
    link: (ref) => connected && linkOf(connected.client, ref),
  };
}

const BLIND =
  "messages come without their words: switch on “Message Content Intent” for the app at discord.com/developers/applications, under Bot";
const bareId = (person: string): string => person.replace(/^discord:/, "");

function linkOf(client: Client, { channel, message }: Ref): string | undefined {
  const found = client.channels.cache.get(channel);
  const guild = found && !found.isDMBased() ? found.guildId : "@me";
  return `https://discord.com/channels/${guild}/${channel}${message && message !== channel ? `/${message}` : ""}`;
}

interface News {
  lost(error: UserError): void;
  deaf(why: string): void;
  blind(): void;
}

async function connection(given: DiscordOptions, kept: Kept, news: News): Promise<Connected> {
  const { token, apiUrl, log, scrub } = given;
  const client = newClient(apiUrl);
  const made = desked(given, kept, client, news);
  await connect(client, { token, apiUrl, log, scrub, lost: news.lost });
  const registered = await register(client.rest, made.desk.door, made.desk.self.application);
  if (!registered.ok)
    log.warn({ adapter: "discord", code: registered.code }, `The commands could not be registered: ${scrub(registered.reason)}`);
  return made;
}

function desked(given: DiscordOptions, { inbox, seen, order: turns }: Kept, client: Client, news: News): Connected {
  const { log, scrub, guilds, dmGuild } = given;
  const out = door(client.rest);
  const where = places(client, { guilds, dmGuild });
  const lines = threads(client, out, where);
  const watching = watch(() => standing(client).ok, news.deaf);
  const live = liveView(out, lines, scrub);
  const desk: Desk = {
    inbox,
    seen,
    order: turns,
    log,
    scrub,
    door: out,
    places: where,
    threads: lines,
    people: people(client, where),
    self: selfOf(client),
    posts: posts(out, lines, {
      scrub,
      own: (id) => id === client.user?.id,
      notice: () => inbox.notice(),
      present: (team) => where.serves(team) && isPresent(client, team),
      stands: watching.stands,
    }),
    blind: news.blind,
  };
  listen(client, desk, watching);
  return {
    client,
    desk,
    live,
    privately: memberships(client, where),
    close() {
      client.ws.removeAllListeners();
      watching.stop();
      live.stop();
      void client.destroy().catch(() => {});
    },
  };
}

function selfOf(client: Client): Self {
  const rolesOf = (guild: string | null) => (guild === null ? undefined : client.guilds.cache.get(guild)?.roles.cache);
  return {
    get id() {
      return client.user?.id ?? "";
    },
    get application() {
      return client.application?.id ?? "";
    },
    roles: (guild) => [...(rolesOf(guild)?.values() ?? [])].filter((role) => role.tags?.botId === client.user?.id).map((role) => role.id),
    roleName: (guild, role) => rolesOf(guild)?.get(role)?.name,
  };
}
