/**
 * Remembers what was looked up, for a while.
 *
 * C1. One look-up of a key at a time; those who ask meanwhile share it.
 * C2. Nothing is used once it is older than `keep`, not even when a new look-up fails. A failed look-up is not remembered.
 * C3. At most `most` keys; the oldest are forgotten.
 */
export interface Recent<T> {
  /** `fresh`: the age up to which what is known is used without asking. Undefined: not there, or the look-up failed. */
  get(key: string, fresh?: number): Promise<T | undefined>;
  put(key: string, value: T): void;
  /** Without asking. */
  known(key: string): T | undefined;
}

export function recent<T>(keep: number, look: (key: string) => Promise<T | undefined>, most = 5000): Recent<T> {
  const held = new Map<string, { value: T; at: number }>();
  const asking = new Map<string, Promise<T | undefined>>();

  function put(key: string, value: T): void {
    held.delete(key);
    held.set(key, { value, at: Date.now() });
    for (const oldest of held.keys()) {
      if (held.size <= most) break;
      held.delete(oldest);
    }
  }
  function known(key: string, age: number): T | undefined {
    const found = held.get(key);
    return found && Date.now() - found.at < age ? found.value : undefined;
  }
  async function ask(key: string): Promise<T | undefined> {
    try {
      const value = await look(key);
      if (value !== undefined) put(key, value);
      return value;
    } catch {
      return known(key, keep);
    } finally {
      asking.delete(key);
    }
  }
  return {
    put,
    known: (key) => known(key, keep),
    async get(key, fresh = keep) {
      const found = known(key, Math.min(fresh, keep));
      if (found !== undefined) return found;
      const under = asking.get(key) ?? Promise.resolve().then(() => ask(key));
      asking.set(key, under);
      return under;
    },
  };
}
