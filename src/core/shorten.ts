/**
 * What stands in place of a text that is too long for the model: its beginning and end, and where the whole of it can be read. Pure.
 *
 * S1. What is left out here is nowhere lost: the journal keeps it, and it can be read below /history.
 * S2. A cut never splits a character of two halves.
 */
import type { JsonObject, Result } from "./event.ts";
import { fingerprint } from "./id.ts";
import type { Entry, Said } from "./talk.ts";
import { estimateTokens } from "./tokens.ts";

/** Tokens of one message of a person from which on only a preview of it is sent. */
const LARGE = 50_000;
/** The tools whose inputs hold what a file holds. */
const CHANGING: ReadonlySet<string> = new Set(["write_file", "edit_file", "propose_skill"]);
const LONG_INPUT = 2_000;
const KEPT_INPUT = 200;
const MOST_PER_CHARACTER = 1.2;
const LINES = 5;
const LINE = 1_000;

export const messagePath = ({ kind, id, rev }: Pick<Said, "kind" | "id" | "rev">): string =>
  `/history/messages/${fingerprint(`${kind} ${id} ${rev}`)}.txt`;
export const resultPath = (call: string): string => `/history/results/${call}.txt`;

const large = new WeakMap<object, boolean>();
/** Whether a message is so long that only a preview of it is sent. */
export function isLarge(said: Pick<Said, "text">): boolean {
  const known = large.get(said) ?? (said.text.length > LARGE && estimateTokens(said.text) > LARGE);
  large.set(said, known);
  return known;
}

/** A long text as its first and last lines. Only those are taken apart: the text may be a log of many megabytes. */
export function ends(text: string): string {
  const count = linesIn(text);
  if (count <= 2 * LINES) return apart(text);
  let from = -1;
  let to = text.length;
  for (let i = 0; i < LINES; i++) {
    from = text.indexOf("\n", from + 1);
    to = text.lastIndexOf("\n", to - 1);
  }
  const left = (count - 2 * LINES).toLocaleString("en");
  return [apart(text.slice(0, from)), `[… ${left} lines left out …]`, apart(text.slice(to + 1))].join("\n");
}
const apart = (text: string): string =>
  text
    .split("\n")
    .map((it) => line(it.replace(/\r$/, "")))
    .join("\n");
export function linesIn(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
const line = (text: string): string => (text.length <= LINE ? text : `${head(text, LINE)}…`);

type Words = Pick<Said, "kind" | "id" | "rev" | "text">;
const preview = (said: Words): string =>
  `[This message is too long for the conversation: ${said.text.length.toLocaleString("en")} characters. The whole of it can be read in pages at ${messagePath(said)}.]\n\n${ends(said.text)}`;

/** A text of at most so many tokens: more of its beginning than of its end. */
function clipped(text: string, tokens: number, path: string): string {
  if (text.length * MOST_PER_CHARACTER <= tokens) return text;
  const all = estimateTokens(text);
  if (all <= tokens) return text;
  const room = Math.floor((text.length * tokens) / all);
  const first = head(text, Math.floor(room * 0.7));
  const last = tail(text, Math.floor(room * 0.3));
  const left = (text.length - first.length - last.length).toLocaleString("en");
  return `${first}\n\n[… ${left} characters left out; the whole can be read in pages at ${path} …]\n\n${last}`;
}

/** A message's text as it is sent. */
export const sentText = (said: Words, { share }: Shape): string =>
  isLarge(said) ? clipped(preview(said), share, messagePath(said)) : clipped(said.text, share, messagePath(said));

/** A result as it is sent. Only text is shortened. */
export function sentResult(call: string, content: Result["content"], { share }: Shape): Result["content"] {
  if (share === WHOLE.share) return content;
  if (typeof content === "string") return clipped(content, share, resultPath(call));
  return content.map((block) => (block.type === "text" ? { ...block, text: clipped(String(block.text), share, resultPath(call)) } : block));
}

/** The input of an old call as it is still sent; the same object if nothing in it is long. */
export function trimmedInput(tool: string, input: JsonObject): JsonObject {
  if (!CHANGING.has(tool) || !Object.values(input).some(isLong)) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, isLong(value) ? trimmed(value) : value]));
}
const isLong = (value: unknown): value is string => typeof value === "string" && value.length > LONG_INPUT;
const trimmed = (text: string): string =>
  `${head(text, KEPT_INPUT)}… [${(text.length - KEPT_INPUT).toLocaleString("en")} characters left out; read the file for what it holds now]`;

const head = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
const tail = (text: string, length: number): string => (length > 0 ? text.slice(-length).replace(/^[\udc00-\udfff]/, "") : "");

/** How an entry is sent: with inputs of old calls trimmed, and with no text in it over so many tokens. */
export interface Shape {
  trimmed: boolean;
  share: number;
}
export const WHOLE: Shape = { trimmed: false, share: Number.POSITIVE_INFINITY };

export interface Shortened {
  /** Entries before this one have their calls' inputs trimmed. */
  trimmed: number;
  /** In entries before `upTo` no text has more tokens than its share. */
  clip: { upTo: number; share: number } | null;
}
export function shapeOf({ trimmed, clip }: Shortened, index: number): Shape {
  const share = clip && index < clip.upTo ? clip.share : WHOLE.share;
  return index >= trimmed && share === WHOLE.share ? WHOLE : { trimmed: index < trimmed, share };
}

/** Whether anything was left out of the entries, so that there is something to read below /history. */
export const leavesOut = (entries: readonly Entry[], { clip }: Shortened): boolean =>
  clip !== null || entries.some((entry) => entry.as === "said" && isLarge(entry));
