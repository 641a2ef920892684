/**
 * Which messages conversations have, known after a restart too: the newest ones, with where they stand and what they are about.
 *
 * T1. Only for what a platform does not tell by itself: to which root a reply belongs where there are no threads, whether a thread is talked
 *     in, and what was changed or taken away while nobody listened. What is forgotten costs no more than that.
 */
import type { Log } from "../../src/core/ports.ts";
import { openKept } from "./kept.ts";

const MOST = 1000;

export interface TakenMessage {
  id: string;
  /** What it is looked for in: its channel or thread. */
  channel: string;
  /** The message that it and others are about, where there are no threads. */
  root: string | null;
}
export interface Taken {
  keep(message: TakenMessage): void;
  forget(id: string): void;
  of(id: string): TakenMessage | undefined;
  /** Those of a channel or thread, in the order they were taken. */
  within(channel: string): TakenMessage[];
  close(): Promise<void>;
}

export async function openTaken(folder: string, adapter: string, log: Log): Promise<Taken> {
  const file = await openKept(folder, "taken.json", adapter, log);
  const held = new Map(readTaken(await file.read()).map((one) => [one.id, one] as const));
  const now = () => ({ taken: [...held.values()].map(({ id, channel, root }) => [id, channel, root]) });
  return {
    keep(message) {
      held.delete(message.id);
      held.set(message.id, message);
      const [oldest] = held.keys();
      if (held.size > MOST && oldest !== undefined) held.delete(oldest);
      file.later(now);
    },
    forget(id) {
      if (held.delete(id)) file.later(now);
    },
    of: (id) => held.get(id),
    within: (channel) => [...held.values()].filter((one) => one.channel === channel),
    close: () => file.write(now()),
  };
}

const isId = (value: unknown): value is string => typeof value === "string" && /^[\w. ]{1,80}$/.test(value);

function readTaken(kept: object): TakenMessage[] {
  const { taken } = kept as { taken?: unknown };
  return (Array.isArray(taken) ? taken : []).flatMap((row: unknown) => {
    const [id, channel, root] = Array.isArray(row) ? (row as unknown[]) : [];
    return isId(id) && isId(channel) ? [{ id, channel, root: isId(root) ? root : null }] : [];
  });
}
