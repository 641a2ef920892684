/**
 * Notices a connection that looks alive and tells nothing: our own posts must come back as events, and a connection that is being mended
 * must stand again after a while.
 */
const ECHO_WITHIN = 20_000;
const MENDED_WITHIN = 90_000;
const LOOK_EVERY = 5000;

export interface Watch {
  /** A message of ours stands, says REST. */
  stands(id: string): void;
  /** It came as an event. */
  echoed(id: string): void;
  stop(): void;
}

/** `connected`: whether the connection itself says that it stands. `deaf` is called at most once. */
export function watch(
  connected: () => boolean,
  deaf: (why: string) => void,
  clock = { now: Date.now, echoWithin: ECHO_WITHIN, every: LOOK_EVERY },
): Watch {
  const waiting = new Map<string, number>();
  const early = new Set<string>();
  let since = clock.now();
  const stop = () => clearInterval(timer);
  const give = (why: string) => {
    stop();
    deaf(why);
  };
  const timer = setInterval(() => {
    const now = clock.now();
    if (!connected()) {
      // What is missing may come with the resume: the wait for it begins anew then.
      for (const id of waiting.keys()) waiting.set(id, now);
      if (now - since > MENDED_WITHIN) give("the connection did not come back by itself");
      return;
    }
    since = now;
    if ([...waiting.values()].some((at) => now - at > clock.echoWithin)) give("Discord sends no events on a connection that stands");
  }, clock.every).unref();
  return {
    stands(id) {
      if (!early.delete(id)) waiting.set(id, clock.now());
    },
    echoed(id) {
      if (waiting.delete(id)) return;
      early.add(id);
      const [oldest] = early;
      if (early.size > 500 && oldest !== undefined) early.delete(oldest);
    },
    stop,
  };
}
