/** Digests over data: the same data gives the same digest, whatever the order of its keys. */
import { createHash } from "node:crypto";

export const digest = (value: unknown): string => createHash("sha256").update(canonical(value)).digest("hex");

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
  const sorted = pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}
