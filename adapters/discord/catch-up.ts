/**
 * Asks for what was said, changed and taken away while nobody listened: after a start, and after a session that could not be resumed.
 *
 * H1. Only channels that say they have something newer, newest channels first, within an age; and threads talked in that are in the archive,
 *     which are not listed.
 * H2. What is caught up comes before what is said meanwhile in the same channel; what was taken before is taken once all the same.
 * H3. Each guild goes on from where it was itself: other guilds may have been heard all the time.
 */
import type { Client } from "discord.js";
import type { Place } from "../../src/core/event.ts";
import { AGE, isLater } from "../shared/seen.ts";
import { changes } from "./changes.ts";
import { type Desk, DIRECT } from "./desk.ts";
import type { Hearing } from "./hear.ts";
import { history } from "./history.ts";
import { madeAt, snowflakeAt } from "./text.ts";

/** A channel or thread as a guild lists it. */
export interface Listed {
  id: string;
  last_message_id?: string | null;
}
export interface CatchUp {
  /** A new session begins: what came after this was missed. */
  begun(): void;
  guild(id: string, channels: readonly Listed[], joinedAt: string | undefined): Promise<void>;
  directs(): Promise<void>;
}

export function catchUp(client: Client, desk: Desk, hearing: Hearing): CatchUp {
  const { order, seen, places, log } = desk;
  const asked = history(client, log);
  const changed = changes(desk, asked, hearing);

  /** False: it has to be asked for again. */
  async function channel(id: string, after: string): Promise<boolean> {
    const { found, again } = await asked.since(id, after);
    for (const message of found) await hearing.missed(message);
    if (found.length) log.info({ adapter: "discord", channel: id, messages: found.length }, "caught up");
    return !again;
  }

  /** Nothing of a lane counts as taken up to now before what was missed is. `more`: found out while the first are asked. */
  async function all(lane: string, ids: readonly string[], after: string, more: Promise<readonly string[]>): Promise<void> {
    const free = seen.hold(String(BigInt(after) + 1n), lane);
    // Whether we may read is known only after the library has taken the guild in, which is before any task runs.
    const ask = (id: string) => order.run(id, async () => !asked.readable(id) || channel(id, after));
    const whole = [...(await Promise.all(ids.map(ask))), ...(await Promise.all((await more).map(ask)))];
    if (whole.every(Boolean)) free();
  }
  const isDirect = ({ channel }: Place): boolean => seen.places().includes(channel);
  const oldest = (joinedAt?: string): string => snowflakeAt(Math.max(Date.now() - AGE, joinedAt ? Date.parse(joinedAt) : 0));
  const start = (lane: string, earliest: string): string | undefined => {
    const from = seen.upTo(lane);
    return from !== undefined && isLater(earliest, from) ? earliest : from;
  };

  return {
    begun() {
      seen.start(snowflakeAt(Date.now()));
      asked.refill();
    },
    async guild(id, channels, joinedAt) {
      const earliest = oldest(joinedAt);
      const after = start(id, earliest);
      if (after === undefined) return;
      const dated = channels
        .map(({ id: channelId, last_message_id: last }) => ({ id: channelId, last: last ?? "0" }))
        .sort((one, other) => (isLater(one.last, other.last) ? -1 : 1));
      const idsOf = (some: typeof dated) => some.map((one) => one.id);
      // Of a team that never spoke there is nothing to ask the conversations: it has no home yet.
      const spoke = seen.knows(id);
      const sleeping = spoke ? asleep(desk, id, idsOf(dated), earliest) : Promise.resolve([]);
      await all(id, idsOf(dated.filter(({ last }) => isLater(last, after))), after, sleeping);
      await changed.within([...idsOf(dated), ...(await sleeping)], after, earliest);
      if (spoke) await changed.brink(id, after, (place) => !isDirect(place));
    },
    async directs() {
      const earliest = oldest();
      const after = start(DIRECT, earliest);
      if (after === undefined) return;
      await all(DIRECT, seen.places(), after, Promise.resolve([]));
      await changed.within(seen.places(), after, earliest);
      if (seen.knows(DIRECT)) await changed.brink(places.dmTeam(), after, isDirect);
    },
  };
}

/** Threads that were talked in, and are not among the channels and threads that are listed. */
async function asleep({ inbox, taken }: Desk, team: string, listed: readonly string[], earliest: string): Promise<string[]> {
  const there = new Set(listed);
  const said = await inbox.said("discord", team, madeAt(earliest)).catch(() => []);
  const known = new Set(said.map(({ place }) => place.thread ?? place.channel));
  return [...known].filter((thread) => !there.has(thread) && taken.within(thread).length > 0);
}
