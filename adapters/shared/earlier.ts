/**
 * How much of what was said before a call is brought with it: the root, and of the rest the newest that fit into the budget.
 */
import type { Incoming } from "../../src/core/ports.ts";

export type Earlier = NonNullable<Incoming["background"]>;

/** How long a call waits for it: the call itself matters more. */
export const PATIENCE = 1500;
/** Characters of one message. */
export const EACH = 3000;
const MESSAGES = 40;
const CHARACTERS = 12_000;

/** `root`: begins what was said, if it is known. `rest`: the oldest first. */
export function fitting<T extends { raw: string }>(root: T | undefined, rest: readonly T[]): T[] {
  let left = CHARACTERS - Math.min(root?.raw.length ?? 0, EACH);
  const kept: T[] = [];
  for (const one of [...rest].reverse()) {
    left -= Math.min(one.raw.length, EACH);
    if (left < 0 || kept.length >= MESSAGES) break;
    kept.unshift(one);
  }
  return root ? [root, ...kept] : kept;
}
