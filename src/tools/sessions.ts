/**
 * `search_sessions`: what was said in earlier conversations, as far as this one may see them.
 *
 * S1. The scopes that are looked at are those this session may see, by code; the model cannot widen them.
 */
import { z } from "zod";
import type { Place } from "../core/event.ts";
import type { Found, Tool, ToolContext } from "../core/ports.ts";
import { define, done } from "./define.ts";
import { cutAt } from "./text.ts";

export interface Sessions {
  search(query: string, limit: number, context: ToolContext): Promise<Found[]>;
  link(place: Place, message: string): string | undefined;
}

const FOUND = 20;
const AROUND = 160;

export const searchSessions = ({ search, link }: Sessions): Tool =>
  define({
    name: "search_sessions",
    description:
      "Search what was said in earlier conversations that may be seen from here, the newest first, with links. Use a few telling words (names, numbers, terms), not a sentence.",
    input: z.object({
      query: z.string().trim().min(1, "has words"),
      limit: z.int().min(1).max(FOUND).optional().describe(`How many, default 10, at most ${FOUND}`),
    }),
    repeatable: true,
    reads: true,
    paging: true,
    async run({ query, limit = 10 }, context) {
      const found = await search(query, limit, context);
      if (!found.length) return done("Nothing that may be seen from here holds this. Try other or fewer words.");
      const words = query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
      return done(found.map((it) => line(it, words, link, context)).join("\n\n"));
    },
  });

function line(
  { session, place, title, at, by, text, message }: Found,
  words: string[],
  link: Sessions["link"],
  { session: own }: ToolContext,
): string {
  const when = `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const target = message ?? place.thread;
  const to = target === null ? undefined : link(place, target);
  const where = session === own ? "this conversation" : `“${title}”${to ? ` ${to}` : ""}`;
  return `- ${when}, ${by || "the agent"} in ${where}:\n  ${around(text, words)}`;
}

/** The text about the first of the words, on one line. */
function around(text: string, words: readonly string[]): string {
  const flat = text.replace(/\s+/g, " ").trim();
  const lower = flat.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const from = cutAt(flat, Math.max(0, Math.min(...(places.length ? places : [0])) - AROUND));
  const to = cutAt(flat, Math.min(flat.length, from + 3 * AROUND));
  return `${from > 0 ? "… " : ""}${flat.slice(from, to)}${to < flat.length ? " …" : ""}`;
}
