/**
 * Who may see what was learned where. Scopes are fixed by code when a session starts; the model never chooses one.
 *
 * S1. In doubt a place is private.
 * S2. A session sees the team's memory and its own; a person's DM also the private places that person is a member of now.
 * S3. A guest or external sees only the memory of the place they are in.
 */
import type { Speaker } from "./event.ts";

export type Scope = "team" | `place:${string}` | `person:${string}`;

/** What an adapter knows of a channel. `unknown` is treated as private. */
export type ChannelKind = "public" | "private" | "group" | "dm" | "unknown";

/** `channel` and `person` are platform-qualified: `slack:C1`, `slack:U1`. */
export function scopeOf(kind: ChannelKind, shared: boolean, channel: string, person: string): Scope {
  if (kind === "dm") return `person:${person}`;
  return kind === "public" && !shared ? "team" : `place:${channel}`;
}

export const isPrivate = (scope: Scope): boolean => scope !== "team";

/** The scopes whose memory a session may read. `places`: the private places its person is a member of at this moment. */
export function visibleScopes(own: Scope, by: Speaker | undefined, places: readonly Scope[] = []): Scope[] {
  const outsider = by?.kind === "guest" || by?.kind === "external";
  const team: Scope[] = outsider && own !== "team" ? [] : ["team"];
  const extra = own.startsWith("person:") && !outsider ? places : [];
  return [...new Set([...team, own, ...extra])];
}
