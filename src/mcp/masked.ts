/** A value of a server without secrets in any of its texts. */
export function masked(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return secrets.reduce((text, secret) => text.split(secret).join("•••"), value);
  if (Array.isArray(value)) return value.map((item) => masked(item, secrets));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, secrets)]));
}
