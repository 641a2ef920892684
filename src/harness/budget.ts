/**
 * Whether there are tokens left for another step. Asked before a step opens, so that nothing is cut off in the middle of a tool.
 * A day is a day of UTC; what a helper uses is charged to the person its root works for.
 */
import type { Write } from "../core/ports.ts";
import { type Scene, whoFor } from "./world.ts";

/** The sentence a turn ends with when a budget is used up. */
export async function usedUp({ world, home, journal, opened, state, unrecorded = 0 }: Scene): Promise<string | undefined> {
  const { budget, who: may } = await world.homes.rules(home);
  if (!budget) return undefined;
  const rows = await journal.usage(new Date(world.now()).toISOString().slice(0, 10));
  // A turn that is not open yet will be for whoever is first in the queue.
  const person = state.talk.phase === "idle" ? state.talk.queue.find((item) => item.must)?.by : state.talk.by;
  const who = opened.parent ? whoFor(opened, state) : person;
  const sum = (own: typeof rows): number => own.reduce((total, { input, output }) => total + input + output, unrecorded);
  const raise = (key: string): string => `It begins anew at 00:00 UTC. Who can raise it: ${may("admin")} (budget.${key} in policy.json).`;
  const { tokensPerDay, tokensPerPersonPerDay } = budget;
  if (sum(rows) >= tokensPerDay)
    return `I stop here: today's budget of this home, ${amount(tokensPerDay)}, is used up. ${raise("tokensPerDay")}`;
  if (who && sum(rows.filter((row) => row.person === who.id)) >= tokensPerPersonPerDay)
    return `I stop here: ${who.name}'s budget for today, ${amount(tokensPerPersonPerDay)}, is used up. ${raise("tokensPerPersonPerDay")}`;
  return undefined;
}

/** What events charge, as the journal counts it. */
export const tokensIn = (writes: readonly Write[]): number =>
  writes
    .flatMap(([, events]) => events)
    .reduce((total, event) => {
      const usage = "usage" in event ? event.usage : undefined;
      return total + (usage ? usage.input + usage.output + usage.cacheRead + usage.cacheWrite : 0);
    }, 0);

/** Of these only what charges, each for itself. */
export const chargesIn = (writes: readonly Write[]): Write[] =>
  writes.flatMap(([id, events]) => events.filter(({ type }) => type === "tokens.spent").map((event): Write => [id, [event]]));

const amount = (tokens: number): string => `${tokens.toLocaleString("en")} tokens`;
