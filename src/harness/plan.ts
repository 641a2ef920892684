/**
 * How an action is performed: the intent is recorded first; only if that was not refused is it acted upon; then the outcome is recorded.
 */
import type { Event } from "../core/event.ts";
import type { SessionId } from "../core/id.ts";
import type { Write } from "../core/ports.ts";
import { reduce, type State } from "../core/state.ts";
import type { Scene } from "./world.ts";

export interface Plan {
  intent: Write[];
  act?: () => Promise<Write[]>;
  /** Nothing is different after it: it need not wait until its intent is recorded. */
  reads?: boolean;
}
export type Planner<A> = (scene: Scene, action: A) => Promise<Plan>;

export const write = (session: SessionId, ...events: Event[]): Write[] => (events.length ? [[session, events]] : []);
export const reduced = (state: State, [, events]: Write): State => events.reduce(reduce, state);
export const only = (session: SessionId, ...events: Event[]): Plan => ({ intent: write(session, ...events) });

/** Acts at once, and waits for it no longer than this turn of the event loop: all that came of it, or plans that go on with it. */
export async function begin(plans: readonly Plan[]): Promise<{ ended?: Write[]; begun: Plan[] }> {
  const acts = plans.map(async ({ act }) => (await act?.()) ?? []);
  // What fails is told by the plan that goes on with it.
  const all = Promise.all(acts).catch(() => undefined);
  const found = await Promise.race([all, new Promise<undefined>((done) => setImmediate(done, undefined))]);
  if (found) return { ended: [...plans.flatMap(({ intent }) => intent), ...found.flat()], begun: [] };
  return { begun: plans.map(({ intent }, at) => ({ intent, act: async () => (await acts[at]) ?? [] })) };
}
