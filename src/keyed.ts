/** One value a key, made at the first use. */
export function keyed<T>(make: (key: string) => T): { get(key: string): T; all(): T[]; drop(key: string): void } {
  const known = new Map<string, T>();
  const get = (key: string): T => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
  return { get, all: () => [...known.values()], drop: (key) => void known.delete(key) };
}
