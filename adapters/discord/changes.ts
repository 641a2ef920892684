/**
 * Looks for what was edited and taken away while nobody listened.
 *
 * E1. Only among the messages that conversations have, as far as those are still known, in channels that were talked in last.
 * E2. What could not be looked up is taken for unchanged.
 */
import { isLater } from "../shared/seen.ts";
import type { Desk } from "./desk.ts";
import type { Hearing } from "./hear.ts";
import type { History } from "./history.ts";
import { madeAt } from "./text.ts";

/** Channels that are looked at. */
const MOST = 50;

/** `after`: what was taken last; `oldest`: nothing before it is looked at. */
export type Changes = (channels: readonly string[], after: string, oldest: string) => Promise<void>;

export function changes({ order, taken }: Desk, history: History, hearing: Hearing): Changes {
  async function look(channel: string, after: string, oldest: string): Promise<void> {
    const known = taken.within(channel).filter(({ id }) => isLater(id, oldest) && !isLater(id, after));
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
      if (now?.edited_timestamp && Date.parse(now.edited_timestamp) > madeAt(after)) void hearing.updated(now);
    }
  }
  return async (channels, after, oldest) => {
    const talked = channels.filter((id) => taken.within(id).length > 0).slice(0, MOST);
    await Promise.all(talked.map((id) => order.run(id, () => look(id, after, oldest))));
  };
}
