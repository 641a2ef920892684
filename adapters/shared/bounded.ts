/** Memory with an end: the oldest is forgotten once there is more than `most`. */
export interface BoundedMap<T> {
  get(key: string): T | undefined;
  has(key: string): boolean;
  set(key: string, value: T): void;
  delete(key: string): void;
}

export function bounded<T>(most: number): BoundedMap<T> {
  const held = new Map<string, T>();
  return {
    get: (key) => held.get(key),
    has: (key) => held.has(key),
    set(key, value) {
      held.delete(key);
      held.set(key, value);
      const [oldest] = held.keys();
      if (held.size > most && oldest !== undefined) held.delete(oldest);
    },
    delete: (key) => void held.delete(key),
  };
}
