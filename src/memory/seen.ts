/** The scopes whose memory somebody may see where they are, at this moment. In doubt a place they may be a member of is none of them. */
import type { Place, Speaker } from "../core/event.ts";
import type { Log, Platform } from "../core/ports.ts";
import { type Scope, visibleScopes } from "../core/scope.ts";

export async function scopesSeen(
  { adapters, log }: { adapters: ReadonlyMap<string, Platform>; log: Log },
  own: Scope,
  by: Speaker,
  { platform, team }: Place,
): Promise<Scope[]> {
  if (!own.startsWith("person:")) return visibleScopes(own, by);
  try {
    return visibleScopes(own, by, await adapters.get(platform)?.places?.(team, by.id));
  } catch (error) {
    log.warn({ err: error }, "the places of a person could not be looked up");
    return visibleScopes(own, by);
  }
}
