/**
 * The first answer to an interaction, which Discord waits for three seconds, and what follows it.
 *
 * P1. Something is always answered in time: what the inbox says if it says it soon, else that an answer is being worked on.
 * P2. A form can only be a first answer. One that is ready too late is asked for once more.
 * P3. An interaction that is gone, or was answered before, costs nothing: what it did is done, and its card shows it.
 */
import type { Place } from "../../src/core/event.ts";
import type { Reply } from "../../src/core/ports.ts";
import { say, type View } from "../../src/core/view.ts";
import type { Failure, Outcome } from "../shared/failure.ts";
import { within } from "../shared/within.ts";
import type { Desk } from "./desk.ts";
import type { Answerable, InteractionAnswer } from "./door.ts";
import { modal } from "./form.ts";
import { CODE } from "./outcome.ts";

const IN_TIME = 1500;
const WENT_WRONG = say("Something went wrong here. Please try it once more.");

/** What people did, as the inbox answers it. `place`: where what all may see is said, known once `reply` is. */
export interface Doing {
  reply: Promise<Reply>;
  place(): Place | undefined;
  /** It was pressed on a message, which shows by itself what came of it; else people wait for words. */
  quiet: boolean;
}

export async function respond(desk: Desk, to: Answerable, { reply, place, quiet }: Doing): Promise<void> {
  const safe = reply.catch((error: unknown): Reply => {
    desk.log.error({ adapter: "discord", err: error }, "an interaction could not be taken");
    return { to: "asker", view: WENT_WRONG };
  });
  const soon = await within(IN_TIME, safe, undefined);
  if (soon) return noted(desk, await desk.door.answer(to, first(desk, soon, quiet)));
  noted(desk, await desk.door.answer(to, { kind: quiet ? "later" : "promise" }));
  await rest(desk, to, await safe, place(), quiet);
}

function first({ posts }: Desk, reply: Reply, quiet: boolean): InteractionAnswer {
  const tell = (view: View, toAll = false): InteractionAnswer => ({ kind: "say", message: posts.shape(view), toAll });
  if (reply.to === "nobody") return quiet ? { kind: "later" } : tell(say("Done."));
  if (!("form" in reply)) return tell(reply.view, reply.to === "all");
  const made = modal(reply.form, reply.act, reply.code);
  return "wrong" in made ? tell(say(made.wrong)) : { kind: "form", form: made };
}

async function rest(desk: Desk, to: Answerable, reply: Reply, place: Place | undefined, quiet: boolean): Promise<void> {
  const { posts, door } = desk;
  const view = reply.to === "nobody" || !("view" in reply) ? undefined : reply.view;
  const late = "form" in reply ? say("This took too long for a form to open. Please press the button once more.") : undefined;
  if (reply.to === "all" && place) {
    noted(desk, await posts.say(place, reply.view));
    return quiet ? undefined : noted(desk, await door.fulfil(to, posts.shape(say("Done."))));
  }
  const words = view ?? late ?? (quiet ? undefined : say("Done."));
  if (!words) return;
  noted(desk, await (quiet ? door.followUp(to, posts.shape(words)) : door.fulfil(to, posts.shape(words))));
}

const HARMLESS = new Set<string>([CODE.unknownInteraction, CODE.answeredAlready]);
function noted({ log }: Desk, outcome: Outcome<unknown>): void {
  if (outcome.ok) return;
  const { code, reason }: Failure = outcome;
  log[HARMLESS.has(code) ? "info" : "warn"]({ adapter: "discord", code }, `An interaction could not be answered: ${reason}`);
}
