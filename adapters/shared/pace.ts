/**
 * Sends what changes often at a bearable rate: the newest value of each key, one at a time in a lane, with a pause after each.
 *
 * T1. A value that a newer one overtook is never sent. Keys of a lane take turns.
 * T2. After `clear` resolved, nothing of that key is waiting or under way.
 * T3. `send` says how long its lane must rest beyond the usual pause; it never rejects. `ready` says how long it must wait before its next
 *     value is taken.
 */
export interface Pace<T> {
  offer(lane: string, key: string, value: T): void;
  /** Drops what waits for a key and waits for what is being sent. */
  clear(lane: string, key: string): Promise<void>;
  stop(): void;
}

interface Lane<T> {
  waiting: Map<string, T>;
  sending: { key: string; done: Promise<unknown> } | undefined;
  timer: NodeJS.Timeout | undefined;
}

export function pace<T>(gap: number, send: (key: string, value: T) => Promise<number>, ready: (lane: string) => number = () => 0): Pace<T> {
  const lanes = new Map<string, Lane<T>>();
  let stopped = false;

  async function turn(name: string, lane: Lane<T>): Promise<void> {
    const [next] = lane.waiting;
    if (!next || stopped) {
      lanes.delete(name);
      return;
    }
    const wait = ready(name);
    if (wait > 0) {
      lane.timer = setTimeout(() => void turn(name, lane), wait).unref();
      return;
    }
    const [key, value] = next;
    lane.waiting.delete(key);
    const done = send(key, value);
    lane.sending = { key, done };
    const rest = await done;
    lane.sending = undefined;
    lane.timer = setTimeout(() => void turn(name, lane), gap + rest);
    lane.timer.unref();
  }

  return {
    offer(name, key, value) {
      if (stopped) return;
      const known = lanes.get(name);
      const lane = known ?? { waiting: new Map<string, T>(), sending: undefined, timer: undefined };
      lane.waiting.set(key, value);
      if (known) return;
      lanes.set(name, lane);
      void turn(name, lane);
    },
    async clear(name, key) {
      const lane = lanes.get(name);
      lane?.waiting.delete(key);
      if (lane?.sending?.key === key) await lane.sending.done;
    },
    stop() {
      stopped = true;
      for (const lane of lanes.values()) clearTimeout(lane.timer);
      lanes.clear();
    },
  };
}
