/**
 * What conversations have of people's words since a time, for adapters that ask a platform what became of them.
 *
 * S1. Only the conversations that were talked in last are looked at, and no more than so many. What was said in a form stands nowhere.
 */
import type { Inbox } from "../core/ports.ts";
import type { Talk } from "../core/talk.ts";
import type { World } from "./world.ts";

const MOST = 50;

export async function saidSince(
  { homes, journal }: World,
  ...[platform, team, since]: Parameters<Inbox["said"]>
): ReturnType<Inbox["said"]> {
  const found = await homes.find(platform, team);
  if (!found.ok) return [];
  const home = await journal(found.home);
  const talked = (await home.sessions({ limit: MOST })).filter(
    ({ place, at }) => place.platform === platform && place.team === team && at >= since,
  );
  const all = await Promise.all(
    talked.map(async ({ session, place }) => messages((await home.state(session)).talk, since).map((id) => ({ place, id }))),
  );
  return all.flat();
}

function messages({ queue, entries }: Talk, since: number): string[] {
  const stand = [...entries.flatMap((it) => (it.as === "said" && !it.gone ? [it] : [])), ...queue];
  return stand.flatMap(({ kind, id, at, unseen }) => (kind === "message" && !unseen && at >= since ? [id] : []));
}
