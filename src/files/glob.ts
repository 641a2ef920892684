/**
 * Patterns for paths. The one door to the matching library.
 *
 * G1. A pattern without `/` is matched against the last name at any depth; with `/` against the path below the folder;
 *     with a leading `/` against the whole path. `**` is any number of folders.
 * G2. Names that begin with a dot, and folders that do, are matched only by a dot in the pattern.
 * G3. No pattern can hold up the process: each name is matched by itself, `**` costs names times parts, and what would make matching
 *     one name slow is refused.
 */
import picomatch from "picomatch";
import { components, isWithin, join, normalise } from "./path.ts";

export type Matcher = { ok: true; base: string; matches: (path: string) => boolean } | { ok: false; error: string };
type Part = "**" | ((name: string) => boolean);

const LONGEST = 500;
const STARS_IN_NAME = 3;
const STARS = 6;
const BRACES_IN_NAME = 3;
// Extended groups can repeat groups, which a regular expression may need for ever to refuse.
const OPTIONS = { dot: false, nonegate: true, noextglob: true } as const;
const SPECIAL = /[*?[\]{}\\]/;

/** `base` is the folder below which every match lies: nothing else needs to be looked at. */
export function matcher(pattern: string, folder: string): Matcher {
  const names = components(pattern).filter((name) => name !== ".");
  const error = unfit(pattern, names);
  if (error) return { ok: false, error };
  const anchored = pattern.startsWith("/");
  const root = anchored ? "/" : folder;
  const glob = names.length === 1 && !anchored ? ["**", ...names] : names;
  const parts = compile(glob);
  const firstSpecial = glob.findIndex((name, index) => SPECIAL.test(name) || index === glob.length - 1);
  const base = normalise(glob.slice(0, firstSpecial).reduce(join, root));
  if (!base.ok) return { ok: false, error: base.error };
  const depth = components(root).length;
  return { ok: true, base: base.path, matches: (path) => isWithin(root, path) && fits(parts, components(path).slice(depth)) };
}

function compile(glob: readonly string[]): Part[] {
  // At the end `**` means the files in those folders, not the folder itself.
  const closed = glob.at(-1) === "**" ? [...glob, "*"] : glob;
  return closed.map((name) => (name === "**" ? name : picomatch(literalGroups(name), OPTIONS)));
}

/** Round brackets are characters of names here, as in `report (1).md`; as groups they could be repeated. */
const literalGroups = (name: string): string => name.replace(/\\.|[()|+]/g, (found) => (found.startsWith("\\") ? found : `\\${found}`));

/** `reached[n]`: the parts so far match the first n names. */
function fits(parts: readonly Part[], names: readonly string[]): boolean {
  let reached = [true, ...names.map(() => false)];
  for (const part of parts) {
    const next = [part === "**" && reached[0] === true];
    for (const [index, name] of names.entries()) {
      if (part === "**") next.push(reached[index + 1] === true || (next[index] === true && !name.startsWith(".")));
      else next.push(reached[index] === true && part(name));
    }
    reached = next;
  }
  return reached.at(-1) === true;
}

function unfit(pattern: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return "the pattern is empty";
  if (pattern.length > LONGEST) return `a pattern has at most ${LONGEST} characters`;
  if (/[\u0000-\u001f]/.test(pattern)) return "a pattern has no control characters";
  if (names.includes("..")) return "`..` is not allowed in a pattern";
  const stars = names.filter((name) => name !== "**").map((name) => name.match(/\*+/g)?.length ?? 0);
  if (stars.some((count) => count > STARS_IN_NAME)) return `a name in a pattern has at most ${STARS_IN_NAME} times *`;
  if (stars.reduce((a, b) => a + b, 0) > STARS) return `a pattern has at most ${STARS} times *`;
  const braces = names.map((name) => [name.split("{").length - 1, name.split("}").length - 1] as const);
  if (braces.some(([open, close]) => open !== close)) return "braces in a pattern are closed within one name";
  if (braces.some(([open]) => open > BRACES_IN_NAME)) return `a name in a pattern has at most ${BRACES_IN_NAME} braces`;
  return undefined;
}
