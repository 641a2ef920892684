/** The scopes whose memory somebody may see where they are, at this moment. In doubt a place they may be a member of is none of them. */
import type { Place, Speaker } from "../core/event.ts";
import type { Journal, Log, Platform } from "../core/ports.ts";
import { type Scope, visibleScopes } from "../core/scope.ts";

export interface SeenOn {
  adapters: ReadonlyMap<string, Platform>;
  journal(home: string): Promise<Pick<Journal, "memory">>;
  log: Log;
}

export async function scopesSeen(
  { adapters, journal, log }: SeenOn,
  home: string,
  own: Scope,
  by: Speaker,
  { platform, team }: Place,
): Promise<Scope[]> {
  if (!own.startsWith("person:")) return visibleScopes(own, by);
  try {
    // Where nothing was ever said to the agent there is nothing to see.
    const among = (await (await journal(home)).memory.scopes()).filter((scope) => scope.startsWith(`place:${platform}:`));
    const places = among.length ? await adapters.get(platform)?.places?.(team, by.id, among) : [];
    return visibleScopes(own, by, places);
  } catch (error) {
    log.warn({ err: error }, "the places of a person could not be looked up");
    return visibleScopes(own, by);
  }
}
