/**
 * A scope's MEMORY.md as the prompt shows it: comments stripped, its id before each fact and who said it when behind, never over the budget. Pure.
 *
 * R1. What people wrote themselves goes first. Of the facts those stay that were last learned or used, the latest first: used is what an
 *     answer to people said.
 * R2. The order of the file is kept, so that the prompt changes only where what is in it does.
 */
import type { FileError } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { roomFor, weight } from "../core/tokens.ts";
import { type Fact, type Line, parseFacts } from "./facts.ts";

export interface Recalled {
  scope: Scope;
  text: string;
  /** Lines that had no room. */
  left: number;
  /** Why the file could not be read, if so. */
  problem?: string;
}

export const CONTRADICTS = "may contradict";
const ROOM = roomFor(4_000);
const LINE = 2_000;

/** `used`: when facts were last used, by their ids. */
export function recall(scope: Scope, content: string | FileError, used: ReadonlyMap<string, number> = new Map()): Recalled {
  if (typeof content !== "string") return { scope, text: "", left: 0, problem: content.detail };
  const lines = parseFacts(withoutComments(content)).map((line) => ({ line, text: shown(line) }));
  const chosen = choose(lines, used);
  const text = lines
    .filter((each) => chosen.has(each))
    .map((each) => each.text)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return { scope, text, left: lines.filter((each) => !chosen.has(each) && each.text.trim() !== "").length };
}

interface Shown {
  line: Line;
  text: string;
}

function choose(lines: readonly Shown[], used: ReadonlyMap<string, number>): Set<Shown> {
  const own = lines.filter(({ line }) => line.kind === "own");
  const facts = lines.filter(({ line }) => line.kind === "fact").reverse();
  // Stable: of one day, what stands further down is newer.
  const newest = facts.sort((a, b) => latest(b, used).localeCompare(latest(a, used)));
  const chosen = new Set<Shown>();
  let room = ROOM;
  for (const each of [...own, ...newest]) {
    room -= weight(each.text) + weight("\n");
    if (room < 0) break;
    chosen.add(each);
  }
  return chosen;
}

function latest({ line }: Shown, used: ReadonlyMap<string, number>): string {
  if (line.kind === "own") return "";
  const at = used.get(line.fact.id);
  return [line.fact.at, ...(at === undefined ? [] : [new Date(at).toISOString()])].sort().at(-1) ?? "";
}

function shown(line: Line): string {
  const text = line.kind === "own" ? line.text : `- [${line.fact.id}] ${line.fact.text}${source(line.fact)}`;
  return text.length > LINE ? `${text.slice(0, LINE)}…` : text;
}

function source({ by, at, against }: Fact): string {
  const parts = [by, at, against ? `${CONTRADICTS} ${against}` : ""].filter((part) => part !== "");
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

/** Comments of people are for people; only the origins of facts are read. */
const withoutComments = (markdown: string): string => markdown.replace(/<!--(?! id:\S)[\s\S]*?(-->|$)/g, "");
