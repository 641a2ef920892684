/** Values made once for each object they are made from, so that what did not change is the same object as before. */
import type { Shape } from "./shorten.ts";

export function memo<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}

/** The same for what also depends on how it is shortened; the last shape is kept, since shapes change seldom. */
export function shaped<K extends object, V>(make: (key: K, shape: Shape) => V): (key: K, shape: Shape) => V {
  const known = new WeakMap<K, { shape: Shape; value: V }>();
  return (key, shape) => {
    const before = known.get(key);
    if (before && before.shape.trimmed === shape.trimmed && before.shape.share === shape.share) return before.value;
    const value = make(key, shape);
    known.set(key, { shape, value });
    return value;
  };
}
