/**
 * `pause` and `resume`: nothing new is begun in the whole home, until somebody lets it go on. What is said meanwhile is kept and answered
 * then; what runs already may end. Administrators only, and all can see it.
 */
import { HOME_SESSION } from "../core/id.ts";
import type { Reply } from "../core/ports.ts";
import { say } from "../core/view.ts";
import { type Asked, page } from "./asked.ts";

export const pause = (asked: Asked): Promise<Reply> => change(asked, "home.paused");
export const resume = (asked: Asked): Promise<Reply> => change(asked, "home.resumed");

async function change(
  { journal, rules, who, wake, command: { by, at, place } }: Asked,
  type: "home.paused" | "home.resumed",
): Promise<Reply> {
  const pausing = type === "home.paused";
  if (!who || !rules.may("admin", by.id, who))
    return alone(`Only administrators can do this. ${rules.broken ?? `Who may: ${rules.who("admin", place.platform)}.`}`);
  const { paused } = await journal.state(HOME_SESSION);
  if (pausing && paused) return alone(`I am paused already, by ${paused.by.name}.`);
  if (!pausing && !paused) return alone("I am not paused.");
  await journal.receive(HOME_SESSION, `${type}:${at}:${by.id}`, { type, at, by });
  if (pausing)
    return {
      to: "all",
      view: say(`⏸️ ${by.name} paused me. I keep what you write and answer it after \`/resume\`; what already runs may end.`),
    };
  await wake();
  return { to: "all", view: say(`▶️ ${by.name} resumed me. I take up what was written meanwhile.`) };
}
const alone = (text: string): Reply => page("Pause", [{ kind: "text", text }]);
