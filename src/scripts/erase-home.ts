/** A person's words in the files of a home: taken out where they are repeated to the letter; a file that is no text goes whole. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { filesBelow } from "../memory/erase.ts";
import type { ErasedJournal } from "../store/erase.ts";
import { SOMEBODY } from "../store/redact.ts";
import type { Cleaning } from "../workspace/rewrite.ts";

const FILES = ["AGENTS.md", "KNOWLEDGE.md", "skills", "subagents", "files"];
const PEOPLES = ["tools.json", "policy.json"];
const GONE = "[erased]";

export function cleaning({ clean, alias, names }: ErasedJournal["wanted"]): Cleaning {
  return {
    cause: (cause) => ({
      ...cause,
      ...(cause.by?.id === alias ? { by: { ...cause.by, name: SOMEBODY } } : {}),
      ...(cause.approved ? { approved: cause.approved.map((name) => (names.has(name) ? SOMEBODY : name)) } : {}),
    }),
    text: clean,
    content: (path, bytes) => (PEOPLES.includes(path) ? bytes : cleanBytes(bytes, clean)),
    path: (path) => cleanPath(path, clean),
  };
}

/** What was done, in sentences. */
export async function eraseFromHome(dir: string, clean: (text: string) => string): Promise<string[]> {
  const told: string[] = [];
  for (const path of await filesBelow(dir, FILES)) {
    const bytes = await readFile(join(dir, path));
    const [cleaned, to] = [cleanBytes(bytes, clean), cleanPath(path, clean)];
    if (cleaned === bytes && to === path) continue;
    if (cleaned !== bytes) await replace(join(dir, path), cleaned);
    if (to !== path) {
      await mkdir(dirname(join(dir, to)), { recursive: true });
      await rename(join(dir, path), join(dir, to));
    }
    told.push(`${to}: this person's id and words were taken out; look at it.`);
  }
  for (const path of PEOPLES)
    if (await holds(join(dir, path), clean)) told.push(`${path}: names this person or repeats their words; it is for people to change.`);
  return told;
}

export async function holds(file: string, clean: (text: string) => string): Promise<boolean> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  return cleanBytes(bytes, clean) !== bytes;
}

async function replace(file: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${file}.erasing`, bytes);
  await rename(`${file}.erasing`, file);
  await rm(`${file}.erasing`, { force: true });
}

/** The same object if nothing in it changes. */
function cleanBytes<B extends Uint8Array>(bytes: B, clean: (text: string) => string): B | Uint8Array {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const cleaned = clean(text);
  const wide = new TextDecoder("utf-16le").decode(bytes);
  if (cleaned === text && clean(wide) === wide) return bytes;
  const isText = !bytes.includes(0) && Buffer.from(text, "utf8").equals(bytes);
  return new TextEncoder().encode(isText ? cleaned : `${GONE}\n`);
}

const cleanPath = (path: string, clean: (text: string) => string): string =>
  path
    .split("/")
    .map((name) => clean(name).replaceAll(GONE, "erased"))
    .join("/");
