/**
 * The files of a home as the operator edits them.
 *
 * F1. Only what makes up the agent is here: never memory of private scopes, journals or a `.git`.
 * F2. A text is written over the one that was edited, or not at all: a file that changed meanwhile is told, and stays.
 * F3. policy.json, tools.json, skills and helpers are read by the parsers that read them at every turn; what these would refuse is not
 *     written, and whoever types is told where the mistake is.
 * F4. A file keeps its line breaks and its byte order mark.
 */
import { createHash } from "node:crypto";
import type { Speaker } from "../core/event.ts";
import type { FileError, Files, OpenedFile, OperatorFiles } from "../core/ports.ts";
import { diskFiles } from "../files/disk.ts";
import { components, normalise } from "../files/path.ts";
import { isError } from "../files/refusal.ts";
import { unified } from "../workspace/unified.ts";
import { check } from "./check.ts";

export interface FilesOf {
  directory(home: string): string;
  /** Announces a change to the home's history; call what it gives back with whether it happened. */
  changing?(home: string, change: Change, by: Speaker): (happened: boolean) => void;
}
export interface Change {
  path: string;
  /** Undefined: no file. */
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
}
type Announce = (change: Change) => (happened: boolean) => void;

const OWN = new Set(["AGENTS.md", "KNOWLEDGE.md", "MEMORY.md", "tools.json", "policy.json", "skills", "subagents", "files"]);
const LISTED = 20_000;
/** Larger texts are for an editor on the disk. */
const EDITED = 400_000;
const CHANGED = "This file has changed since you opened it. Copy your text, load the page again, and look at what is new.";

export function operatorFiles({ directory, changing }: FilesOf): OperatorFiles {
  const filesOf = (home: string): Files => diskFiles(directory(home), { allow: isOwn });
  const announce =
    (home: string, by: Speaker): Announce =>
    (change) =>
      changing?.(home, change, by) ?? (() => undefined);
  return {
    async list(home) {
      const found = await filesOf(home).walk("/", LISTED);
      if (isError(found)) return { files: [], truncated: false };
      const files = found.files.filter(({ path }) => !path.endsWith("/.gitkeep"));
      return { files: files.map(({ path, size }) => ({ path: path.slice(1), size })), truncated: found.truncated };
    },
    read: (home, given) => within(given, (path) => opened(filesOf(home), path)),
    check: (home, given, text) =>
      within(given, async (path) => {
        const before = await opened(filesOf(home), path);
        return { ...check(path, text), diff: unified(path.slice(1), "error" in before ? "" : (before.text ?? ""), text) };
      }),
    async write(home, given, text, version, by) {
      const path = pathOf(given);
      if (typeof path !== "string") return { ok: false, why: path.error };
      const { problem } = check(path, text);
      if (problem) return { ok: false, why: `Not saved. ${problem}` };
      if (Buffer.byteLength(text) > EDITED)
        return { ok: false, why: `This is too large to be edited here: ${EDITED / 1000} KB are the most.` };
      const put = version === "" ? begin : replace;
      const wrong = await put(filesOf(home), path, text, version, announce(home, by));
      return wrong === undefined ? { ok: true } : { ok: false, why: wrong };
    },
    async remove(home, given, by) {
      const path = pathOf(given);
      if (typeof path !== "string") return { ok: false, why: path.error };
      const files = filesOf(home);
      const before = await files.read(path);
      if (isError(before)) return { ok: false, why: sentence(path, before) };
      const happened = announce(home, by)({ path: path.slice(1), before, after: undefined });
      const removed = await files.remove(path);
      happened(!isError(removed));
      return isError(removed) ? { ok: false, why: sentence(path, removed) } : { ok: true };
    },
  };
}

function isOwn(path: string): boolean {
  const names = components(path);
  return (names.length === 0 || OWN.has(names[0] ?? "")) && !names.some((name) => name.toLowerCase() === ".git");
}

function pathOf(given: string): string | { error: string } {
  const path = normalise(given);
  if (!path.ok) return { error: `This path cannot be used: ${path.error}.` };
  const top = components(path.path)[0];
  if (top === undefined) return { error: "A file needs a name." };
  if (!isOwn(path.path)) return { error: `${given} is no file of a home. There are ${[...OWN].join(", ")}.` };
  return path.path;
}

async function within<T>(given: string, work: (path: string) => Promise<T>): Promise<T | { error: string }> {
  const path = pathOf(given);
  return typeof path === "string" ? work(path) : path;
}

const sentence = (path: string, { detail }: FileError): string => `${path.slice(1)}: ${detail}.`;
const versionOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("base64url").slice(0, 22);

async function opened(files: Files, path: string): Promise<OpenedFile | { error: string }> {
  const content = await files.read(path);
  if (isError(content)) return { error: sentence(path, content) };
  return {
    path: path.slice(1),
    text: content.byteLength > EDITED ? undefined : textOf(content),
    size: content.byteLength,
    version: versionOf(content),
  };
}

/** As a text area has it; undefined if it is not text. */
function textOf(content: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return text.includes("\0") ? undefined : text.replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}

/** A file that is new. What is wrong, if so. */
async function begin(files: Files, path: string, text: string, _version: string, announce: Announce): Promise<string | undefined> {
  const there = await files.read(path);
  if (!isError(there)) return "There is such a file already. Open it instead.";
  if (there.error !== "file_not_found") return sentence(path, there);
  const after = new TextEncoder().encode(text);
  const happened = announce({ path: path.slice(1), before: undefined, after });
  const written = await files.write(path, after);
  happened(!isError(written));
  return isError(written) ? sentence(path, written) : undefined;
}

/** A text in the place of the one that was edited. What is wrong, if so. */
async function replace(files: Files, path: string, text: string, version: string, announce: Announce): Promise<string | undefined> {
  let stale = false;
  const announced: ((happened: boolean) => void)[] = [];
  const written = await files.update(path, (before) => {
    stale = versionOf(before) !== version;
    if (stale) return null;
    const after = likeBefore(before, text);
    announced.push(announce({ path: path.slice(1), before, after }));
    return after;
  });
  // If another program kept changing the file, it was tried several times; only the last can have happened.
  for (const [i, happened] of announced.entries()) happened(!isError(written) && i === announced.length - 1);
  if (isError(written)) return sentence(path, written);
  return stale ? CHANGED : undefined;
}

function likeBefore(before: Uint8Array, text: string): Uint8Array {
  const old = new TextDecoder("utf-8", { ignoreBOM: true }).decode(before);
  const mark = old.startsWith("\ufeff") ? "\ufeff" : "";
  const lines = text.replaceAll("\r\n", "\n");
  return new TextEncoder().encode(mark + (old.includes("\r\n") ? lines.replaceAll("\n", "\r\n") : lines));
}
