/** Waits for something, but no longer than so many milliseconds. What it was goes on. */
import { setTimeout as sleep } from "node:timers/promises";

export async function within(done: Promise<void>, ms: number): Promise<void> {
  if (ms <= 0) return;
  const over = new AbortController();
  await Promise.race([done, sleep(ms, undefined, { ref: false, signal: over.signal }).catch(() => undefined)]);
  over.abort();
}
