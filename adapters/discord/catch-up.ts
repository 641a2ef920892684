/**
 * Asks for what was said while nobody listened: after a start, and after a session that could not be resumed.
 *
 * H1. Only channels that say they have something newer, only where we may read, newest channels first, within an age and a number of requests.
 * H2. What is caught up comes before what is said meanwhile in the same channel; what was taken before is taken once all the same.
 */
import { type APIMessage, type Client, PermissionFlagsBits, Routes } from "discord.js";
import type { Failure } from "../shared/failure.ts";
import { isLater } from "../shared/seen.ts";
import type { Desk } from "./desk.ts";
import { attempt } from "./outcome.ts";
import { snowflakeAt } from "./text.ts";
import type { MessageData } from "./told.ts";

const AGE = 24 * 3600_000;
const REQUESTS = 200;
const PAGE = 100;
const PAGES = 5;

/** A channel or thread as a guild lists it. */
export interface Listed {
  id: string;
  last_message_id?: string | null;
}
export interface CatchUp {
  /** A new session begins: what came after this was missed. */
  begun(): void;
  guild(channels: readonly Listed[], joinedAt: string | undefined): Promise<void>;
  directs(): Promise<void>;
}

export function catchUp(client: Client, { order, seen, log }: Desk, take: (message: MessageData) => Promise<void>): CatchUp {
  let from: string | undefined;
  let left = REQUESTS;

  /** False: it has to be asked for again. */
  async function channel(id: string, after: string): Promise<boolean> {
    const { missed, failed } = await since(client, id, after, () => left-- > 0);
    if (failed)
      log.warn({ adapter: "discord", channel: id, code: failed.code }, `What was missed could not be asked for: ${failed.reason}`);
    for (const message of missed) await take(message);
    if (missed.length) log.info({ adapter: "discord", channel: id, messages: missed.length }, "caught up");
    return !failed || failed.retryIn === null;
  }

  /** Nothing counts as taken up to now before what was missed is. */
  async function all(ids: readonly string[], after: string): Promise<void> {
    const done = seen.begin(String(BigInt(after) + 1n));
    // Whether we may read is known only after the library has taken the guild in, which is before any task runs.
    const asked = await Promise.all(ids.map((id) => order.run(id, async () => !readable(id) || channel(id, after))));
    done(asked.every(Boolean));
  }
  const start = (joinedAt?: string): string | undefined => {
    if (from === undefined) return undefined;
    const oldest = snowflakeAt(Math.max(Date.now() - AGE, joinedAt ? Date.parse(joinedAt) : 0));
    return isLater(oldest, from) ? oldest : from;
  };
  const readable = (id: string): boolean => {
    const found = client.channels.cache.get(id);
    if (!found || found.isDMBased()) return true;
    const me = found.guild.members.me;
    return !me || found.permissionsFor(me)?.has([PermissionFlagsBits.ViewChannel, PermissionFlagsBits.ReadMessageHistory]) === true;
  };

  return {
    begun() {
      from = seen.upTo();
      seen.start(snowflakeAt(Date.now()));
      left = REQUESTS;
    },
    async guild(channels, joinedAt) {
      const after = start(joinedAt);
      if (after === undefined) return;
      const newer = channels
        .flatMap(({ id, last_message_id: last }) => (last && isLater(last, after) ? [{ id, last }] : []))
        .sort((one, other) => (isLater(one.last, other.last) ? -1 : 1));
      await all(
        newer.map(({ id }) => id),
        after,
      );
    },
    async directs() {
      const after = start();
      if (after !== undefined) await all(seen.places(), after);
    },
  };
}

/** The messages of a channel after one, oldest first. `may`: whether one more request is allowed. */
async function since(
  client: Client,
  channel: string,
  after: string,
  may: () => boolean,
): Promise<{ missed: APIMessage[]; failed?: Failure }> {
  const missed: APIMessage[] = [];
  for (let page = 0, last = after; page < PAGES && may(); page++) {
    const query = new URLSearchParams({ after: last, limit: String(PAGE) });
    const found = await attempt(client.rest.get(Routes.channelMessages(channel), { query }) as Promise<APIMessage[]>);
    if (!found.ok) return { missed, failed: found };
    const sorted = found.value.sort((one, other) => (isLater(one.id, other.id) ? 1 : -1));
    missed.push(...sorted);
    last = sorted.at(-1)?.id ?? last;
    if (sorted.length < PAGE) break;
  }
  return { missed };
}
