/**
 * MEMORY.md as text: facts are bullets that carry where they come from in a comment behind them. Pure.
 *
 *     - Releases are on Thursdays. <!-- id:3f2a by:slack:U1 at:2026-11-30 in:slack:C1 session:slack:T1:C1:17.1 messages:17.1 -->
 *
 * M1. Bullets without such a comment, and all other lines, are people's own and never touched.
 * M2. A fact is one line, and its text cannot hold a comment: nothing in it can pretend to another origin.
 * M3. An edit changes the one line it names, and only if that is still as it was: made twice it comes to the same, and what a person
 *     changed meanwhile stays.
 */
import type { Place } from "../core/event.ts";
import type { FactEdit } from "../core/ports.ts";

export interface Fact {
  id: string;
  text: string;
  /** Platform-qualified. */
  by: string;
  /** The day, `YYYY-MM-DD`. */
  at: string;
  /** The channel, platform-qualified. */
  in: string;
  session: string;
  /** The messages it was learned from, in that session. */
  messages?: readonly string[];
  /** A person it tells of, platform-qualified. */
  about?: string;
  /** Another fact that it may contradict. */
  against?: string;
}
export type Line = { kind: "fact"; fact: Fact; text: string } | { kind: "own"; text: string };

/** Where it was said: the channel, in the team and thread of its session. */
export function placeOf({ in: at, session }: Pick<Fact, "in" | "session">): Place | undefined {
  const [, platform = "", channel = ""] = /^([a-z]+):(.+)$/.exec(at) ?? [];
  const [named, team = "", ...rest] = session.split(":");
  return platform && named === platform ? { platform, team, channel, thread: rest.at(-1) ?? null } : undefined;
}

const FACT = /^[-*] (.*?)\s*<!-- (id:\S+(?: [a-z]+:\S+)*) -->\s*$/;
// Longer lines were not written here, and matching them could take long.
const LONGEST = 4_000;
const NEEDED = ["id", "by", "at", "in", "session"] as const;

export const parseFacts = (markdown: string): Line[] => markdown.split(/\r?\n/).map(lineOf);

export const factsIn = (markdown: string): { fact: Fact; text: string }[] =>
  parseFacts(markdown).flatMap((line) => (line.kind === "fact" ? [line] : []));

function lineOf(text: string): Line {
  const [, words, origin] = (text.length <= LONGEST && FACT.exec(text)) || [];
  if (words === undefined || origin === undefined) return { kind: "own", text };
  const parts = new Map(origin.split(" ").map((part) => [part.slice(0, part.indexOf(":")), part.slice(part.indexOf(":") + 1)]));
  const get = (key: string): string => read(parts.get(key) ?? "");
  const messages = parts.get("messages")?.split(",").map(read);
  const fact: Fact = { id: get("id"), text: words, by: get("by"), at: get("at"), in: get("in"), session: get("session") };
  const more = { ...(messages ? { messages } : {}), ...(parts.has("about") ? { about: get("about") } : {}) };
  return { kind: "fact", text, fact: { ...fact, ...more, ...(parts.has("against") ? { against: get("against") } : {}) } };
}

export function formatFact(fact: Fact): string {
  const origin = NEEDED.filter((key) => fact[key] !== "").map((key) => `${key}:${spell(fact[key])}`);
  if (fact.messages?.length) origin.push(`messages:${fact.messages.map(spell).join(",")}`);
  if (fact.about) origin.push(`about:${spell(fact.about)}`);
  if (fact.against) origin.push(`against:${spell(fact.against)}`);
  return `- ${oneLine(fact.text)} <!-- ${origin.join(" ")} -->`;
}

/** The text with the edits made that are not made yet. */
export const edited = (markdown: string, edits: readonly FactEdit[]): string => edits.reduce(edit, markdown);

function edit(markdown: string, { fact, before, after }: FactEdit): string {
  const lineBreak = markdown.includes("\r\n") ? "\r\n" : "\n";
  if (before === null) {
    if (after === null || factsIn(markdown).some((line) => line.fact.id === fact)) return markdown;
    const start = markdown === "" ? `# Memory${lineBreak}${lineBreak}` : markdown.replace(/\n?$/, (end) => end || lineBreak);
    return `${start}${after}${lineBreak}`;
  }
  const lines = markdown.split(/(?<=\n)/);
  const at = lines.findIndex((line) => bare(line) === before);
  const line = lines[at];
  if (line === undefined) return markdown;
  return lines.with(at, after === null ? "" : after + line.slice(bare(line).length)).join("");
}

const bare = (line: string): string => line.replace(/\r?\n$/, "");

/** One line of plain words: breaks folded, comments broken up. */
export function oneLine(text: string): string {
  return text
    .replace(/<!--|-->/g, " ")
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** Ids come from outside: what could end the comment or begin a further key is spelled as bytes. */
const spell = (id: string): string =>
  encodeURIComponent(id.replace(/\p{Cs}/gu, "\uFFFD"))
    .replace(/%(3A|40|2F)/g, (found) => decodeURIComponent(found))
    .replaceAll("--", "-%2D");

function read(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
