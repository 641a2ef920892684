/**
 * Who advances when: one session serially, many in parallel, bounded. A wake is never lost and never stacked.
 *
 * B1. A root that is being advanced is told to look again; one that waits in line is not put there twice.
 * B2. What is to be looked at later has one timer a root. What another process holds is tried again.
 */
import PQueue from "p-queue";
import type { SessionId } from "../core/id.ts";
import { advance, type Bell } from "./advance.ts";
import type { World } from "./world.ts";

const PARALLEL = 64;
const HELD = 5_000;
const BROKEN = 5_000;
/** setTimeout takes no more than about 24 days. */
const LONGEST = 2 ** 31 - 1;

interface Box {
  home: string;
  root: SessionId;
  waiting: boolean;
  active: boolean;
  again: boolean;
  ring: () => void;
  timer: NodeJS.Timeout | undefined;
}

export interface Mailbox {
  wake(home: string, root: SessionId): void;
  /** No more is begun; resolves when what runs has ended, or after `ms`. */
  close(ms: number): Promise<void>;
}

export function mailbox(world: World): Mailbox {
  const queue = new PQueue({ concurrency: PARALLEL });
  const boxes = new Map<string, Box>();
  const closing = new AbortController();

  const wake = (home: string, root: SessionId): void => {
    if (closing.signal.aborted) return;
    const key = `${home} ${root}`;
    const box = boxes.get(key) ?? { home, root, waiting: false, active: false, again: false, ring: () => {}, timer: undefined };
    boxes.set(key, box);
    clearTimeout(box.timer);
    box.again = true;
    box.ring();
    if (box.waiting || box.active) return;
    box.waiting = true;
    void queue.add(() => serve(key, box));
  };

  const later = (box: Box, ms: number): void => {
    clearTimeout(box.timer);
    box.timer = setTimeout(() => wake(box.home, box.root), Math.min(Math.max(ms, 1), LONGEST)).unref();
  };

  const serve = async (key: string, box: Box): Promise<void> => {
    box.waiting = false;
    box.active = true;
    let next: number | null = null;
    try {
      while (box.again && !closing.signal.aborted) {
        box.again = false;
        const found = await advance({ world, home: box.home, root: box.root, bell: bellOf(box), closing: closing.signal });
        next = found === "held" ? HELD * world.patience : found.wakeAt === null ? null : found.wakeAt - world.now();
      }
    } catch (error) {
      world.log.error({ session: box.root, home: box.home, err: error }, "a session could not be advanced; it is tried again");
      next = BROKEN * world.patience;
    } finally {
      box.active = false;
    }
    if (closing.signal.aborted) return;
    if (box.again) wake(box.home, box.root);
    else if (next !== null) later(box, next);
    else boxes.delete(key);
  };

  const close = async (ms: number): Promise<void> => {
    closing.abort();
    for (const box of boxes.values()) {
      clearTimeout(box.timer);
      box.ring();
    }
    await Promise.race([queue.onIdle(), new Promise((done) => setTimeout(done, ms).unref())]);
  };
  return { wake, close };
}

/** Rings at every wake, also one that came while nobody listened. */
function bellOf(box: Box): Bell {
  return {
    rung: () => {
      if (box.again) {
        box.again = false;
        return Promise.resolve();
      }
      return new Promise((done) => {
        box.ring = done;
      });
    },
  };
}
