/**
 * What changed about a tool since it was last approved, in words. Pure.
 *
 * A pin is what a tool says of itself, in parts: its server's entry, its words, its schemas.
 */
export interface Pinned {
  pin: string;
  at: number;
}

const PARTS = ["the entry of its server", "its description", "what it takes or gives"];

/** Undefined: it is what it was, or was never approved. */
export function changedSince(before: Pinned | undefined, pin: string | undefined): string | undefined {
  if (!before || pin === undefined || before.pin === pin) return undefined;
  const [old, now] = [before.pin.split("."), pin.split(".")];
  const changed = PARTS.filter((_, index) => old[index] !== now[index]);
  const what = changed.length > 1 ? `${changed.slice(0, -1).join(", ")} and ${changed.at(-1)} have` : `${changed[0] ?? "it"} has`;
  return `⚠️ This tool is not what was approved before: ${what} changed since ${new Date(before.at).toISOString().slice(0, 10)}.`;
}
