/**
 * Replacing a text inside a file. Pure.
 *
 * E1. Occurrences are counted as they are replaced: from the left, not overlapping.
 * E2. A file keeps its line breaks: `\n` in what was asked for matches `\r\n` in a file that uses it, and is written as such.
 * E3. Asked again after a crash, a change that is already there is done, also where the new text holds the old. Only where a deletion or
 *     `all` itself brought the old text together anew can it be taken for a change still to be made.
 */
export type Substitution = { kind: "changed"; text: string; times: number } | { kind: "already" } | { kind: "refused"; why: string };

export interface Change {
  from: string;
  to: string;
  all: boolean;
  /** This change may have been made before. */
  again: boolean;
}

const refuse = (why: string): Substitution => ({ kind: "refused", why });
/** Of this many places a change is looked for. */
const TRIES = 100;
const SAME = "old_string and new_string are the same; nothing was changed";

export function substitute(text: string, change: Change): Substitution {
  if (change.from === change.to) return refuse(SAME);
  if (change.from === "") return insertWhole(text, change);
  if (change.again && isMadeInAnyStyle(text, change)) return { kind: "already" };
  const { from, to } = inStyleOf(text, change);
  if (from === to) return refuse(SAME);
  const times = occurrences(text, from);
  if (times === 0) return refuse(missing(text, from, to));
  if (times > 1 && !change.all) {
    return refuse(`old_string occurs ${times} times; give more of the text around it, or set replace_all to change all of them`);
  }
  return { kind: "changed", text: text.split(from).join(to), times };
}

function insertWhole(text: string, { to, again }: Change): Substitution {
  if (text === "") return { kind: "changed", text: to, times: 1 };
  if (again && text === to) return { kind: "already" };
  return refuse("old_string is empty, which only an empty file allows");
}

function occurrences(text: string, part: string): number {
  let times = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) times++;
  return times;
}

/** Whether the text can be what this change leaves: undone somewhere, it could be made just so. */
function isMade(text: string, { from, to, all }: Change): boolean {
  if (to === "") return !text.includes(from);
  if (all) {
    const undone = text.split(to).join(from);
    return undone !== text && undone.split(from).join(to) === text;
  }
  for (let at = text.indexOf(to), tries = 0; at >= 0 && tries < TRIES; at = text.indexOf(to, at + 1), tries++) {
    if (occurrences(text.slice(0, at) + from + text.slice(at + to.length), from) === 1) return true;
  }
  return false;
}

/** The change may itself have brought the file's line breaks, so each way of writing it counts. */
const isMadeInAnyStyle = (text: string, change: Change): boolean =>
  [(each: string) => each, (each: string) => withBreaks(each, "\n"), (each: string) => withBreaks(each, "\r\n")].some((style) =>
    isMade(text, { ...change, from: style(change.from), to: style(change.to) }),
  );

/** Both texts with the line breaks of the file; of a file that mixes them, whichever finds the old text. */
function inStyleOf(text: string, { from, to }: Change): { from: string; to: string } {
  const crlf = text.includes("\r\n");
  const lf = /(^|[^\r])\n/.test(text);
  const windows = { from: withBreaks(from, "\r\n"), to: withBreaks(to, "\r\n") };
  if (crlf && !lf) return windows;
  if (!crlf) return lf ? { from: withBreaks(from, "\n"), to: withBreaks(to, "\n") } : { from, to };
  return text.includes(from) ? { from, to } : windows;
}

const withBreaks = (text: string, lineBreak: string): string => text.replace(/\r?\n/g, () => lineBreak);

function missing(text: string, from: string, to: string): string {
  if (from !== from.trimEnd() && text.includes(from.trimEnd()))
    return "old_string was not found; without the white space at its end it is there";
  if (to !== "" && text.includes(to)) return "old_string was not found; new_string is already there";
  return "old_string was not found; read the file again, it must match exactly";
}
