/**
 * MEMORY.md as text: facts are bullets that carry where they come from in a comment behind them. Pure.
 *
 *     - Releases are on Thursdays. <!-- id:3f2a by:slack:U1 at:2026-11-30 in:slack:C1 session:slack:T1:C1:17.1 -->
 *
 * M1. Bullets without such a comment, and all other lines, are people's own and never touched.
 * M2. A fact is one line, and its text cannot hold a comment: nothing in it can pretend to another origin.
 * M3. A fact whose id is there already is not added again.
 */
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
}
export type Line = { kind: "fact"; fact: Fact } | { kind: "own"; text: string };

const FACT = /^[-*] (.*?)\s*<!-- (id:\S+(?: [a-z]+:\S+)*) -->\s*$/;
// Longer lines were not written here, and matching them could take long.
const LONGEST = 4_000;
const KEYS = ["id", "by", "at", "in", "session"] as const;

export const parseFacts = (markdown: string): Line[] => markdown.split(/\r?\n/).map(lineOf);

function lineOf(text: string): Line {
  const [, words, origin] = (text.length <= LONGEST && FACT.exec(text)) || [];
  if (words === undefined || origin === undefined) return { kind: "own", text };
  const parts = new Map(origin.split(" ").map((part) => [part.slice(0, part.indexOf(":")), read(part.slice(part.indexOf(":") + 1))]));
  const get = (key: (typeof KEYS)[number]): string => parts.get(key) ?? "";
  return { kind: "fact", fact: { id: get("id"), text: words, by: get("by"), at: get("at"), in: get("in"), session: get("session") } };
}

export function formatFact(fact: Fact): string {
  const origin = KEYS.filter((key) => fact[key] !== "").map((key) => `${key}:${spell(fact[key])}`);
  return `- ${oneLine(fact.text)} <!-- ${origin.join(" ")} -->`;
}

/** The text with the fact at its end; null if it is there. */
export function addFact(markdown: string, fact: Fact): string | null {
  if (parseFacts(markdown).some((line) => line.kind === "fact" && line.fact.id === fact.id)) return null;
  const lineBreak = markdown.includes("\r\n") ? "\r\n" : "\n";
  const before = markdown === "" ? `# Memory${lineBreak}${lineBreak}` : markdown.replace(/\n?$/, (end) => end || lineBreak);
  return `${before}${formatFact(fact)}${lineBreak}`;
}

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
  encodeURIComponent(id)
    .replace(/%(3A|40|2F)/g, (found) => decodeURIComponent(found))
    .replaceAll("--", "-%2D");

function read(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
