/** Brings a reply to whom it is for: the person who asked, in the thread where they asked, or all of it. */
import type { Place } from "../../src/core/event.ts";
import type { Reply } from "../../src/core/ports.ts";
import { say } from "../../src/core/view.ts";
import type { Desk } from "./desk.ts";

export async function answer({ posts, log }: Desk, reply: Reply, place: Place, person: string): Promise<void> {
  if (reply.to === "nobody") return;
  const view = "form" in reply ? say("This opens a form: press the button once more.") : reply.view;
  const outcome = await (reply.to === "all" ? posts.say(place, view) : posts.whisper(place, person, view));
  if (!outcome.ok) log.warn({ adapter: "slack", code: outcome.code }, `A reply could not be shown: ${outcome.reason}`);
}
