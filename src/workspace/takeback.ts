/**
 * Taking changes of a home back: each file three-way, what the change did undone in what the file is now.
 *
 * T1. All of it or nothing: everything is worked out before the first file is written, a file that cannot be written puts back the
 *     others, and a crash in the middle is finished at the next start.
 * T2. Where somebody has changed the same lines since, nothing is done, and the file and its lines are named.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cause } from "../core/ports.ts";
import { isError } from "../files/refusal.ts";
import { merged } from "./merged.ts";
import { messageOf, readMessage } from "./message.ts";
import { isProgram, type Kept, keptAs, oidIn, oidOf, type Repository } from "./repository.ts";
import { isTooLarge, type Scan } from "./scan.ts";

interface On {
  repository: Repository;
  scan: Scan;
}
interface File {
  bytes: Uint8Array;
  program: boolean;
}
/** Undefined: no file. */
type Content = File | undefined;
interface Step {
  path: string;
  before: Content;
  after: Content;
}
interface Plan {
  commit: string;
  parent: string;
  files: { path: string; before: Kept | null; after: Kept | null }[];
}
type Worked = { ok: true; content: Content } | { ok: false; why: string };

const planFile = ({ repository }: On): string => join(repository.gitdir, "undo.json");
const nameOf = (content: Content): Kept | null => (content ? keptAs(oidOf(content.bytes), content.program) : null);

export async function undo(
  on: On,
  ids: readonly string[],
  by: { id: string; name: string },
  at: number,
): Promise<{ ok: true; id: string } | { ok: false; why: string }> {
  const { repository } = on;
  const head = await repository.head();
  const found = await worked(on, ids);
  if (!found.ok) return found;
  const steps = found.steps.filter(({ before, after }) => nameOf(before) !== nameOf(after));
  if (head === undefined || steps.length === 0) return { ok: false, why: "This has been taken back already." };
  const files = await repository.files((await repository.read(head)).tree);
  for (const { path, after } of steps) {
    if (after) files.set(path, await repository.keep(after.bytes, after.program));
    else files.delete(path);
  }
  const cause: Cause = { kind: "undo", text: `Took back: ${found.texts.join("; ")}`, by, at, undoes: [...ids] };
  const { message, author } = messageOf(cause);
  const commit = await repository.commit(await repository.write(files), head, message, author, at);
  const named = steps.map(({ path, before, after }) => ({ path, before: nameOf(before), after: nameOf(after) }));
  await writePlan(on, { commit, parent: head, files: named });
  const wrong = await carryOut(on, steps);
  if (!wrong) await repository.moveTo(commit);
  await rm(planFile(on), { force: true });
  return wrong ? { ok: false, why: wrong } : { ok: true, id: commit };
}

/** What every file would be afterwards; or why that cannot be said. */
async function worked(on: On, ids: readonly string[]): Promise<{ ok: true; steps: Step[]; texts: string[] } | { ok: false; why: string }> {
  const { repository, scan } = on;
  const steps = new Map<string, Step>();
  const texts: string[] = [];
  for (const id of ids) {
    const saved = await repository.find(id);
    const before = saved?.parent === undefined ? undefined : await repository.find(saved.parent);
    if (!saved || !before) return { ok: false, why: "There is nothing before this change in the history to go back to." };
    texts.push(readMessage(saved.message).text);
    for (const { path, a, b } of await repository.changed(before.tree, saved.tree)) {
      const now = await onDisk(scan, path);
      if (now === null) return { ok: false, why: `${path} cannot be read now.` };
      const step = steps.get(path) ?? { path, before: now, after: now };
      const [base, target] = await Promise.all([b, a].map((kept) => kept && inHistory(repository, kept)));
      const content = back(path, step.after, base, target);
      if (!content.ok) return content;
      steps.set(path, { ...step, after: content.content });
    }
  }
  return { ok: true, steps: [...steps.values()], texts };
}

/** Null: it cannot be read now. */
async function onDisk(scan: Scan, path: string): Promise<Content | null> {
  const bytes = await scan.look(path);
  return bytes && { bytes, program: await scan.program(path) };
}
const inHistory = async (repository: Repository, kept: Kept): Promise<File> => ({
  bytes: await repository.blob(kept),
  program: isProgram(kept),
});

/** `now` without the change from `target` to `base`. */
function back(path: string, now: Content, base: Content, target: Content): Worked {
  if ([now, base, target].some((content) => content && isTooLarge(content.bytes)))
    return { ok: false, why: `${path} is too large: its earlier content was not kept.` };
  if (nameOf(now) === nameOf(target) || nameOf(now) === nameOf(base)) return { ok: true, content: target };
  if (!now) return { ok: false, why: `${path} has been deleted since.` };
  if (!base) return { ok: false, why: `${path} has been made anew since.` };
  if (!target) return { ok: false, why: `${path} was new then, and has been changed since; delete it by hand if it should go.` };
  // Whether it can be run goes its own way.
  const program = now.program === base.program ? target.program : now.program;
  const same = (a: File, b: File): boolean => oidOf(a.bytes) === oidOf(b.bytes);
  if (same(now, base)) return { ok: true, content: { bytes: target.bytes, program } };
  if (same(base, target)) return { ok: true, content: { bytes: now.bytes, program } };
  const [ours, old, wanted] = [now, base, target].map(({ bytes }) => textOf(bytes));
  if (ours === undefined || old === undefined || wanted === undefined)
    return { ok: false, why: `${path} has been changed since, and is no text in which the two changes could be told apart.` };
  const result = merged(ours, old, wanted);
  if (result.ok) return { ok: true, content: { bytes: new TextEncoder().encode(result.text), program } };
  const lines = result.lines.slice(0, 5).join(", ");
  return {
    ok: false,
    why: `${path} has been changed in the same place since (around line ${lines}). Mend it by hand, or take back the later change first.`,
  };
}

function textOf(content: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Why it could not be done; then nothing is. */
async function carryOut(on: On, steps: readonly Step[]): Promise<string | undefined> {
  for (const [index, { path, after }] of steps.entries()) {
    const wrong = await put(on, path, after);
    if (wrong === undefined) continue;
    for (const done of steps.slice(0, index)) await put(on, done.path, done.before);
    return `${path}: ${wrong}.`;
  }
  return undefined;
}

async function put({ scan }: On, path: string, content: Content): Promise<string | undefined> {
  const { files } = scan;
  const done = content ? await files.write(`/${path}`, content.bytes) : await files.remove(`/${path}`);
  if (isError(done) && (content || done.error !== "file_not_found")) return done.detail;
  if (!content || (await scan.program(path)) === content.program) return undefined;
  return scan.setProgram(path, content.program).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

async function writePlan(on: On, plan: Plan): Promise<void> {
  await mkdir(on.repository.gitdir, { recursive: true });
  await writeFile(planFile(on), JSON.stringify(plan), { flush: true });
}

/** After a crash: what was begun is done, but for files that somebody has changed meanwhile. */
export async function finishUndo(on: On): Promise<void> {
  const text = await readFile(planFile(on), "utf8").catch(() => undefined);
  if (text === undefined) return;
  try {
    const { commit, parent, files }: Plan = JSON.parse(text);
    const { repository, scan } = on;
    const tree = await repository.files((await repository.read(commit)).tree);
    for (const { path, before } of files) {
      const now = await onDisk(scan, path);
      const kept = tree.get(path);
      const begun = now && kept && oidOf(now.bytes) === oidIn(kept);
      if (now === null || (nameOf(now) !== before && !begun)) continue;
      await put(on, path, kept && (await inHistory(repository, kept)));
    }
    if ((await repository.head()) === parent) await repository.moveTo(commit);
  } catch {
    // A plan that was only half written was not begun to be carried out.
  }
  await rm(planFile(on), { force: true });
}
