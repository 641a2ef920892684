/** What the numbers mean that somebody was shown last in a place, in memory: they are used within minutes, or asked for again. */
export interface Shown {
  keep(key: string, ids: readonly string[]): void;
  of(key: string): readonly string[] | undefined;
}

const KEPT = 1_000;

export function numbers(): Shown {
  const known = new Map<string, readonly string[]>();
  return {
    keep(key, ids) {
      known.delete(key);
      known.set(key, ids);
      const oldest = known.keys().next().value;
      if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
    },
    of: (key) => known.get(key),
  };
}
