/**
 * The button Undo. Below a turn's work it takes back what the turn and its helpers changed in the home, all of it or nothing: what an
 * administrator had to allow, an administrator takes back; the rest, whoever may approve. In a digest it takes back what a night learned.
 */
import type { SessionId } from "../core/id.ts";
import type { Click, Journal, Reply, Rules } from "../core/ports.ts";
import type { State } from "../core/state.ts";
import { say } from "../core/view.ts";
import type { Pressed } from "./click.ts";
import { standingOf } from "./standing.ts";
import type { World } from "./world.ts";

const tell = (text: string): Reply => ({ to: "asker", view: say(text) });

export async function undo(
  { world, click: given, home, journal, rules }: Pressed,
  session: SessionId,
  { opened }: State,
  turn: number,
): Promise<Reply> {
  const [{ changes }, { by, place, platform }] = [world, given];
  if (!changes) return tell("Changes of this home are not kept, so none can be taken back.");
  if (rules.broken) return tell(rules.broken);
  const [first] = await journal.events(session);
  const { ids, level } = await changes.of(home, session, turn, first?.event.at ?? 0);
  const standing = await standingOf(world, given, opened?.place ?? place, rules);
  if (!standing || !rules.may(level, by.id, standing)) return tell(`You may not take this back. Who may: ${rules.who(level, platform)}.`);
  if (!ids.length) return tell("This has been taken back already, or is no longer in the history.");
  const done = await changes.undo(home, ids, by);
  if (!done.ok) return tell(`Nothing was taken back. ${done.why}`);
  const files = done.commit.files.map(({ path }) => path).join(", ");
  return { to: "all", view: say(`↩️ ${by.name} took back what was changed here: ${files}.`) };
}

/** A line of a digest, or all that stands: by whom the memory is shown to now. Those of direct messages are their person's alone. */
export async function undoNight(world: World, given: Click, on: Digested): Promise<Reply> {
  const [{ memory }, { by, platform, at }] = [world, given];
  const { home, journal, rules, session, state, what, wake } = on;
  const { digest, opened } = state;
  if (!memory || !digest || !opened) return tell("I do not know this button any more.");
  const standing = await standingOf(world, given, opened.place, rules);
  const sees = opened.scope.startsWith("person:") ? opened.scope === `person:${by.id}` : standing && rules.may("talk", by.id, standing);
  if (!sees || !standing) return tell(`You may not take this back. Who may: ${rules.who("talk", platform)}.`);
  const [n, edit] = what.split("-").map(Number);
  const open = digest.lines.filter((line) => !line.undone && (what === "all" || (line.n === n && line.edit === edit)));
  if (!open.length) return tell("This has been taken back already.");
  const admin = rules.may("admin", by.id, standing);
  const failed: string[] = [];
  // Backwards: a fact that was put together stands in the line of one of its parts.
  for (const line of open.toReversed()) {
    const done = await memory.undo(home, opened.scope, line.n, line.edit, { id: by.id, admin });
    if (!done.ok) failed.push(`“${line.text.slice(0, 80)}”: ${done.why}`);
    else await journal.receive(session, `undone ${line.n}-${line.edit}`, { type: "digest.undone", at, n: line.n, edit: line.edit, by });
  }
  wake(home, session);
  return failed.length ? tell(`Not taken back: ${failed.join("\n")}`) : { to: "nobody" };
}

interface Digested {
  home: string;
  journal: Journal;
  rules: Rules;
  session: SessionId;
  state: State;
  /** `all`, or a change and its edit: `12-0`. */
  what: string;
  wake(home: string, session: SessionId): void;
}
