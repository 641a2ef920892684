/**
 * Brings a reply to whom it is for: the person who asked, in the thread where they asked, or all of it.
 *
 * W1. What Slack certainly did not take is said again when Slack says so, a few times; what may have arrived is not.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Place } from "../../src/core/event.ts";
import type { Reply } from "../../src/core/ports.ts";
import { say } from "../../src/core/view.ts";
import type { Outcome } from "../shared/failure.ts";
import type { Desk } from "./desk.ts";

const TRIES = 4;

export async function answer({ posts, log }: Desk, reply: Reply, place: Place, person: string): Promise<void> {
  if (reply.to === "nobody") return;
  const view = "form" in reply ? say("This opens a form: press the button once more.") : reply.view;
  const outcome = await insisting(() => (reply.to === "all" ? posts.say(place, view) : posts.whisper(place, person, view)));
  if (!outcome.ok) log.warn({ adapter: "slack", code: outcome.code }, `A reply could not be shown: ${outcome.reason}`);
}

export async function insisting<T>(call: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  for (let tries = 1; ; tries++) {
    const outcome = await call();
    if (outcome.ok || outcome.unsure || outcome.retryIn === null || tries >= TRIES) return outcome;
    await pause(outcome.retryIn, undefined, { ref: false });
  }
}
