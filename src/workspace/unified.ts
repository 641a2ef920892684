/**
 * How one text became another, as a unified diff that people can read. Pure.
 *
 * D1. The same texts give the same diff to the letter, however long that takes: people approve what it shows.
 */
import { createTwoFilesPatch } from "diff";

/** Texts that differ in more places are shown as one taken out and one put in: finding the least change would take too long. */
const EDITS = 2_000;
const FROM_NOTHING = "/dev/null";

/** Undefined stands for no file. Empty if nothing is different. */
export function unified(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  // A change of line breaks alone is a change; where both use the same ones they are no news.
  const windows = [before, after].every((text) => text === undefined || isWindows(text));
  const [old, now] = [before ?? "", after ?? ""].map((text) => (windows ? text.replaceAll("\r\n", "\n") : text)) as [string, string];
  const names = [before === undefined ? FROM_NOTHING : path, after === undefined ? FROM_NOTHING : path] as const;
  const options = { context: 3, maxEditLength: EDITS };
  const patch = createTwoFilesPatch(...names, old, now, undefined, undefined, options) ?? whole(names, old, now);
  return patch.replace(/^(?:Index:.*\n)?=+\n/, "").trimEnd();
}

const isWindows = (text: string): boolean => !/(^|[^\r])\n/.test(text);

function whole([from, to]: readonly [string, string], old: string, now: string): string {
  const lines = (text: string, mark: string): string[] =>
    (text === "" ? [] : text.replace(/\n$/, "").split("\n")).map((line) => mark + line);
  const [out, put] = [lines(old, "-"), lines(now, "+")];
  return [`--- ${from}`, `+++ ${to}`, `@@ -1,${out.length} +1,${put.length} @@`, ...out, ...put].join("\n");
}
