/**
 * What channels hold, asked for with a bound on all requests together.
 *
 * H1. Only where we may read, and no more than a number of requests and pages. What was left out for that is said in the log.
 */
import { type APIMessage, type Client, PermissionFlagsBits, Routes } from "discord.js";
import type { Log } from "../../src/core/ports.ts";
import { isLater } from "../shared/seen.ts";
import { attempt } from "./outcome.ts";
import type { MessageData } from "./told.ts";

const REQUESTS = 1000;
const PAGE = 100;
const PAGES = 20;

export interface Since {
  /** The oldest first. */
  found: (APIMessage & MessageData)[];
  /** These are all. */
  whole: boolean;
  /** There is more, and asking again may give it. */
  again: boolean;
}
export interface History {
  /** Allows all requests anew. */
  refill(): void;
  readable(channel: string): boolean;
  /** What a channel holds after a message. */
  since(channel: string, after: string): Promise<Since>;
}

export function history(client: Client, log: Log): History {
  let left = REQUESTS;
  return {
    refill() {
      left = REQUESTS;
    },
    readable(channel) {
      const found = client.channels.cache.get(channel);
      if (!found || found.isDMBased()) return true;
      const me = found.guild.members.me;
      return !me || found.permissionsFor(me)?.has([PermissionFlagsBits.ViewChannel, PermissionFlagsBits.ReadMessageHistory]) === true;
    },
    async since(channel, after) {
      const found: Since["found"] = [];
      for (let page = 0, last = after; page < PAGES && left-- > 0; page++) {
        const query = new URLSearchParams({ after: last, limit: String(PAGE) });
        const told = await attempt(client.rest.get(Routes.channelMessages(channel), { query }) as Promise<APIMessage[]>);
        if (!told.ok) {
          log.warn({ adapter: "discord", channel, code: told.code }, `What was missed could not be asked for: ${told.reason}`);
          return { found, whole: false, again: told.retryIn !== null };
        }
        const sorted = told.value.sort((one, other) => (isLater(one.id, other.id) ? 1 : -1));
        found.push(...sorted);
        last = sorted.at(-1)?.id ?? last;
        if (sorted.length < PAGE) return { found, whole: true, again: false };
      }
      log.warn({ adapter: "discord", channel, read: found.length }, "More was missed here than is asked for.");
      return { found, whole: false, again: false };
    },
  };
}
