/** A person's words on the console's board: their messages, and what the agent posted behind them in the same threads. */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootOf } from "../core/id.ts";
import type { ErasedJournal } from "../store/erase.ts";

const GONE = "[erased]";
interface Line {
  kind?: unknown;
  thread?: unknown;
  person?: unknown;
  slot?: { view?: unknown; file?: unknown };
  /** Under which the files of a message, or of a post, are kept. */
  files?: unknown;
  file?: unknown;
}

export async function eraseFromBoard(folder: string, { wanted, touched }: Pick<ErasedJournal, "wanted" | "touched">): Promise<string[]> {
  const file = join(folder, "board.jsonl");
  const before = await readFile(file, "utf8").catch(() => undefined);
  await rm(`${file}.new`, { force: true });
  if (before === undefined) return [];
  const threads = new Set(
    touched
      .map(({ root }) => rootOf(root))
      .filter((root) => root.startsWith("console:"))
      .map((root) => root.split(":").at(-1)),
  );
  for (const id of before.split("\n").flatMap((line) => filesOf(parsed(line), wanted.person, threads)))
    await rm(join(folder, "files", id), { force: true });
  const after = before
    .split("\n")
    .map((line) => (line === "" ? line : cleaned(line, wanted, threads)))
    .join("\n");
  if (after === before) return [];
  await writeFile(`${file}.new`, after, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return [`${file}: this person's messages and what was answered to them were taken out.`];
}

function cleaned(line: string, { person, clean, unnamed }: ErasedJournal["wanted"], threads: ReadonlySet<string | undefined>): string {
  const entry = parsed(line);
  // What cannot be read may hold anything.
  if (!entry) return "";
  const bare = typeof entry.thread === "string" && threads.has(entry.thread) ? withoutView(entry) : entry;
  const own = bare.kind === "message" && bare.person === person;
  return JSON.stringify(each(own ? { ...bare, text: GONE, files: undefined } : bare, clean, unnamed));
}

const withoutView = (entry: Line): Line =>
  entry.slot
    ? { ...entry, file: undefined, slot: { ...entry.slot, file: undefined, view: { parts: [{ kind: "note", text: GONE }], buttons: [] } } }
    : entry;

/** What they uploaded, and what was posted in their threads. */
function filesOf(entry: Line | undefined, person: string, threads: ReadonlySet<string | undefined>): string[] {
  const own = entry?.kind === "message" && entry.person === person && Array.isArray(entry.files) ? entry.files : [];
  const posted = typeof entry?.thread === "string" && threads.has(entry.thread) ? [{ id: entry.file }] : [];
  return [...own, ...posted].flatMap(({ id }: { id?: unknown }) => (typeof id === "string" && /^f[0-9a-f]{32}$/.test(id) ? [id] : []));
}

const OWN = new Set(["id", "thread", "key", "kind", "person", "code", "act", "digest"]);

function each(value: unknown, clean: (text: string) => string, own: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => each(item, clean, own));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    typeof item === "string" && OWN.has(key) ? own(item) : each(item, clean, own),
  ]);
  return Object.fromEntries(entries);
}

function parsed(line: string): Line | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return entry !== null && typeof entry === "object" ? entry : undefined;
  } catch {
    return undefined;
  }
}
