/** Where people can see why a home was changed: the card they decided it on, else what was shown of that turn, else its thread. */

import type { Place } from "../core/event.ts";
import { rootOf, type SessionId } from "../core/id.ts";
import type { Cause, Journal } from "../core/ports.ts";

export type Link = (place: Place, message: string) => string | undefined;

/** A link into the platform; undefined where nothing stands there, or the platform has none. */
export async function originLink(
  { session, call }: Pick<Cause, "session" | "call">,
  journal: Journal,
  link: Link,
): Promise<string | undefined> {
  const row = session === undefined ? undefined : await journal.session(rootOf(session));
  if (!row || session === undefined) return undefined;
  const ref =
    (await shownAs(journal, session, (slot) => slot === `card/${call}`)) ??
    (await shownAs(journal, row.session, (slot) => new RegExp(`^(progress|answer)/${turnOf(session, call)}(/|$)`).test(slot)));
  const { place } = row;
  if (ref) return link({ ...place, channel: ref.channel }, ref.message);
  return place.thread === null ? undefined : link(place, place.thread);
}

async function shownAs(journal: Journal, session: SessionId, wanted: (slot: string) => boolean) {
  const found = (await journal.events(session)).findLast(({ event }) => event.type === "post.shown" && wanted(event.slot));
  return found?.event.type === "post.shown" ? found.event.ref : undefined;
}

/** Of the root: a helper works within the call that began it. */
function turnOf(session: SessionId, call = ""): string {
  const [, first = call] = session.split("/");
  return first.split(".", 1)[0] ?? "";
}
