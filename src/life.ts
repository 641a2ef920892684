/** The life of the process: connecting until it works, ending in time, and what happens to faults nobody caught. Knows no room. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Adapter, type Inbox, type Log, UserError } from "./core/ports.ts";

const EXIT_WITHIN = 9_000;

/** Connects an adapter, again and again until it can be. */
export async function connect(adapter: Adapter, inbox: Inbox, log: Log, closing: AbortSignal): Promise<void> {
  // What the operator mends is taken up by itself.
  for (let wait = 1_000; !closing.aborted; wait = Math.min(wait * 2, 60_000)) {
    try {
      await adapter.start(inbox);
      return;
    } catch (error) {
      if (error instanceof UserError) log.error({ adapter: adapter.name, againInSeconds: wait / 1_000 }, error.message);
      else log.error({ adapter: adapter.name, err: error }, "an adapter could not be started; it is tried again");
    }
    // Nothing else may keep the process alive meanwhile.
    await sleep(wait, undefined, { signal: closing }).catch(() => undefined);
  }
}

/** `enough`: all are connected, or those that are not have kept the others waiting for `ms`. */
export function connectAll(
  adapters: Iterable<Adapter>,
  inbox: Inbox,
  log: Log,
  closing: AbortSignal,
  ms = 10_000,
): { enough: Promise<void>; all: Promise<void> } {
  const all = Promise.all([...adapters].map((adapter) => connect(adapter, inbox, log, closing))).then(() => undefined);
  const done = new AbortController();
  void all.finally(() => done.abort());
  const enough = Promise.race([all, sleep(ms, undefined, { signal: done.signal }).catch(() => undefined)]);
  return { enough, all };
}

/** Runs once, at the first signal; the process ends in time even if something hangs. */
export function onSignals(close: () => Promise<void>, log: Log): void {
  const end = async (signal: string) => {
    log.info({ signal }, "stopping");
    setTimeout(() => process.exit(0), EXIT_WITHIN).unref();
    await close();
    log.info({}, "stopped");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => void end(signal));
}

/**
 * A rejection nobody handled loses nothing: what counts is in the journal. An exception nobody caught may have left anything half done:
 * the process ends, and resumes when it is started again.
 */
export function watchFaults(log: Log): void {
  process.on("unhandledRejection", (error) => log.error({ err: error }, "a rejection was not handled"));
  process.on("uncaughtException", (error) => {
    log.error({ err: error }, "an exception was not caught: the process ends");
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 100);
  });
}
