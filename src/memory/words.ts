/**
 * What two texts have in common, told by their words: whether one says no more than the others, or loses nothing of another. Pure.
 *
 * Words count by their beginning, so that `releases` is `release`; numbers and names with digits count whole and cannot be left out.
 * Scripts without spaces are cut into pairs of characters.
 */
import { createHash } from "node:crypto";
import { isDenied } from "./denial.ts";

/** Small words say nothing about what a text is about. */
const SMALL = new Set(
  "all and any are but can did for get got had has her him his how its let may new nor not now off our out own per she the too use was way who why yes yet you about after again also always been before being both could does done each every from have having here into just like more most much must only other over same should some such than that their them then there these they this those very want were what when where which while will with would your".split(
    " ",
  ),
);
const STEM = 5;

interface Words {
  /** With digits in them: ids, dates, versions. */
  exact: Set<string>;
  stems: Set<string>;
}

function wordsOf(text: string, counts: (word: string) => boolean = () => true): Words {
  const exact = new Set<string>();
  const stems = new Set<string>();
  const short = new Set<string>();
  for (const [word] of text
    .normalize("NFKC")
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (!counts(word)) continue;
    if (/\p{N}/u.test(word)) exact.add(word);
    else if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u.test(word))
      for (const pair of pairs(word)) stems.add(pair);
    else if (word.length > 2) {
      if (!SMALL.has(word)) stems.add([...word].slice(0, STEM).join(""));
    } else short.add(word);
  }
  // The shortest count where there is nothing else to go by.
  return { exact, stems: stems.size + exact.size > 0 ? stems : short };
}

/** The telling words of a text, by their beginnings. `counts`: which words are looked at. */
export const stemsOf = (text: string, counts?: (word: string) => boolean): Set<string> => wordsOf(text, counts).stems;

function pairs(word: string): string[] {
  const characters = [...word];
  return characters.length < 2 ? characters : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

function joined(texts: readonly string[]): Words & { all: Set<string> } {
  const { exact, stems } = wordsOf(texts.join("\n"));
  const all = new Set<string>();
  for (const [word] of texts
    .join("\n")
    .normalize("NFKC")
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}\p{M}]+/gu))
    all.add(word);
  return { exact, stems, all };
}

export const share = (wanted: ReadonlySet<string>, there: (word: string) => boolean): number =>
  wanted.size === 0 ? 1 : [...wanted].filter(there).length / wanted.size;

/** How much of a text is in the sources: 0 if a word with digits is missing. */
export function coverage(text: string, sources: readonly string[]): number {
  const wanted = wordsOf(text);
  const there = joined(sources);
  if ([...wanted.exact].some((word) => !there.exact.has(word))) return 0;
  return share(wanted.stems, (word) => there.stems.has(word) || there.all.has(word));
}

/** Whether a text says nothing that is not in the sources: at least half of its words are theirs, and all its numbers. */
export const isGrounded = (text: string, sources: readonly string[]): boolean => coverage(text, sources) >= GROUNDED;
export const GROUNDED = 0.5;

/** Whether a text still says what another said. */
export const retains = (text: string, old: string): boolean => coverage(old, [text]) >= 0.7;

/** Whether a text has a telling word from a source that an older text did not have. */
export function brings(text: string, source: string, old: string): boolean {
  const [wanted, there, known] = [text, source, old].map((each) => wordsOf(each)).map(({ exact, stems }) => new Set([...exact, ...stems]));
  return [...(wanted ?? [])].some((word) => there?.has(word) && !known?.has(word));
}

/** Whether two texts are about the same: a third of the words of the shorter are in both. */
export function isRelated(a: string, b: string): boolean {
  const [one, two] = [wordsOf(a), wordsOf(b)].map(({ exact, stems }) => new Set([...exact, ...stems])) as [Set<string>, Set<string>];
  const [small, large] = one.size <= two.size ? [one, two] : [two, one];
  return small.size > 0 && share(small, (word) => large.has(word)) >= 1 / 3;
}

/** Whether a text is taken from these sources rather than from others: it says half of it in their words, or a number or name only they have. */
export function isTakenFrom(text: string, sources: readonly string[], others: readonly string[]): boolean {
  const [wanted, there, known] = [wordsOf(text), joined(sources), joined(others)];
  if ([...wanted.exact].some((word) => there.exact.has(word) && !known.exact.has(word))) return true;
  return wanted.stems.size > 0 && share(wanted.stems, (word) => there.stems.has(word) || there.all.has(word)) >= GROUNDED;
}

/** Whether a text may carry words of another: a number or name with digits of it, or a third of its telling words, at least two. */
export function carries(text: string, other: string): boolean {
  const [there, words] = [wordsOf(text), wordsOf(other)];
  if ([...words.exact].some((word) => there.exact.has(word))) return true;
  const common = [...words.stems].filter((word) => there.stems.has(word)).length;
  return common >= Math.min(2, words.stems.size) && common > 0 && common >= words.stems.size / 3;
}

/** The same for texts of the same words, whatever their order, spelling and small words, but for a no; tells nothing of the text. */
export function mark(text: string): string {
  const { exact, stems } = wordsOf(text);
  const words = [...[...exact, ...stems].sort(), ...(isDenied(text) ? ["not"] : [])];
  return createHash("sha256")
    .update(words.length > 0 ? words.join(" ") : text)
    .digest("hex")
    .slice(0, 32);
}
