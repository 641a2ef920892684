/**
 * Two connections tell what was said one after the other at almost the same time: everything waits for a moment, and then goes on in the
 * order it was said in.
 */
const MOMENT = 25;

/** Resolves when it is the turn of what was said at `ts` in this channel. */
export function turns(): (channel: string, ts: string) => Promise<void> {
  const waiting = new Map<string, { ts: string; go: () => void }[]>();
  return (channel, ts) =>
    new Promise((go) => {
      const known = waiting.get(channel);
      if (known) {
        known.push({ ts, go });
        return;
      }
      const gathered = [{ ts, go }];
      waiting.set(channel, gathered);
      setTimeout(() => {
        waiting.delete(channel);
        for (const one of gathered.sort((a, b) => Number(a.ts) - Number(b.ts))) one.go();
      }, MOMENT);
    });
}
