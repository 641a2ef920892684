/** The known word that is nearest to what somebody wrote. */
export function nearest(word: string, known: readonly string[]): string {
  const far = known.map((it) => ({ it, distance: distance(word, it) }));
  return far.reduce((best, other) => (other.distance < best.distance ? other : best)).it;
}
/** How many letters are other, missing or too many. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, char] of [...a.slice(0, 40)].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (char === other ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
}
