/**
 * Notices a connection that looks alive and tells nothing: our own posts must come back as events, one on which all has been quiet for long
 * must answer when it is asked something, and a connection that is being mended must stand again after a while.
 */
export interface Patience {
  now(): number;
  /** For a post to come back, or for an answer. */
  echo: number;
  /** Before a quiet connection is asked. */
  quiet: number;
  mend: number;
  every: number;
  /** After so many ms each, what was not taken is tried again. */
  again: readonly number[];
}
export const PATIENCE: Patience = {
  now: Date.now,
  echo: 20_000,
  quiet: 5 * 60_000,
  mend: 90_000,
  every: 5000,
  again: [10_000, 60_000, 300_000],
};

export interface Watch {
  /** A message of ours stands, says REST. */
  stands(id: string): void;
  /** It came as an event. */
  echoed(id: string): void;
  /** Anything at all was told by a shard. */
  heard(shard: number): void;
  stop(): void;
}
/** What is watched. */
export interface Watched {
  /** The connection itself says that it stands. */
  stands(): boolean;
  shards(): number[];
  /** Asks a shard something that it answers with an event. False: there is nothing to ask it. */
  ask(shard: number): boolean;
}

/** `deaf` is called at most once. */
export function watch(watched: Watched, deaf: (why: string) => void, patience: Patience = PATIENCE): Watch {
  const waiting = new Map<string, number>();
  const early = new Set<string>();
  const told = new Map<number, number>();
  const asked = new Map<number, number>();
  let since = patience.now();
  const stop = () => clearInterval(timer);
  const give = (why: string) => {
    stop();
    deaf(why);
  };
  const late = (times: Iterable<number>): boolean => [...times].some((at) => patience.now() - at > patience.echo);

  function mending(now: number): void {
    // What is missing may come with the resume: the wait for it begins anew then.
    for (const id of waiting.keys()) waiting.set(id, now);
    told.clear();
    asked.clear();
    if (now - since > patience.mend) give("the connection did not come back by itself");
  }
  function ask(now: number): void {
    for (const shard of watched.shards()) {
      const last = told.get(shard);
      if (last === undefined) told.set(shard, now);
      else if (now - last > patience.quiet && !asked.has(shard)) {
        if (watched.ask(shard)) asked.set(shard, now);
        else told.set(shard, now);
      }
    }
  }
  const timer = setInterval(() => {
    const now = patience.now();
    if (!watched.stands()) return mending(now);
    since = now;
    if (late(waiting.values())) return give("Discord sends no events on a connection that stands");
    if (late(asked.values())) return give("Discord answers nothing on a connection that stands");
    ask(now);
  }, patience.every).unref();
  return {
    stands(id) {
      if (!early.delete(id)) waiting.set(id, patience.now());
    },
    echoed(id) {
      if (waiting.delete(id)) return;
      early.add(id);
      const [oldest] = early;
      if (early.size > 500 && oldest !== undefined) early.delete(oldest);
    },
    heard(shard) {
      told.set(shard, patience.now());
      asked.delete(shard);
    },
    stop,
  };
}
