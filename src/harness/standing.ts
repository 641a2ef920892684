/** What somebody who presses a button counts as, now, for the conversation that the button is about. */
import { standingAt } from "../core/decide.ts";
import type { Place } from "../core/event.ts";
import type { Click, Rules, Standing } from "../core/ports.ts";
import type { World } from "./world.ts";

export async function standingOf(
  { platforms }: World,
  { by, place, platform }: Click,
  about: Pick<Place, "platform">,
  rules: Rules,
): Promise<Standing | undefined> {
  const standing = await platforms.get(platform)?.standing(place, by.id);
  return standingAt({ at: { platform, team: place.team }, about, standing }, rules);
}
