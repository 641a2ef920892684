/** What a message from a platform means here: its session, the scope it would begin with, and what is known of its thread. */
import type { Place } from "../core/event.ts";
import type { SessionId } from "../core/id.ts";
import type { Incoming, Opening, Rules } from "../core/ports.ts";
import type { Known } from "../core/route.ts";
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

export const knownOf = ({ opened, talk }: State): Known => ({ session: opened !== undefined, talkers: talk.talkers, others: talk.others });

export async function mayTalk(world: World, rules: Rules, { place, by }: Incoming): Promise<boolean> {
  const standing = await world.platforms.get(place.platform)?.standing(place, by.id);
  return standing !== undefined && rules.may("talk", by.id, standing);
}
