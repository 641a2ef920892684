/**
 * `react`: answers with a sign on the message instead of words, or not at all. It ends the turn.
 *
 * - Whoever addressed the agent is owed something they can see: there, not answering at all is refused.
 * - The same sign twice is one, so a call that was interrupted may run again.
 */
import { z } from "zod";
import type { Place } from "../core/event.ts";
import { REACTIONS, type Reaction, type Tool, type ToolContext } from "../core/ports.ts";
import type { Said } from "../core/talk.ts";
import { define, failed } from "./define.ts";

export interface ReactDeps {
  react(place: Place, message: string, sign: Reaction): Promise<{ ok: true } | { ok: false; reason: string }>;
}

export const react = ({ react: put }: ReactDeps): Tool =>
  define({
    name: "react",
    description:
      "Answer the newest message with a sign in place of words, or without a sign not at all: for thanks, and for talk that asks nothing of you. Call it alone: your turn ends with it.",
    input: z.object({ sign: z.enum(REACTIONS).optional() }),
    aliases: { emoji: "sign", reaction: "sign" },
    repeatable: true,
    async run({ sign }, context) {
      const answered = messages(context);
      if (!sign)
        return answered.some(({ direct }) => direct)
          ? failed("You were addressed: answer in words, or react with a sign.")
          : { content: "You stay silent.", failed: false, ends: true };
      const newest = answered.at(-1);
      if (!newest) return failed("There is no message of this turn to react to. Answer in words.");
      const stands = standing(newest, context);
      if (!stands) return failed("What was asked in a form does not stand in the thread yet. Answer in words.");
      const done = await put(context.place, stands, sign);
      return done.ok
        ? { content: `Reacted with ${sign}.`, failed: false, ends: true }
        : failed(`The sign could not be set: ${done.reason} Answer in words.`);
    },
  });

/** The message that people see: of what was asked in a form, the one that shows it. */
const standing = ({ id, unseen }: Said, { state: { posts } }: ToolContext): string | undefined =>
  unseen ? posts[`asked/${id}`]?.ref?.message : id;

/** What people said that this turn answers. */
function messages({ state: { talk } }: ToolContext) {
  return talk.entries.flatMap((entry) =>
    entry.as === "said" && entry.kind === "message" && entry.turn === talk.turn && !entry.gone ? [entry] : [],
  );
}
