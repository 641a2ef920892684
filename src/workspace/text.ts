/**
 * Reads a home's text files as people keep them: AGENTS.md, KNOWLEDGE.md, policy.json and their like.
 *
 * W1. Nothing is read from outside the home, whatever links say; and no link leads into what belongs to other scopes (memory, agents, .git).
 * W2. Never throws: a file that cannot be used counts as missing, with a sentence about what is wrong and what mends it.
 * W3. A file that did not change gives the same text, and is not read again.
 */
import { constants, statSync } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** Larger files would crowd everything else out of the prompt. */
export const TEXT_LIMIT = 200 * 1024;

export interface Problem {
  file: string;
  /** A sentence for people. */
  what: string;
  /** Changes when the file does, so that each state of it is reported once. */
  version: string;
}
export interface Text {
  /** Undefined: there is no such file, or it cannot be used. */
  text: string | undefined;
  problem: Problem | undefined;
}
interface Seen {
  version: string;
  text: Text;
}

const CLOSED = ["memory", "agents", ".git"];
const MISSING: Text = { text: undefined, problem: undefined };
/** Two writes within one tick of the file system's clock look alike, so a file this young is read again. */
const YOUNG = 100;

/** A reader for the files below one home, with its own cache. */
export function openTexts(root: string): (file: string) => Promise<Text> {
  const cache = new Map<string, Seen>();
  return async (file) => {
    try {
      const seen = await look(root, file, cache.get(file));
      cache.set(file, seen);
      return seen.text;
    } catch (error) {
      cache.delete(file);
      return codeOf(error) === "ENOENT" ? MISSING : useless(file, `cannot be read (${codeOf(error)})`, codeOf(error));
    }
  };
}

async function look(root: string, file: string, before: Seen | undefined): Promise<Seen> {
  // The same file at the same age is the one that was checked, whatever leads to it. Waiting for so little would cost ten times as much.
  if (before && before.version === versionOf(join(root, file)).version) return before;
  const [home, real] = await Promise.all([realpath(root), realpath(join(root, file))]);
  const inside = relative(home, real);
  if (!isInside(inside) || isDetour(file, inside)) {
    return { version: real, text: useless(file, "is a link to a place it may not lead to; put the file itself there", real) };
  }
  const { version, young } = versionOf(real);
  const text = await readText(real, file, version);
  return { version: young ? `${version} young` : version, text };
}

const isInside = (path: string): boolean => path !== ".." && !path.startsWith(`..${sep}`) && !path.startsWith(sep);
/** A link may not lead into a closed folder that its own path does not name. */
const isDetour = (file: string, inside: string): boolean => {
  const top = inside.split(sep, 1)[0] ?? "";
  return CLOSED.includes(top) && file.split("/", 1)[0] !== top;
};

/** Which state of a file this is; `young`: it may change again without this being seen, so the state is not to be kept. */
export function versionOf(path: string): { version: string; young: boolean } {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
  return { version: `${dev}.${ino}.${size}.${mtimeMs}.${ctimeMs}`, young: Date.now() - ctimeMs < YOUNG };
}

async function readText(path: string, file: string, version: string): Promise<Text> {
  // Neither follows a link that was put there after the check, nor waits for a pipe's other end.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (found.isDirectory()) return useless(file, "is a folder, not a file", version);
    if (!found.isFile()) return useless(file, "is not a regular file", version);
    const bytes = await firstBytes(handle, TEXT_LIMIT + 1);
    const cut = bytes.length > TEXT_LIMIT;
    const text = decode(cut ? bytes.subarray(0, TEXT_LIMIT) : bytes, cut);
    if (text === undefined) return useless(file, "is not text in UTF-8; save it in that encoding", version);
    if (!cut) return { text, problem: undefined };
    const size = `${Math.ceil(found.size / 1024)} KB long, and only the first ${TEXT_LIMIT / 1024} KB are read`;
    return {
      text: `${text}\n\n[${file} goes on: it is ${size}.]\n`,
      problem: { file, what: `${file} is ${size}; shorten it.`, version },
    };
  } finally {
    await handle.close();
  }
}

async function firstBytes(handle: FileHandle, limit: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(limit);
  let filled = 0;
  while (filled < limit) {
    const { bytesRead } = await handle.read(buffer, filled, limit - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Without its byte order mark; undefined if it is not text. A character that the limit cut in two is left out. */
function decode(bytes: Uint8Array, cut: boolean): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut });
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

const useless = (file: string, what: string, version: string): Text => ({
  text: undefined,
  problem: { file, what: `${file} ${what}.`, version },
});

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : String(error);
