/**
 * What the product would say of a text as a file of the home, before it is written. Pure.
 *
 * - `problem`: it would not be used like this. `hint`: it would, and something about it is odd.
 * - Where the line of the mistake is known it is named.
 */
import { cronProblem } from "../clock.ts";
import { parseToolsFile } from "../mcp/tools-file.ts";
import { readFrontMatter } from "../workspace/front-matter.ts";
import { parsePolicy } from "../workspace/policy.ts";
import { skillFaults } from "../workspace/skill-rules.ts";
import { parseSubagent } from "../workspace/subagents.ts";
import { TEXT_LIMIT } from "../workspace/text.ts";

export interface Found {
  problem: string;
  hint: string;
  line?: number;
}
const FINE: Found = { problem: "", hint: "" };

/** `path`: below the home, with a slash in front. */
export function check(path: string, text: string): Found {
  const found = looked(path, text);
  const words = found.problem || found.hint;
  const line = words && lineOf(text, words);
  return line ? { ...found, line } : found;
}

function looked(path: string, text: string): Found {
  if (path === "/policy.json") {
    const parsed = parsePolicy(text);
    if (!parsed.ok) return { ...FINE, problem: `policy.json would not be understood: ${parsed.wrong.replace(/\.$/, "")}.` };
    const { consolidation, timezone } = parsed.policy;
    return { ...FINE, hint: cronProblem({ cron: consolidation.cron, timezone }) ?? "" };
  }
  if (path === "/tools.json") {
    const parsed = parseToolsFile(text);
    return parsed.ok ? FINE : { ...FINE, problem: parsed.problem };
  }
  const skill = /^\/skills\/([^/]+?)(?:\/SKILL)?\.md$/.exec(path)?.[1];
  if (skill !== undefined && !/^(?:readme|_)/i.test(skill)) return skillFound(path.slice(1), text, skill);
  if (/^\/subagents\/[^/]+\.md$/i.test(path)) {
    const parsed = parseSubagent(path.slice("/subagents/".length), text);
    return "warning" in parsed ? { ...FINE, problem: parsed.warning } : FINE;
  }
  const long = ["/AGENTS.md", "/KNOWLEDGE.md"].includes(path) && Buffer.byteLength(text) > TEXT_LIMIT;
  return long ? { ...FINE, hint: `Only the first ${TEXT_LIMIT / 1024} KB of ${path.slice(1)} are read.` } : FINE;
}

function skillFound(file: string, text: string, name: string): Found {
  const head = readFrontMatter(text);
  if (!head.ok) return { ...FINE, problem: `${file} would not be used: ${head.wrong}.` };
  const { description } = head.data;
  if (typeof description !== "string" || !description.trim())
    return { ...FINE, problem: `${file} would not be used: it has no description.` };
  const faults = skillFaults(head.data, name);
  return faults.length ? { ...FINE, hint: `It breaks the rules for skills, and is used all the same: ${faults.join("; ")}.` } : FINE;
}

/** Where a sentence about a text points: a line or a place it names, or the key it speaks of. */
function lineOf(text: string, words: string): number | undefined {
  const named = /\bline (\d+)/.exec(words)?.[1];
  if (named !== undefined) return Number(named);
  const position = /\bat position (\d+)/.exec(words)?.[1];
  if (position !== undefined) return lineAt(text, Number(position));
  // Keys as the sentence names them, the deepest last: `"aprove" in "people"`, `mcpServers.logs.args: …`, `its steps …`.
  const quoted = [...words.matchAll(/["“]([^"”]{1,80})["”]/g)].map(([, key = ""]) => key);
  const dotted = [...words.matchAll(/(?<=^|[\s(])((?:[\w-]+\.)*[\w-]+):(?=\s)/g)].map(([, key = ""]) => key);
  const own = [...words.matchAll(/\bits ([a-z-]+) /g)].map(([, key = ""]) => key);
  for (const key of [...quoted, ...own, ...dotted.reverse()].flatMap((found) => [found, ...found.split(".").reverse()])) {
    const at = text.search(new RegExp(`^\\s*"?${literal(key)}"?\\s*:|"${literal(key)}"\\s*:`, "m"));
    if (at >= 0) return lineAt(text, at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0));
  }
  return undefined;
}

const lineAt = (text: string, position: number): number => text.slice(0, position).split("\n").length;
const literal = (key: string): string => key.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
