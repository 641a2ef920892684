/**
 * Group commit: what is asked for in one turn of the event loop shares one transaction, and so one write to the disk.
 *
 * Q1. Nothing resolves before the transaction it was in is durable; operations resolve in the order they came.
 * Q2. What the platform waits for is committed as soon as all that was asked for beside it is there, before the loop takes up other work.
 * Q3. An operation that throws before it wrote rejects alone. If it had written, or the disk failed, all that were in its transaction reject.
 */
import { isStorage } from "./fault.ts";

interface Operation {
  /** Runs inside the transaction. */
  act(): void;
  resolve(): void;
  reject(error: unknown): void;
}

export interface Queue {
  push<T>(act: () => T, soon?: "soon"): Promise<T>;
  /** Commits what waits, now; takes nothing after it. */
  end(): void;
}

/** So that the loop is never blocked for long, however many came at once. */
const GROUP = 500;

/** `transact` runs its argument in one transaction or throws; `written` counts what this transaction has written so far. */
export function groupCommits(transact: (body: () => void) => void, written: () => number): Queue {
  let waiting: Operation[] = [];
  let scheduled = false;
  let ended = false;

  const commit = (): void => {
    const group = waiting.slice(0, GROUP);
    waiting = waiting.slice(GROUP);
    try {
      transact(() => {
        for (const operation of group) operation.act();
      });
    } catch (error) {
      for (const operation of group) operation.reject(error);
      return;
    }
    for (const operation of group) operation.resolve();
  };
  const schedule = (): void => {
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      flush();
      schedule();
    });
  };
  const flush = (): void => {
    if (waiting.length > 0) commit();
  };
  const push = <T>(act: () => T, soon?: "soon"): Promise<T> =>
    new Promise((resolve, reject) => {
      if (ended) throw new Error("The journal is closed.");
      waiting.push(operationOf(act, written, resolve, reject));
      if (soon) queueMicrotask(flush);
      schedule();
    });
  const end = (): void => {
    ended = true;
    while (waiting.length > 0) commit();
  };
  return { push, end };
}

function operationOf<T>(act: () => T, written: () => number, resolve: (value: T) => void, reject: (error: unknown) => void): Operation {
  let settle = (): void => {};
  return {
    act() {
      const before = written();
      try {
        const result = act();
        settle = () => resolve(result);
      } catch (error) {
        if (isStorage(error) || written() !== before) throw error;
        settle = () => reject(error);
      }
    },
    resolve: () => settle(),
    reject,
  };
}
