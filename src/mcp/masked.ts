/**
 * A value of a server without secrets in any of its texts, without halves of characters, which no provider takes, and not deeper than
 * what comes after it can follow.
 */
const DEEPEST = 100;

export function masked(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === "string") {
    const whole = value.replace(/\p{Cs}/gu, "\ufffd");
    return secrets.reduce((text, secret) => (secret ? text.split(secret).join("•••") : text), whole);
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => masked(item, secrets, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, secrets, depth + 1)]));
}
