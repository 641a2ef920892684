/**
 * What a call of a file tool would change, as people are shown it before they decide: the diff of the file as it is now.
 *
 * Undefined where there is no text to compare: then people are shown the input.
 */
import type { ToolContext } from "../core/ports.ts";
import { isError } from "../files/refusal.ts";
import { unified } from "../workspace/unified.ts";
import type { FilesFor } from "./read-files.ts";
import { type Change, substitute } from "./substitute.ts";
import { count, decode } from "./text.ts";

const LISTED = 200;

export async function wouldWrite(filesFor: FilesFor, path: string, content: string, context: ToolContext): Promise<string | undefined> {
  const before = await filesFor(context).read(path);
  if (isError(before)) return before.error === "file_not_found" ? unified(path, undefined, content) : undefined;
  const text = decode(before);
  return text.ok ? unified(path, text.text, content) || `${path} stays as it is.` : undefined;
}

export async function wouldEdit(filesFor: FilesFor, path: string, change: Change, context: ToolContext): Promise<string | undefined> {
  const before = await filesFor(context).read(path);
  if (isError(before)) return `${path}: ${before.detail}. Nothing would change.`;
  const text = decode(before);
  const outcome = text.ok ? substitute(text.text, change) : undefined;
  if (!text.ok || !outcome) return undefined;
  if (outcome.kind === "changed") return unified(path, text.text, outcome.text);
  return outcome.kind === "refused" ? `${path}: ${outcome.why}. Nothing would change.` : `${path} stays as it is.`;
}

export async function wouldDelete(filesFor: FilesFor, path: string, context: ToolContext): Promise<string | undefined> {
  const files = filesFor(context);
  const before = await files.read(path);
  if (!isError(before)) {
    const text = decode(before);
    return text.ok ? unified(path, text.text, undefined) : `Deletes ${path} (${count(before.byteLength, "byte")}, not text).`;
  }
  if (before.error !== "is_directory") return undefined;
  const found = await files.walk(path, LISTED);
  if (isError(found)) return undefined;
  const lines = found.files.map(({ path: each, size }) => `- ${each} (${count(size, "byte")})`);
  return [`Deletes the folder ${path} with ${found.truncated ? `more than ${LISTED} files` : count(lines.length, "file")}:`, ...lines].join(
    "\n",
  );
}
