/**
 * What tokens may have cost: an estimate from list prices, for a first look and never for a bill. Pure.
 *
 * Dollars for a million tokens by the model's family; gateways and contracts have prices of their own.
 */
import type { Spent } from "../core/ports.ts";

const FAMILIES: [RegExp, { input: number; output: number }][] = [
  [/opus/i, { input: 5, output: 25 }],
  [/sonnet/i, { input: 3, output: 15 }],
  [/haiku/i, { input: 1, output: 5 }],
  [/^offline/i, { input: 0, output: 0 }],
];
/** Against the price of plain input. */
const CACHE_READ = 0.1;
const CACHE_WRITE = 1.25;

/** Null where the model's price is not known. */
export function costOf({ model, input, output, cacheRead, cacheWrite }: Omit<Spent, "day" | "person" | "channel">): number | null {
  const price = FAMILIES.find(([name]) => name.test(model))?.[1];
  if (!price) return null;
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  return ((plain + cacheRead * CACHE_READ + cacheWrite * CACHE_WRITE) * price.input + output * price.output) / 1_000_000;
}
