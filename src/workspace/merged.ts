/** A change of one text carried over to another. Pure. */
import { diff3Merge } from "node-diff3";

/** What `base` → `theirs` changes, made in `ours`; or around which lines of `ours` both changed the same. */
export function merged(ours: string, base: string, theirs: string): { ok: true; text: string } | { ok: false; lines: number[] } {
  const regions = diff3Merge(ours.split("\n"), base.split("\n"), theirs.split("\n"), { excludeFalseConflicts: true });
  const lines = regions.flatMap(({ conflict }) => (conflict ? [conflict.aIndex + 1] : []));
  if (lines.length) return { ok: false, lines };
  return { ok: true, text: regions.flatMap(({ ok }) => ok ?? []).join("\n") };
}
