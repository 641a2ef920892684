/**
 * The two kinds of pattern that policy.json has. Pure, and linear in the length of what is matched.
 *
 * Tools (`ops/*`): `*` stands for any characters. Paths (`files/legal/**`): `*` stays within a folder, `**` crosses folders.
 */

/** Whether a tool's label matches a pattern in which only `*` is special. */
export function matchesLabel(pattern: string, label: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === label;
  if (!label.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = label.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return label.length - last.length >= at && label.endsWith(last);
}

/** How much of a pattern is not a wildcard: the longer, the closer it is meant. */
export const literalLength = (pattern: string): number => pattern.replaceAll("*", "").length;

/**
 * Whether a path of the home touches what a pattern names: the path itself, something above it that it lies in,
 * or, where `below` counts too, a folder in which it may lie. Letters' case is ignored, as some disks do.
 */
export function touches(pattern: string, path: string, below: boolean): boolean {
  const wanted = segments(pattern);
  let reached = closure(wanted, new Set([0]));
  for (const name of segments(path)) {
    // A pattern that is used up named a folder around this path.
    if (reached.has(wanted.length)) return true;
    const next = new Set<number>();
    for (const at of reached) {
      const piece = wanted[at];
      if (piece === "**") next.add(at);
      else if (piece !== undefined && matchesLabel(piece, name)) next.add(at + 1);
    }
    reached = closure(wanted, next);
    if (reached.size === 0) return false;
  }
  return below || reached.has(wanted.length);
}

const segments = (path: string): string[] =>
  path
    .normalize("NFC")
    .toLowerCase()
    .split("/")
    .filter((part) => part !== "" && part !== ".");

/** `**` may stand for no folder at all. */
function closure(pattern: string[], reached: Set<number>): Set<number> {
  for (const at of reached) if (pattern[at] === "**") reached.add(at + 1);
  return reached;
}
