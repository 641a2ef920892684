/**
 * Discord. Owns everything between Discord and the inbox, and shows what the core wants shown.
 *
 * A1. The gateway asks for no receipts: what the inbox does not have yet is asked for again after a restart.
 * A2. A connection that tells nothing any more is replaced by a new one; what was missed meanwhile is caught up.
 * A3. Whatever is shown went through the scrubber, and calls nobody.
 */
import type { Client } from "discord.js";
import type { Place } from "../../src/core/event.ts";
import type { Adapter, Reaction } from "../../src/core/ports.ts";
import { order } from "../shared/order.ts";
import { openSeen } from "../shared/seen.ts";
import { openTaken } from "../shared/taken.ts";
import { within } from "../shared/within.ts";
import type { Connected, DiscordOptions, Kept } from "./connection.ts";
import type { Door } from "./door.ts";
import { fetchFile } from "./files.ts";
import { line } from "./line.ts";
import { atMessage } from "./places.ts";

export type { DiscordOptions } from "./connection.ts";

/** Characters of one answer: Discord takes 2,000, and what is noted below it needs room. */
const PART = 1800;
/** More than so many are no answer that anybody reads in a thread. */
const MOST_PARTS = 6;
const STOP_WITHIN = 6000;

export function discord(given: DiscordOptions): Adapter {
  const { log, scrub } = given;
  const own = line(given);
  let kept: Kept | undefined;
  const there = (): Connected => {
    const now = own.now();
    if (!now) throw new Error("Discord was used before it was started.");
    return now;
  };
  return {
    name: "discord",
    partLimit: PART,
    mostParts: MOST_PARTS,
    async start(inbox) {
      kept ??= {
        inbox,
        seen: await openSeen(given.folder, "discord", log),
        taken: await openTaken(given.folder, "discord", log),
        order: order(),
      };
      await own.open(kept);
    },
    async stop() {
      own.close();
      if (kept) await within(STOP_WITHIN, kept.order.idle(), undefined);
      await Promise.all([kept?.seen.close(), kept?.taken.close()]);
    },
    health: own.health,
    post: (place, slot, key, mark, bytes) => there().desk.posts.post(place, slot, key, mark, bytes),
    fetch: (place, message, file, most, signal) => fetchFile(there().desk.door, given.apiUrl, { place, message, file, most, signal }),
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
        log.warn({ adapter: "discord", code: outcome.code }, `A private message could not be shown: ${scrub(outcome.reason)}`);
    },
    standing: (place, person) => there().desk.people.standing(place.team, bareId(person)),
    react: (place, message, sign) => react(there().desk.door, place, message, sign),
    places: async (team, person, among) => (await there().memberships(team, bareId(person))).filter((place) => among.includes(place)),
    link: (place, message) => linkOf(own.now()?.client, place, message, kept?.taken.of(message)?.channel),
  };
}

const bareId = (person: string): string => person.replace(/^discord:/, "");

async function react(door: Door, place: Place, message: string, sign: Reaction): ReturnType<NonNullable<Adapter["react"]>> {
  const done = await atMessage(place, message, (channel) => door.react(channel, message, sign));
  return done.ok ? { ok: true } : { ok: false, reason: done.reason };
}

/**
 * What is said in a thread stands there, and only its first message beside it. Discord lists no thread that sleeps. `known`: where the
 * message is known to stand.
 */
function linkOf(client: Client | undefined, { team, channel, thread }: Place, message: string, known?: string): string | undefined {
  if (!client) return undefined;
  const found = client.channels.cache.get(channel);
  const direct = found ? found.isDMBased() : thread === channel && !client.channels.cache.has(thread);
  const holds = found !== undefined && !found.isThread() && "threads" in found && thread !== null;
  const inside = known ?? (holds && (thread !== message || found.isThreadOnly()) ? thread : channel);
  return `https://discord.com/channels/${direct ? "@me" : team}/${inside}${message && message !== inside ? `/${message}` : ""}`;
}
