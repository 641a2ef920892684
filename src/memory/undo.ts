/**
 * Taking a change of memory back: a change of its own, made only where the fact is still as the change left it.
 *
 * U1. An edit is taken back only while it stands: a second press finds nothing to do.
 * U2. Taking back that something was learned buries it; taking back that it was forgotten lifts its tombstone.
 * U3. What the night did may be taken back by whoever sees it; what a person did, by them, by who said the fact or is told of in it, and
 *     by administrators. That somebody had something forgotten only they and administrators take back.
 */
import type { FactEdit, MemoryChange, PlannedChange } from "../core/ports.ts";
import type { Book, Changed } from "./book.ts";
import { edited, type Fact, factsIn } from "./facts.ts";
import { mayChange, type Person, stoneOf } from "./rights.ts";
import { mark } from "./words.ts";

export function undoing(book: Book, change: MemoryChange, only: number | null, person: Person, now: number): Promise<Changed> {
  const wanted = change.edits.filter((_, index) => only === null || index === only);
  return book.change(change.scope, async ({ text }) => {
    if (!wanted.every((edit) => mayUndo(change, edit, person))) return "This was not yours to change, so it is not yours to take back.";
    // Backwards: a merged fact stands in the line of one of those it was made of.
    const edits = wanted.toReversed().map(({ fact, before, after }): FactEdit => ({ fact, before: after, after: before, why: "" }));
    const possible = edits.filter((edit) => edited(text, [edit]) !== text);
    if (possible.length === 0) return "This has been changed or taken back since, so there is nothing to undo.";
    return {
      key: `undo ${change.n} ${only ?? "all"} ${now}`,
      at: now,
      cause: "undo",
      by: person.id,
      edits: possible,
      ...graves(possible, person),
    };
  });
}

function mayUndo({ cause, by }: MemoryChange, { before, after }: FactEdit, person: Person): boolean {
  if (person.admin || by === person.id || cause === "night") return true;
  if (after === null) return false;
  return [before, after].some((line) => factsOf(line).some((fact) => mayChange(fact, person)));
}

function graves(edits: readonly FactEdit[], person: Person): Pick<PlannedChange, "bury" | "lift"> {
  const gone = edits.filter(({ after }) => after === null).flatMap(({ before }) => factsOf(before));
  const back = edits.flatMap(({ after }) => factsOf(after));
  return { bury: gone.map((fact) => stoneOf(fact, person.id)), lift: back.map(({ text }) => mark(text)) };
}

const factsOf = (line: string | null): Fact[] => (line === null ? [] : factsIn(line).map(({ fact }) => fact));
