/**
 * What a home remembers, as the operator sees and changes it.
 *
 * M1. Facts are changed through memory itself: written down first, and taken back like any other change.
 * M2. A bullet of people's own is changed only if it still stands as it was seen, and nothing else of the file is touched.
 */
import type { FactEdit, Journal, MemoryEdit, OperatorMemory, Remembered } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { diskFiles } from "../files/disk.ts";
import { memoryPath } from "../files/mounts.ts";
import { isError } from "../files/refusal.ts";
import { factsIn, oneLine } from "../memory/facts.ts";
import type { Kept, Memory } from "../memory/memory.ts";

export interface MemoryOn {
  directory(home: string): string;
  journal(home: string): Promise<Journal>;
  memory(home: string): Pick<Memory, "list" | "history" | "undo" | "forget" | "book">;
  now(): number;
}
type Done = Awaited<ReturnType<OperatorMemory["undo"]>>;

/** Sessions looked through for scopes in which nothing was remembered yet. */
const SCOPES = 500;
const CHANGES = 25;
const LONGEST = 1_000;

export function operatorMemory(on: MemoryOn): OperatorMemory {
  const { journal, memory, now } = on;
  return {
    async scopes(home) {
      const open = await journal(home);
      const [kept, rows] = await Promise.all([open.memory.scopes(), open.sessions({ limit: SCOPES })]);
      return [...new Set<Scope>(["team", ...kept, ...rows.map(({ scope }) => scope)])];
    },
    read: async (home, scope) =>
      (await memory(home).list([scope])).map(({ text, fact }): Remembered => {
        if (!fact) return { text };
        const { id, by, at, in: where, session } = fact;
        return { text: fact.text, origin: { id, by, at, in: where, session } };
      }),
    async changes(home, scope, page) {
      const from = page * CHANGES;
      const found = (await memory(home).history([scope], from + CHANGES + 1)).slice(from);
      const items = found.slice(0, CHANGES).map(({ n, at, cause, by, edits }) => ({ n, at, cause, by, edits: edits.map(shown) }));
      return { items, more: found.length > CHANGES };
    },
    undo: async (home, scope, n, edit, by) => done(await memory(home).undo(n, edit, [scope], { id: by.id, admin: true }, now())),
    forget: async (home, scope, id, by) =>
      done(await memory(home).forget(id, [scope], { id: by.id, admin: true }, now(), `console ${now()}`)),
    rewrite: (home, scope, before, after) => rewrite(on, home, scope, before, after),
  };
}

const done = (kept: Kept): Done =>
  kept.ok ? (kept.fresh ? { ok: true } : { ok: false, why: "That is done already." }) : { ok: false, why: kept.error };

/** Without the comments that say where a fact comes from. */
const shown = ({ before, after, why }: FactEdit): MemoryEdit => {
  const [old, now] = [before, after].map((line) => (line === null ? undefined : (factsIn(line)[0]?.fact.text ?? line)));
  return { why, ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) };
};

/** Within memory's own lock, so that nothing is lost to a change of the agent's. */
async function rewrite({ directory, memory }: MemoryOn, home: string, scope: Scope, before: string, given: string): Promise<Done> {
  const after = oneLine(given).replace(/^[-*] /, "");
  if (after.length > LONGEST) return { ok: false, why: `A line of memory has at most ${LONGEST} characters.` };
  if (!before && !after) return { ok: false, why: "There is nothing in this line." };
  const files = diskFiles(directory(home));
  const changed = await memory(home).book.change(scope, async ({ text }) => {
    const next = replaced(text, before, after);
    if (next === undefined) return "This line has changed since you opened the page. Load it again.";
    const content = new TextEncoder().encode(next);
    const written = await files.update(memoryPath(scope), () => content);
    const made = isError(written) && written.error === "file_not_found" ? await files.write(memoryPath(scope), content) : written;
    return isError(made) ? `MEMORY.md could not be written: ${made.detail}.` : null;
  });
  return changed.ok ? { ok: true } : { ok: false, why: changed.error };
}

const OWN = /^(\s*[-*] )(.*\S)(\s*)$/;

/** The text with one bullet of people's own changed, added (`before` is empty) or left out (`after` is empty). Undefined: it is not there. */
export function replaced(text: string, before: string, after: string): string | undefined {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  if (before === "") return `${text}${text === "" || text.endsWith("\n") ? "" : end}- ${after}${end}`;
  const lines = text.split(/(?<=\n)/);
  // What stands in a comment is no line of anybody's, and keeps its place meanwhile.
  const plain = text.replace(/<!--[\s\S]*?(-->|$)/g, (comment) => comment.replace(/[^\n]/g, "\0")).split(/(?<=\n)/);
  const at = plain.findIndex((line, i) => factsIn(lines[i] ?? "").length === 0 && OWN.exec(line.replaceAll("\0", ""))?.[2] === before);
  const line = at < 0 ? undefined : OWN.exec(lines[at] ?? "");
  if (!line) return undefined;
  return lines.with(at, after === "" ? "" : `${line[1]}${after}${line[3]}`).join("");
}
