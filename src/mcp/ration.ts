/** So many in so much time, and no more: each call asks for one. */
export function ration(most: number, ms: number, now: () => number = Date.now): () => boolean {
  let [since, count] = [now(), 0];
  return () => {
    if (now() - since > ms) [since, count] = [now(), 0];
    return ++count <= most;
  };
}
