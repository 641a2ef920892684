/**
 * The one way to change a MEMORY.md: under a lock, written down first, then made.
 *
 * B1. Changes of one scope wait for each other, in this process and in others.
 * B2. A change is planned in the journal before the file is touched, and made from the plan: after a crash at any point the next who comes
 *     makes it, and nothing is made twice.
 * B3. What is decided is decided on the file as it is then: nobody's change is lost to an older look.
 */
import { type FileError, type Journal, type Lease, type PlannedChange, UserError } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { diskFiles } from "../files/disk.ts";
import { locked } from "../files/lock.ts";
import { memoryPath } from "../files/mounts.ts";
import { isError } from "../files/refusal.ts";
import { edited, type Fact, factsIn } from "./facts.ts";

/** A scope's memory as it is, for whoever decides about a change of it. */
export interface Page {
  scope: Scope;
  text: string;
  facts: { fact: Fact; text: string }[];
}
export type Draft = Omit<PlannedChange, "scope">;
export type Changed =
  | { ok: true; n: number }
  /** Nothing was to be done, or it was done before. */
  | { ok: true; n: null }
  | { ok: false; error: string };

export interface Book {
  page(scope: Scope): Promise<Page | FileError>;
  /** `decide` gives the change that is wanted, or a sentence why there is none; null: nothing to do. */
  change(scope: Scope, decide: (page: Page, journal: Journal) => Promise<Draft | string | null>): Promise<Changed>;
}

const WAIT = 20;
const PATIENCE = 20_000;

export function openBook(homeDir: string, open: () => Promise<Journal>): Book {
  const files = diskFiles(homeDir);

  const page = async (scope: Scope): Promise<Page | FileError> => {
    const content = await files.read(memoryPath(scope));
    if (isError(content)) return content.error === "file_not_found" ? { scope, text: "", facts: [] } : content;
    const text = textOf(content);
    return text === undefined ? NO_TEXT : { scope, text, facts: factsIn(text) };
  };

  /** What a plan says, written to the file. */
  const make = async (scope: Scope, { n, edits }: { n: number; edits: PlannedChange["edits"] }, journal: Journal) => {
    const path = memoryPath(scope);
    const updated = await files.update(path, (content) => {
      const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
      const after = edited(before, edits);
      return after === before ? null : new TextEncoder().encode(after);
    });
    // The file may have to be begun, which `update` does not do.
    const begun = edited("", edits);
    const missing = isError(updated) && updated.error === "file_not_found";
    const written = !missing ? updated : begun === "" ? { ok: true } : await files.write(path, new TextEncoder().encode(begun));
    if (isError(written)) return written;
    await journal.memory.made(n);
    return undefined;
  };

  const change: Book["change"] = (scope, decide) =>
    locked(`memory ${homeDir} ${scope}`, async () => {
      const journal = await open();
      return alone(journal, `memory ${scope}`, async () => {
        const now = await page(scope);
        if (isError(now)) return refused(now);
        for (const left of await journal.memory.unmade(scope)) {
          const failed = await make(scope, left, journal);
          if (failed) return refused(failed);
        }
        const fresh = await page(scope);
        if (isError(fresh)) return refused(fresh);
        const draft = await decide(fresh, journal);
        if (typeof draft === "string") return { ok: false, error: draft };
        if (draft === null) return { ok: true, n: null };
        const n = await journal.memory.plan({ scope, ...draft });
        if (n === undefined) return { ok: true, n: null };
        const failed = await make(scope, { n, edits: draft.edits }, journal);
        return failed
          ? { ok: false, error: `It is written down, but MEMORY.md could not be written yet: ${failed.detail}.` }
          : { ok: true, n };
      });
    });
  return { page, change };
}

/** Holds a lease of the home while it works, so that no other process does the same. */
export async function alone<T>(journal: Journal, what: string, work: () => Promise<T>): Promise<T> {
  const lease = await wait(journal, what);
  try {
    return await work();
  } finally {
    await journal.release(lease);
  }
}

async function wait(journal: Journal, what: string): Promise<Lease> {
  for (const until = performance.now() + PATIENCE; ; ) {
    const lease = await journal.lease(what);
    if (lease) return lease;
    if (performance.now() > until) throw new UserError("Another process is at work on this home's memory. Try again when it is done.");
    await new Promise((done) => setTimeout(done, WAIT));
  }
}

const NO_TEXT: FileError = { error: "failed", detail: "it is not text in UTF-8" };
const refused = ({ detail }: FileError): Changed => ({ ok: false, error: `MEMORY.md cannot be changed: ${detail}.` });

function textOf(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}
