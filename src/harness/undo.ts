/**
 * The button Undo below a turn's work: takes back what the turn and its helpers changed in the home, all of it or nothing.
 * What an administrator had to allow, an administrator takes back; the rest, whoever may approve.
 */
import type { Click, Reply, Rules } from "../core/ports.ts";
import { say } from "../core/view.ts";
import type { World } from "./world.ts";

const tell = (text: string): Reply => ({ to: "asker", view: say(text) });

export async function undo(
  { changes, platforms }: World,
  { by, place, platform }: Click,
  home: string,
  rules: Rules,
  session: string,
  turn: number,
): Promise<Reply> {
  if (!changes) return tell("Changes of this home are not kept, so none can be taken back.");
  if (rules.broken) return tell(rules.broken);
  const { ids, level } = await changes.of(home, session, turn);
  const standing = await platforms.get(platform)?.standing(place, by.id);
  if (!standing || !rules.may(level, by.id, standing)) return tell(`You may not take this back. Who may: ${rules.who(level, platform)}.`);
  if (!ids.length) return tell("This has been taken back already, or is no longer in the history.");
  const done = await changes.undo(home, ids, by);
  if (!done.ok) return tell(`Nothing was taken back. ${done.why}`);
  const files = done.commit.files.map(({ path }) => path).join(", ");
  return { to: "all", view: say(`↩️ ${by.name} took back what was changed here: ${files}.`) };
}
