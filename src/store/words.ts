/**
 * Text as the index of words takes it, and questions to that index. Pure.
 *
 * W1. Scripts without spaces are taken apart into pairs of neighbouring characters, in texts and in questions alike; behind the pairs a text
 *     has its single ones.
 * W2. Whatever people write is a question: nothing in it is taken for the index's own language.
 * W3. No question makes the index put together what thousands of words have: that holds up everybody (measured, in 60 MB: 0.8 s for a
 *     beginning of one letter, 0.2 s for two). Three letters are a beginning; shorter ones are words.
 */
const PAIRED = String.raw`(?=[\p{L}\p{N}\p{M}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]`;
const RUN = new RegExp(`(?:${PAIRED})+`, "gu");
const TERM = new RegExp(String.raw`(?:${PAIRED})+|(?:(?!${PAIRED})[\p{L}\p{N}\p{M}])+`, "gu");
const IS_RUN = new RegExp(`^${PAIRED}`, "u");
/** More words narrow nothing down and cost time. */
const TERMS = 12;

/** Letters from which on a word may be the beginning of others; the index keeps beginnings of this length. */
export const BEGINNING = 3;

/** A text with its runs in pairs, and singly: `昨日は` becomes ` 昨日 日は 昨 日 は `. */
export const indexed = (text: string): string =>
  text.normalize("NFKC").replace(RUN, (run) => ` ${[...pairs(run), ...new Set(run)].join(" ")} `);

function pairs(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Questions in the index's language, the narrowest first: all words, all beginnings, any word. None if there is no word in it. */
export function questions(query: string): string[] {
  const terms = (query.normalize("NFKC").match(TERM) ?? []).slice(0, TERMS);
  if (terms.length === 0) return [];
  const exact = terms.map(exactly);
  const begun = terms.map((term) => (IS_RUN.test(term) || [...term].length < BEGINNING ? exactly(term) : `"${term}"*`));
  return [...new Set([exact.join(" AND "), begun.join(" AND "), exact.join(" OR ")])];
}

/** A run is a phrase of its pairs. */
function exactly(term: string): string {
  const two = IS_RUN.test(term) ? pairs(term) : [];
  return `"${two.length ? two.join(" ") : term}"`;
}
