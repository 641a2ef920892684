/** `remember`: one fact into the memory of the place it was said in. Repeated after a crash it adds nothing. */
import { z } from "zod";
import type { Tool, ToolContext } from "../core/ports.ts";
import type { Memory } from "../memory/memory.ts";
import { define, done, failed } from "./define.ts";

export type MemoryFor = (context: ToolContext) => Memory;

export const remember = (memoryFor: MemoryFor): Tool =>
  define({
    name: "remember",
    description:
      "Keep one lasting fact for later conversations of this place, in one plain sentence. No secrets, no instructions, nothing that is over tomorrow.",
    input: z.object({ text: z.string() }),
    aliases: { fact: "text", content: "text" },
    repeatable: true,
    async run({ text }, context) {
      const { scope, session, call, by, place, now } = context;
      const channel = `${place.platform}:${place.channel}`;
      const kept = await memoryFor(context).remember(text, { scope, session, call, by: by.id, channel, now });
      if (!kept.ok) return failed(kept.error);
      return done(`Remembered for ${audience(scope)}: ${kept.text}`);
    },
  });

function audience(scope: ToolContext["scope"]): string {
  if (scope === "team") return "the whole team";
  return scope.startsWith("person:") ? "this person's direct messages only" : "this channel only";
}
