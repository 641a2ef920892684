/**
 * Looks for what was edited and taken away while nobody listened.
 *
 * E1. Only among the messages that conversations have, as far as those are still known, in channels that were talked in last.
 * E2. What could not be looked up is taken for unchanged.
 * E3. What was taken around a kill may be known to the conversations alone: what they have of it that did not come once more is asked for by
 *     itself, up to a number.
 */
import type { Place } from "../../src/core/event.ts";
import { isLater } from "../shared/seen.ts";
import type { Desk } from "./desk.ts";
import type { Hearing } from "./hear.ts";
import type { History } from "./history.ts";
import { CODE } from "./outcome.ts";
import { atMessage } from "./places.ts";
import { madeAt } from "./text.ts";

/** Channels that are looked at, and messages that are asked for one by one. */
const MOST = 50;
const GONE = new Set<string>([CODE.unknownMessage, CODE.unknownChannel]);
/** What is kept on disk of what was taken may be older than what was taken by so many ms. */
const BRINK = 10_000;

/** `after`: what was taken last; `oldest`: nothing before it is looked at. */
export interface Changes {
  within(channels: readonly string[], after: string, oldest: string): Promise<void>;
  /** To be asked once what was missed in these places has been taken. */
  brink(team: string, after: string, among: (place: Place) => boolean): Promise<void>;
}

export function changes({ order, taken, inbox, door }: Desk, history: History, hearing: Hearing): Changes {
  async function look(channel: string, after: string, oldest: string): Promise<void> {
    const known = taken.within(channel).filter(({ id }) => isLater(id, oldest));
    const [first] = known.map(({ id }) => id).sort((one, other) => (isLater(one, other) ? 1 : -1));
    if (first === undefined || !history.readable(channel)) return;
    const { found, whole } = await history.since(channel, String(BigInt(first) - 1n));
    const last = found.at(-1)?.id;
    const there = new Map(found.map((message) => [message.id, message] as const));
    for (const { id } of known) {
      const now = there.get(id);
      const reached = whole || (last !== undefined && !isLater(id, last));
      // Each waits for its turn by itself: the channel's is ours just now.
      if (!now && reached) void hearing.deleted(channel, [id]);
      // What came only now came with its words of now. An edit told just before a kill may be lost; told twice it is one.
      const edited = now?.edited_timestamp && Date.parse(now.edited_timestamp);
      if (now && edited && !isLater(id, after) && edited > madeAt(after) - BRINK) void hearing.updated(now);
    }
  }
  async function isGone(place: Place, id: string): Promise<boolean> {
    const asked = await atMessage(place, id, (channel) => door.message(channel, id));
    return !asked.ok && GONE.has(asked.code);
  }
  return {
    async within(channels, after, oldest) {
      const talked = channels.filter((id) => taken.within(id).length > 0).slice(0, MOST);
      await Promise.all(talked.map((id) => order.run(id, () => look(id, after, oldest))));
    },
    async brink(team, after, among) {
      const all = await inbox.said("discord", team, madeAt(after) - BRINK);
      for (const { place, id } of all.filter((one) => among(one.place) && !taken.of(one.id)).slice(0, MOST)) {
        if (await isGone(place, id)) await inbox.deleted(place, id, Date.now());
      }
    },
  };
}
