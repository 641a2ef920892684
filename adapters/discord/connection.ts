/** One connection to Discord and everything that works with it. */
import type { Client } from "discord.js";
import type { Inbox, Log, UserError } from "../../src/core/ports.ts";
import type { Order } from "../shared/order.ts";
import type { Scrub } from "../shared/scrubbed.ts";
import type { Seen } from "../shared/seen.ts";
import type { Taken } from "../shared/taken.ts";
import { register } from "./command.ts";
import type { Desk, Self } from "./desk.ts";
import { door } from "./door.ts";
import { answering, ask, connect, isPresent, leave, newClient, standing } from "./gateway.ts";
import { listen } from "./listen.ts";
import { type LiveView, liveView } from "./live.ts";
import { type Memberships, memberships } from "./memberships.ts";
import { namesOf } from "./named.ts";
import { people } from "./people.ts";
import { places } from "./places.ts";
import { posts } from "./posts.ts";
import { threads } from "./threads.ts";
import { PATIENCE, type Patience, watch } from "./watch.ts";

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
  /** How long things are waited for, where not as long as usual. */
  patience?: Partial<Patience>;
}
export interface Connected {
  client: Client;
  desk: Desk;
  live: LiveView;
  memberships: Memberships;
  close(): void;
}
/** What outlives a connection. */
export interface Kept {
  inbox: Inbox;
  seen: Seen;
  taken: Taken;
  order: Order;
}
/** What a connection has to say of itself. */
export interface News {
  /** It is gone, and no new attempt can mend that. */
  lost(error: UserError): void;
  /** It stands and tells nothing. */
  deaf(why: string): void;
  /** Messages come without their words. */
  blind(): void;
}

/** Resolves once events come. */
export async function connection(given: DiscordOptions, kept: Kept, news: News): Promise<Connected> {
  const { token, apiUrl, log, scrub } = given;
  const client = newClient(apiUrl);
  const made = desked(given, kept, client, news);
  try {
    await connect(client, { token, log, scrub, lost: news.lost });
  } catch (error) {
    made.close();
    throw error;
  }
  const registered = await register(client.rest, made.desk.door, made.desk.self.application);
  if (!registered.ok)
    log.warn({ adapter: "discord", code: registered.code }, `The commands could not be registered: ${scrub(registered.reason)}`);
  return made;
}

function desked(given: DiscordOptions, { inbox, seen, taken, order }: Kept, client: Client, news: News): Connected {
  const { token, apiUrl, log, scrub, guilds, dmGuild, patience } = given;
  const answers = answering(apiUrl);
  const out = door(client.rest, answers);
  const where = places(client, { guilds, dmGuild });
  const lines = threads(client, out, where, scrub);
  const watched = {
    stands: () => standing(client).ok,
    shards: () => [...client.ws.shards.keys()],
    ask: (shard: number) => ask(client, shard),
  };
  const waits = { ...PATIENCE, ...patience };
  const watching = watch(watched, news.deaf, waits);
  const live = liveView(out, lines, scrub);
  const desk: Desk = {
    inbox,
    seen,
    taken,
    order,
    log,
    scrub,
    door: out,
    places: where,
    threads: lines,
    people: people(client, where),
    self: selfOf(client),
    posts: posts(out, lines, {
      scrub,
      names: namesOf(client),
      own: (id) => id === client.user?.id,
      notice: () => inbox.notice(),
      present: (team) => where.serves(team) && isPresent(client, team),
      stands: watching.stands,
    }),
    blind: news.blind,
  };
  listen(client, desk, watching, waits);
  return {
    client,
    desk,
    live,
    memberships: memberships(client, where),
    close() {
      client.ws.removeAllListeners();
      watching.stop();
      live.stop();
      leave(client, answers, token);
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
