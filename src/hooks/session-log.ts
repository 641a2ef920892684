/**
 * Earlier conversations: after each turn the readable log of its session and helpers gets what it lacks, and what was said can be searched.
 *
 * L1. The log is made from the journal: what a failure leaves out of it, the next turn adds.
 */
import type { SessionId } from "../core/id.ts";
import type { Hook, Tool } from "../core/ports.ts";

export interface SessionLog {
  /** Adds to the log of a root session and its helpers. */
  add(home: string, root: SessionId): Promise<void>;
  /** The tool that searches. */
  search: Tool;
}

export function sessionLog({ add, search }: SessionLog): Hook {
  return {
    name: "session-log",
    preReasoning: async () => ({ tools: [search] }),
    async postCall({ home, session }) {
      await add(home, session);
      return undefined;
    },
  };
}
