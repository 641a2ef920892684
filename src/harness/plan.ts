/**
 * How an action is performed: the intent is recorded first; only if that was not refused is it acted upon; then the outcome is recorded.
 */
import type { Event } from "../core/event.ts";
import type { SessionId } from "../core/id.ts";
import type { Write } from "../core/ports.ts";
import type { Scene } from "./world.ts";

export interface Plan {
  intent: Write[];
  act?: () => Promise<Write[]>;
}
export type Planner<A> = (scene: Scene, action: A) => Promise<Plan>;

export const write = (session: SessionId, ...events: Event[]): Write[] => (events.length ? [[session, events]] : []);
export const only = (session: SessionId, ...events: Event[]): Plan => ({ intent: write(session, ...events) });
