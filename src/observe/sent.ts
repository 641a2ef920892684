/**
 * What the last steps of all sessions were sent before their messages, for people who want to see it. The messages are in the journal.
 *
 * N1. In memory only and bounded: it dies with the process, so nothing has to be erased from it.
 */
import type { SessionId } from "../core/id.ts";
import type { Offered, Request } from "../core/ports.ts";

export interface SentLately {
  keep(home: string, session: SessionId, at: { turn: number; step: number }, request: Pick<Request, "model" | "system" | "tools">): void;
  find(home: string, session: SessionId, turn: number, step: number): Offered | undefined;
}

const STEPS = 300;
/** Characters of all system prompts that are kept. */
const LETTERS = 8_000_000;

export function sentLately(most = STEPS, letters = LETTERS): SentLately {
  const kept = new Map<string, Offered>();
  let size = 0;
  const keyOf = (home: string, session: SessionId, turn: number, step: number): string => `${home} ${session} ${turn}.${step}`;
  const drop = (key: string): void => {
    size -= sizeOf(kept.get(key));
    kept.delete(key);
  };
  return {
    keep(home, session, { turn, step }, { model, system, tools }) {
      const key = keyOf(home, session, turn, step);
      const made: Offered = { model, system: system.map(({ text }) => text), tools };
      drop(key);
      kept.set(key, made);
      size += sizeOf(made);
      for (const oldest of kept.keys()) {
        if (kept.size <= most && size <= letters) break;
        drop(oldest);
      }
    },
    find: (home, session, turn, step) => kept.get(keyOf(home, session, turn, step)),
  };
}

const sizeOf = (offered: Offered | undefined): number => offered?.system.reduce((sum, text) => sum + text.length, 0) ?? 0;
