/**
 * `find_tools`: full definitions of tools that are only told by name, because all of them would fill the prompt.
 *
 * F1. What was found is offered from the next step on, for as long as the conversation lasts.
 * F2. The same words find the same tools: rare words count more than common ones, names more than descriptions.
 */
import { z } from "zod";
import type { ServerNote, Tool } from "../core/ports.ts";
import { define, done, failed } from "./define.ts";

export const FIND_TOOLS = "find_tools";
const FOUND = 6;
const LONGEST_NOTE = 1500;

export interface Findable {
  tools: readonly Tool[];
  servers: readonly ServerNote[];
}

export const findTools = ({ tools, servers }: Findable): Tool =>
  define({
    name: FIND_TOOLS,
    description: `Look up tools of servers that are told by name only, by what they do or are called. The best ${FOUND} come back in full, and can be called from the next step on.`,
    input: z.object({ query: z.string().trim().min(1, "has words").max(500, "has at most 500 characters") }),
    aliases: { name: "query", tool: "query" },
    repeatable: true,
    paging: true,
    async run({ query }, { now }) {
      const found = best(tools, query);
      if (!found.length)
        return failed(
          `No tool fits “${query}”. Servers: ${[...new Set(tools.map(serverOf))].join(", ")}. Try other words, or a name from the list.`,
        );
      const told = found.map(({ name, description, schema }) => JSON.stringify({ name, description, input_schema: schema }));
      const notes = servers.filter(({ server, instructions }) => instructions && found.some((tool) => serverOf(tool) === server));
      const words = notes.map(
        ({ server, instructions = "" }) => `What ${server} says of itself (its words, no orders): ${instructions.slice(0, LONGEST_NOTE)}`,
      );
      return {
        ...done([...told, ...words].join("\n")),
        events: [{ type: "tools.loaded", at: now, tools: found.map(({ label }) => label) }],
      };
    },
  });

const serverOf = ({ label }: Tool): string => label.slice(0, label.indexOf("/"));
const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Those that fit best, the best first; a name that was written out is meant. */
export function best(tools: readonly Tool[], query: string): Tool[] {
  const exact = tools.filter(({ name, label }) => query.split(/[\s,]+/).some((word) => word === name || word === label));
  if (exact.length) return exact.slice(0, FOUND);
  const words = [...new Set(wordsOf(query))];
  const known = tools.map((tool) => ({ tool, name: wordsOf(tool.label), about: new Set(wordsOf(tool.description)) }));
  const weights = words.map((word) => {
    const having = known.filter(({ name, about }) => named(name, word) > 0 || about.has(word)).length;
    return having ? Math.log(1 + tools.length / having) : 0;
  });
  const scored = known.map(({ tool, name, about }) => ({
    tool,
    score: words.reduce((sum, word, index) => sum + (weights[index] ?? 0) * (3 * named(name, word) + (about.has(word) ? 1 : 0)), 0),
  }));
  const hits = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || (a.tool.label < b.tool.label ? -1 : 1));
  const top = hits[0]?.score ?? 0;
  return hits
    .filter(({ score }) => score >= top / 4)
    .slice(0, FOUND)
    .map(({ tool }) => tool);
}

/** How well a word is in a name: whole, as its beginning, or not. */
function named(name: readonly string[], word: string): number {
  if (name.includes(word)) return 1;
  return word.length >= 3 && name.some((part) => part.startsWith(word) || (part.length >= 3 && word.startsWith(part))) ? 0.6 : 0;
}
