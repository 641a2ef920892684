/**
 * What was learned from messages that are deleted goes with them.
 *
 * D1. A fact goes when none of the messages it is from is left; one of several is only taken out of its origin.
 * D2. A deletion does this once: who takes it back has the last word, also against the next night.
 */
import type { SessionId } from "../core/id.ts";
import type { FactEdit } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import type { State } from "../core/state.ts";
import { isError } from "../files/refusal.ts";
import type { Book, Page } from "./book.ts";
import { formatFact } from "./facts.ts";

export interface Unsaid {
  session: SessionId;
  message: string;
  /** Who had said it, if that is known. */
  by: string;
}

/** Who said a message, as the conversation has it. */
export function authorOf({ talk }: State, message: string): string {
  const said = talk.entries.findLast((entry) => entry.as === "said" && entry.id === message);
  return said?.as === "said" ? said.by.id : "";
}

/** Why it could not be done yet, in a sentence. */
export async function unsay(book: Book, scope: Scope, { session, message, by }: Unsaid, now: number): Promise<string | undefined> {
  const seen = await book.page(scope);
  if (isError(seen) || editsOf(seen, session, message).length === 0) return undefined;
  const changed = await book.change(scope, async (page) => {
    const edits = editsOf(page, session, message);
    return edits.length ? { key: `unsaid ${session} ${message}`, at: now, cause: "forget", by, edits } : null;
  });
  return changed.ok ? undefined : changed.error;
}

function editsOf({ facts }: Page, session: SessionId, message: string): FactEdit[] {
  return facts.flatMap(({ fact, text }): FactEdit[] => {
    if (fact.session !== session || !fact.messages?.includes(message)) return [];
    const left = fact.messages.filter((each) => each !== message);
    const after = left.length ? formatFact({ ...fact, messages: left }) : null;
    return [{ fact: fact.id, before: text, after, why: left.length ? "One of its messages was deleted." : "Its message was deleted." }];
  });
}
