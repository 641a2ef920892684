/**
 * When the night of each home is: a tick every minute, and a record in the home's journal of when the last one was.
 *
 * - Whether a night is due follows from that record alone, so that each comes once: not twice where the clock is put back, not never
 *   where it is put forward, and one that was missed while nothing ran comes at the start, once for all that were missed.
 * - Of two processes that find it due, one holds it; if that one dies, the next tick of another does it.
 */
import { Cron } from "croner";
import { schedule } from "node-cron";
import { type Journal, type Log, UserError } from "./core/ports.ts";

export interface ClockOn {
  homes(): Promise<string[]>;
  /** When a home's nights are. */
  nights(home: string): Promise<{ cron: string; timezone: string }>;
  journal(home: string): Promise<Journal>;
  night(home: string, signal: AbortSignal): Promise<void>;
  /** Tells people what was not told yet of nights, whoever had them. */
  tell(home: string): Promise<unknown>;
  now(): number;
  log: Log;
}

/** Whether a night has come since the last. Throws a UserError if the pattern cannot be read. */
export function isDue(cron: string, timezone: string, last: number, now: number): boolean {
  const next = patternOf(cron, timezone).nextRun(new Date(last));
  return next !== null && next.getTime() <= now;
}

/** When the clock of a time zone next shows a time such as `08:00`. */
export function nextAt(time: string, timezone: string, after: number): number {
  const [hour, minute] = time.split(":").map(Number);
  const next = patternOf(`${minute} ${hour} * * *`, timezone).nextRun(new Date(after));
  return next?.getTime() ?? after;
}

/** What is wrong with when nights are; undefined: nothing. */
export function cronProblem({ cron, timezone }: { cron: string; timezone: string }): string | undefined {
  try {
    patternOf(cron, timezone);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function patternOf(cron: string, timezone: string): Cron {
  try {
    return new Cron(cron, { timezone, paused: true });
  } catch {
    throw new UserError(`"consolidation.cron" in policy.json is ${JSON.stringify(cron)}, which is no pattern such as "0 3 * * *".`);
  }
}

export async function tick(on: ClockOn, signal: AbortSignal, told: Map<string, string>): Promise<void> {
  for (const home of await on.homes()) {
    if (signal.aborted) return;
    try {
      await nightOf(on, home, signal);
      if (!signal.aborted) await on.tell(home);
      told.delete(home);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      // Once for each trouble, not every minute.
      if (told.get(home) !== text) on.log.warn({ home, ...(error instanceof UserError ? {} : { err: error }) }, `no night: ${text}`);
      told.set(home, text);
    }
  }
}

async function nightOf(on: ClockOn, home: string, signal: AbortSignal): Promise<void> {
  const journal = await on.journal(home);
  const { cron, timezone } = await on.nights(home);
  const due = async (): Promise<boolean> => {
    const last = await journal.memory.lastNight();
    if (last === null) await journal.memory.nightWas(on.now());
    return last !== null && isDue(cron, timezone, last, on.now());
  };
  if (!(await due())) return;
  const lease = await journal.lease("memory clock");
  if (!lease) return;
  try {
    // Another process may have had it between the look and the lease.
    if (!(await due())) return;
    const begun = on.now();
    await on.night(home, signal);
    if (!signal.aborted) await journal.memory.nightWas(begun);
  } finally {
    await journal.release(lease);
  }
}

/** The first look is at once: what was missed is not left to the next minute. `stop` resolves when what is being done has ended. */
export function startClock(on: ClockOn): { stop(): Promise<void> } {
  const closing = new AbortController();
  const told = new Map<string, string>();
  let busy: Promise<void> | undefined;
  const look = (): Promise<void> => {
    busy ??= tick(on, closing.signal, told).finally(() => {
      busy = undefined;
    });
    return busy;
  };
  const task = schedule("* * * * *", look, { noOverlap: true });
  void look().catch((error: unknown) => on.log.error({ err: error }, "the clock failed"));
  return {
    stop: async () => {
      closing.abort();
      await task.destroy();
      await busy?.catch(() => undefined);
    },
  };
}
