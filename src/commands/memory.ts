/** `memory`: what may be shown here, numbered. */
import type { Reply } from "../core/ports.ts";
import { type Asked, lines } from "./asked.ts";

export async function memory({ on, home, scopes, rest }: Asked): Promise<Reply> {
  const [verb, ...words] = rest.split(/\s+/).filter(Boolean);
  const facts = (await on.facts(home, scopes)).map((fact, index) => `#${index + 1} ${fact}`);
  if (!verb) return lines("What I remember here", facts, "I remember nothing yet. Say “remember …”.");
  if (verb !== "search" || !words.length)
    return lines("Memory", ["`memory`: everything I may show here", "`memory search X`: only what holds X"], "");
  const wanted = words.join(" ").toLowerCase();
  return lines(
    `Memory: “${words.join(" ")}”`,
    facts.filter((fact) => fact.toLowerCase().includes(wanted)),
    "Nothing I may show here holds that.",
  );
}
