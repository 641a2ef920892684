/** What `grep` found, in the form asked for. Pure. */
import type { Found, Match } from "./search.ts";
import { count } from "./text.ts";

export const MODES = ["files_with_matches", "content", "count"] as const;

export function report({ matches }: Found, mode: (typeof MODES)[number], pattern: string): string[] {
  if (matches.length === 0)
    return [`No matches.${looksLikeRegex(pattern) ? " The pattern is taken literally; it looks like a regular expression." : ""}`];
  if (mode === "content") return matches.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  const counts = perFile(matches);
  if (mode === "files_with_matches") return [...counts.keys()];
  const total = `${count(matches.length, "matching line")} in ${count(counts.size, "file")}.`;
  return [total, ...[...counts].map(([path, lines]) => `${path}: ${lines}`)];
}

function perFile(matches: readonly Match[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of matches) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

const looksLikeRegex = (pattern: string): boolean => /\.\*|\.\+|\\[bdswBDSW.]|\[[^\]]+\][*+]?|\w\|\w|^\^|\$$/.test(pattern);
