/**
 * One at a time for each key, in the order asked, in the whole process: whichever backend a file is reached through.
 * A failure of one holder is its own; the next goes on.
 */
const tails = new Map<string, Promise<unknown>>();

export function locked<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = tails.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  const tail = mine
    .catch(() => undefined)
    .then(() => {
      if (tails.get(key) === tail) tails.delete(key);
    });
  tails.set(key, tail);
  return mine;
}
