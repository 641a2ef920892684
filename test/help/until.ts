/** Resolves once a probe gives something; fails in words when it does not in time. */
export async function until<T>(
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  what: string | (() => string),
  ms = 10_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for ${typeof what === "string" ? what : what()}`);
    await new Promise((done) => setTimeout(done, 5));
  }
}
