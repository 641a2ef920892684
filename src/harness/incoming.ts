/** What a message from a platform means here: its session, the scope it would begin with, and what is known of its thread. */
import type { Place } from "../core/event.ts";
import type { SessionId } from "../core/id.ts";
import type { Incoming, Opening, Rules } from "../core/ports.ts";
import type { Known, Ways } from "../core/route.ts";
import { scopeOf } from "../core/scope.ts";
import type { State } from "../core/state.ts";
import { newCode } from "./gate.ts";
import type { World } from "./world.ts";

/** The session a message belongs to: its thread's, or the one it would begin. A platform without channels names its team as the channel. */
export function sessionOf({ platform, team, channel, thread }: Place, id: string): SessionId {
  return [platform, team, ...(channel === team ? [] : [channel]), thread ?? id].join(":");
}

export function openingOf(home: string, { place, channel, shared, id, by }: Incoming): Opening {
  const scope = scopeOf(channel, shared, `${place.platform}:${place.channel}`, by.id);
  return { home, scope, place: { ...place, thread: place.thread ?? id }, code: newCode() };
}

/**
 * Why a thread takes nothing more: who may see its place has changed since it was begun, and with that whose memory its words would be.
 * What was said before stays where it was said.
 */
export function changedSince({ opened }: State, { place, channel, shared, by }: Incoming): string | undefined {
  if (!opened || scopeOf(channel, shared, `${place.platform}:${place.channel}`, by.id) === opened.scope) return undefined;
  if (channel === "unknown") return "I cannot see at the moment who can read this channel. Please say it again in a moment.";
  return opened.scope === "team"
    ? "This thread was begun while everybody in the team could read it. Please begin a new one, so that I keep what is said here to this place."
    : "More people can read this place than when this thread was begun. Please begin a new one, so that I keep to myself what I learned here before.";
}

export const knownOf = ({ opened, talk }: State): Known => ({
  session: opened !== undefined,
  talkers: talk.talkers,
  others: talk.others,
  byBots: [...talk.entries, ...talk.queue].filter((it) => "must" in it && it.must && it.kind === "message" && it.by.kind === "bot").length,
});

export async function waysOf(world: World, { may, followUps, budget }: Rules, { place, by }: Incoming): Promise<Ways> {
  const standing = await world.platforms.get(place.platform)?.standing(place, by.id);
  // A platform may not know its webhooks and apps by their ids.
  const mayTalk = standing !== undefined && may("talk", by.id, by.kind === "bot" ? { ...standing, bot: true } : standing);
  return { followUps, mayTalk, ...(budget ? { botReplies: budget.botRepliesPerThread } : {}) };
}
