/**
 * A person's traces in the memory files of a home: found first, taken out once the journal is rewritten.
 *
 * E1. Facts from and about them go, from every scope; the notes and facts of their direct messages go whole.
 * E2. In lines that people wrote themselves the words of the person are taken out where they are repeated to the letter, and their id is:
 *     the rest of the line stands. It is told which files have such lines.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { FactEdit } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { memoryFolder } from "../files/mounts.ts";
import { type Fact, factsIn, parseFacts } from "./facts.ts";
import { mark } from "./words.ts";

export interface Traces {
  words: string[];
  tells(edit: FactEdit): boolean;
  factsIn(edit: FactEdit): string[];
  tombstones: { scope: Scope; mark: string }[];
}

/** `scopes`: those whose memory there may be. `edits`: the history, since what was forgotten already may not come back either. */
export async function tracesOf(homeDir: string, person: string, files: readonly { scope: Scope; path: string }[]): Promise<Traces> {
  const tombstones: Traces["tombstones"] = [];
  const words: string[] = [];
  for (const { scope, path } of files) {
    const text = await readFile(join(homeDir, path), "utf8").catch(() => "");
    for (const { fact } of factsIn(text)) {
      if (!isOf(fact, person)) continue;
      tombstones.push({ scope, mark: mark(fact.text) });
      words.push(fact.text);
    }
  }
  const tells = ({ before, after }: FactEdit): boolean =>
    [before, after].some((line) => line !== null && factsIn(line).some(({ fact }) => isOf(fact, person)));
  const lines = ({ before, after }: FactEdit): string[] =>
    [before, after].flatMap((line) => (line === null ? [] : factsIn(line).map(({ fact }) => fact.text)));
  return { words, tells, factsIn: lines, tombstones };
}

const isOf = ({ by, about }: Fact, person: string): boolean => by === person || about === person;

/** What was done, in sentences. `clean` takes their words and id out of a text. */
export async function eraseFromFiles(homeDir: string, person: string, clean: (text: string) => string): Promise<string[]> {
  const told: string[] = [];
  const own = memoryFolder(`person:${person}`);
  await rm(join(homeDir, own), { recursive: true, force: true });
  for (const path of await filesBelow(homeDir, ["MEMORY.md", "memory"])) {
    const bytes = await readFile(join(homeDir, path));
    const text = bytes.toString("utf8");
    if (!path.endsWith("MEMORY.md")) {
      if (clean(text) !== text) {
        await rm(join(homeDir, path));
        told.push(`${path}: removed, it held words of this person.`);
      }
      continue;
    }
    told.push(...(await eraseLines(homeDir, path, text, person, clean)));
  }
  return told;
}

async function eraseLines(homeDir: string, path: string, text: string, person: string, clean: (text: string) => string): Promise<string[]> {
  const lines = text.split(/(?<=\n)/);
  const parsed = parseFacts(text);
  const gone = (index: number): boolean => {
    const line = parsed[index];
    return line?.kind === "fact" && (isOf(line.fact, person) || clean(line.text) !== line.text);
  };
  const kept = lines.filter((_, index) => !gone(index)).map(clean);
  const named = parsed.filter((line, index) => !gone(index) && clean(line.text) !== line.text).length;
  if (kept.join("") !== text) await writeFile(join(homeDir, path), kept.join(""));
  const removed = lines.length - kept.length;
  return [
    ...(removed > 0 ? [`${path}: ${removed} facts removed.`] : []),
    ...(named > 0 ? [`${path}: taken out of ${named} lines that people wrote themselves; look at them.`] : []),
  ];
}

/** Files of the home below some names, `.git` left out, as paths below the home. */
export async function filesBelow(homeDir: string, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    const full = join(homeDir, name);
    const entries = await readdir(full, { recursive: true, withFileTypes: true }).catch(() => undefined);
    if (!entries) {
      if (
        await readFile(full).then(
          () => true,
          () => false,
        )
      )
        found.push(name);
      continue;
    }
    for (const entry of entries) if (entry.isFile()) found.push(relative(homeDir, join(entry.parentPath, entry.name)));
  }
  return found.filter((path) => !path.split("/").includes(".git"));
}
