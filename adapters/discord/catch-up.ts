/**
 * Asks for what was said, changed and taken away while nobody listened: after a start, and after a session that could not be resumed.
 *
 * H1. Only channels that say they have something newer, newest channels first, within an age.
 * H2. What is caught up comes before what is said meanwhile in the same channel; what was taken before is taken once all the same.
 * H3. Each guild goes on from where it was itself: other guilds may have been heard all the time.
 */
import type { Client } from "discord.js";
import { isLater } from "../shared/seen.ts";
import { changes } from "./changes.ts";
import { type Desk, DIRECT } from "./desk.ts";
import type { Hearing } from "./hear.ts";
import { history } from "./history.ts";
import { snowflakeAt } from "./text.ts";

const AGE = 24 * 3600_000;

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
  const { order, seen, log } = desk;
  const asked = history(client, log);
  const changed = changes(desk, asked, hearing);

  /** False: it has to be asked for again. */
  async function channel(id: string, after: string): Promise<boolean> {
    const { found, again } = await asked.since(id, after);
    for (const message of found) await hearing.missed(message);
    if (found.length) log.info({ adapter: "discord", channel: id, messages: found.length }, "caught up");
    return !again;
  }

  /** Nothing of a lane counts as taken up to now before what was missed is. */
  async function all(lane: string, ids: readonly string[], after: string): Promise<void> {
    const done = seen.begin(String(BigInt(after) + 1n), lane);
    // Whether we may read is known only after the library has taken the guild in, which is before any task runs.
    const whole = await Promise.all(ids.map((id) => order.run(id, async () => !asked.readable(id) || channel(id, after))));
    done(whole.every(Boolean));
  }
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
      await all(id, idsOf(dated.filter(({ last }) => isLater(last, after))), after);
      await changed(idsOf(dated), after, earliest);
    },
    async directs() {
      const earliest = oldest();
      const after = start(DIRECT, earliest);
      if (after === undefined) return;
      await all(DIRECT, seen.places(), after);
      await changed(seen.places(), after, earliest);
    },
  };
}
