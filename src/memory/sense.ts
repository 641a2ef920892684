/**
 * What two texts say of each other beyond the words they have in common: the same, the opposite, or something else of the same thing. Pure.
 *
 * S1. The same is only what has the same words in the same order, but for articles and plurals: nothing else is left out as said before.
 * S2. A text that says no where its sources say yes, or yes where they say no, is not theirs. What is not without something needs it:
 *     that is a yes, of whoever names what is needed.
 * S3. What tells of one thing differently is found for people to settle; in doubt it is shown to them.
 */
import { isDenied, listed, needed } from "./denial.ts";
import { share, stemsOf } from "./words.ts";

const ARTICLES = new Set(["a", "an", "the"]);
const ALIKE = new Map([
  ["are", "is"],
  ["were", "was"],
]);

export function isSame(a: string, b: string): boolean {
  const [one, two] = [a, b].map((text) =>
    listed(text)
      .filter((word) => !ARTICLES.has(word))
      .map((word) => ALIKE.get(word) ?? (word.length > 4 ? word.replace(/e?s?$/, "") : word))
      .join(" "),
  );
  return one === two && (one !== "" || a === b);
}

const CLAUSES = /[.!?;,:\n…—–。、，！？；]|\b(?:but|however|although|though|because|whereas|sondern|aber|weil|mais|pero|sino|mas|però)\b/u;

/** Whether a text says the opposite of what its sources say of it. */
export function isTurned(text: string, sources: readonly string[]): boolean {
  const wanted = stemsOf(text);
  const denies = (words: string): boolean => isDenied(words) && !isNeed(words, wanted);
  if (denies(text)) return !sources.some(denies);
  const clauses = sources
    .flatMap((source) => source.split(CLAUSES))
    .map((clause) => ({ clause, common: share(wanted, (word) => stemsOf(clause).has(word)) }))
    .filter(({ common }) => wanted.size > 0 && common > 0);
  const most = Math.max(0, ...clauses.map(({ common }) => common));
  const near = clauses.filter(({ common }) => common >= most / 2);
  return near.length > 0 && near.every(({ clause }) => denies(clause));
}

function isNeed(words: string, wanted: ReadonlySet<string>): boolean {
  const what = stemsOf(needed(words) ?? "");
  return what.size > 0 && share(what, (word) => wanted.has(word)) === 1;
}

/** Days and months tell when, not what of. */
const WHEN =
  /^(mon|tues|wednes|thurs|fri|satur|sun)days?$|^(mon|diens|donners|frei|sams|sonn)tags?$|^mittwochs?$|^(janu|febru)ar(y)?$|^(march|april|june|july|august|septembe?r|octobe?r|novembe?r|decembe?r|märz|juni|juli|oktober|dezember)$|^(lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)s?$|^(today|tomorrow|morning|noon|afternoon|evening|midnight)s?$/u;
const BEING = /\s(?:is|are|was|were|will be|ist|sind|est|sont|es|son|é|è|are called|is called|means)\s|\s*[:=→]\s+/iu;
const AT = /^(?:in|on|at|by|with|for|from|to|of|under|um|am|im|bei|mit|für|von|à|en|de|con|para|por)\b/iu;

/** Whether two texts may tell of one thing differently, or say it twice. */
export function isSimilar(a: string, b: string): boolean {
  const [one, two] = [a, b].map((text) => stemsOf(text, (word) => !WHEN.test(word))) as [Set<string>, Set<string>];
  const common = [...one].filter((word) => two.has(word)).length;
  if (common > 0 && common / (one.size + two.size - common) >= 0.5) return true;
  const [left, right] = [a, b].map(said);
  return left !== undefined && right !== undefined && left.how === right.how && isSame(left.what, right.what);
}

/** Of what a sentence says what it is, and how: `The CEO is Ann`. */
function said(text: string): { what: string; how: string } | undefined {
  const at = BEING.exec(text);
  if (!at) return undefined;
  const [what, rest] = [text.slice(0, at.index), text.slice(at.index + at[0].length)];
  return stemsOf(what).size > 0 ? { what, how: (AT.exec(rest)?.[0] ?? "").toLowerCase() } : undefined;
}
