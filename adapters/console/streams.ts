/**
 * Who is looking: one stream per open page. A stream is only told that something changed; what, it works out by itself, so that
 * a slow page gets fewer and larger changes and never a queue.
 */
export interface Stream {
  /** Resolves when something changed since the last time, after `ms` at the latest, or at the end. */
  next(ms: number): Promise<"changed" | "quiet" | "over">;
  end(): void;
}

export interface Streams {
  /** Undefined: as many pages as are allowed are open. */
  open(thread: string): Stream | undefined;
  /** Something changed in a thread; `list`: in the list of threads as well, which every page shows. */
  ring(thread: string, list: boolean): void;
  close(): void;
}

interface Watcher {
  thread: string;
  rung: boolean;
  over: boolean;
  wake: () => void;
}

export function streams(limit: number): Streams {
  const watchers = new Set<Watcher>();
  return {
    open: (thread) => {
      if (watchers.size >= limit) return undefined;
      const watcher: Watcher = { thread, rung: false, over: false, wake: () => undefined };
      watchers.add(watcher);
      return {
        next: (ms) => wait(watcher, ms),
        end: () => {
          finish(watcher);
          watchers.delete(watcher);
        },
      };
    },
    ring: (thread, list) => {
      for (const watcher of watchers) {
        if (!list && watcher.thread !== thread) continue;
        watcher.rung = true;
        watcher.wake();
      }
    },
    close: () => {
      for (const watcher of watchers) finish(watcher);
      watchers.clear();
    },
  };
}

function finish(watcher: Watcher): void {
  watcher.over = true;
  watcher.wake();
}

async function wait(watcher: Watcher, ms: number): Promise<"changed" | "quiet" | "over"> {
  if (!watcher.rung && !watcher.over) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      watcher.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    watcher.wake = () => undefined;
  }
  const changed = watcher.rung;
  watcher.rung = false;
  return watcher.over ? "over" : changed ? "changed" : "quiet";
}
