/**
 * Text of others made harmless, in the ways every platform needs.
 *
 * E1. `hush`: nothing in the result names people, groups or whole channels to a platform. Idempotent.
 * E2. `reveal`: every character that hides or turns text round is shown as its code point.
 * E3. `clip`: never longer than the limit, never half a character of any script, and no word that calls everybody where a longer one stood.
 */

/** Joins words and takes no room: breaks a pattern without changing what is read. */
const JOINER = "\u2060";

const MENTION = /<(?=@[!&]?(?:[A-Z][A-Z0-9]|\d)|#[A-Z0-9]|![Cc][Hh]|![Hh][Ee]|![Ee][Vv]|![Gg][Rr]|![Ss][Uu])/g;
const EVERYBODY = /@(?=(?:everyone|channel|here)\b)/gi;
/** Code in fences and in backticks, fences left open included. Platforms read no mention by its word there, and people copy it. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/;

export const hush = (text: string): string => outsideCode(text.replace(MENTION, `<${JOINER}`), hushWords);

/** A text with all of it that is no code passed through a function. */
export const outsideCode = (text: string, each: (piece: string) => string): string =>
  text
    .split(CODE)
    .map((piece, index) => (index % 2 === 1 ? piece : each(piece)))
    .join("");

/** Breaks only the words that call everybody; for text whose `<` is escaped anyway. */
export const hushWords = (text: string): string => text.replace(EVERYBODY, `@${JOINER}`);
/** For places that know no code: there a backtick is a sign like others. */
export const hushAll = (text: string): string => hushWords(text.replace(MENTION, `<${JOINER}`));

const HIDDEN =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

export function reveal(text: string): string {
  const shown = (char: string) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  return text.replace(HIDDEN, shown).replace(CONTROL, shown);
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The first `limit` characters at most, `end` included where something was left out. */
export function clip(text: string, limit: number, end = "…"): string {
  if (text.length <= limit) return text;
  const room = Math.max(0, limit - end.length);
  // Only the last whole character near the border matters: segmenting a long text from its start costs too much.
  const from = Math.max(0, room - 200);
  let at = from;
  for (const { index, segment } of graphemes.segment(text.slice(from, room + 200))) {
    if (from + index + segment.length > room) break;
    at = from + index + segment.length;
  }
  return text.slice(0, at).replace(/@(?:everyone|channel|here)$/i, "") + end.slice(0, limit);
}
