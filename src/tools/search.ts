/** Looks for a literal text in files, in their order and within bounds. */
import type { FileInfo, Files } from "../core/ports.ts";
import { isError } from "../files/refusal.ts";
import { cutAt, decode, linesOf } from "./text.ts";

const LARGEST = 10 * 1024 * 1024;
const MILLISECONDS = 10_000;
const SHOWN = 500;
const SIDE_BY_SIDE = 16;

export interface Match {
  path: string;
  /** From 1. */
  line: number;
  text: string;
}
export interface Found {
  matches: Match[];
  /** Stopped because as many matches were found as were asked for. */
  full: boolean;
  /** Stopped because it took too long. */
  late: boolean;
  /** Files that were not searched. */
  skipped: number;
}

/** `first`: one match in a file is enough. */
export async function search(
  tree: Files,
  files: readonly FileInfo[],
  wanted: string,
  { max, first, signal }: { max: number; first: boolean; signal: AbortSignal },
): Promise<Found> {
  const until = performance.now() + MILLISECONDS;
  const found: Found = { matches: [], full: false, late: false, skipped: 0 };
  for (const batch of batches(files)) {
    if (signal.aborted || performance.now() > until) return { ...found, late: true };
    const texts = await Promise.all(batch.map((file) => textOf(tree, file)));
    for (const [index, text] of texts.entries()) {
      if (text === undefined) found.skipped++;
      if (!text?.includes(wanted)) continue;
      for (const match of matchesIn(batch[index]?.path ?? "", text, wanted)) {
        // One more than asked for is needed to know that there was more.
        if (found.matches.length >= max) return { ...found, full: true };
        found.matches.push(match);
        if (first) break;
      }
    }
  }
  return found;
}

/** Files to be read side by side: many small ones, or one large. */
function* batches(files: readonly FileInfo[]): Generator<FileInfo[]> {
  let batch: FileInfo[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length > 0 && (batch.length >= SIDE_BY_SIDE || bytes + file.size > LARGEST)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(file);
    bytes += Math.min(file.size, LARGEST);
  }
  if (batch.length > 0) yield batch;
}

async function textOf(tree: Files, { path, size }: FileInfo): Promise<string | undefined> {
  if (size > LARGEST) return undefined;
  const content = await tree.read(path);
  const text = isError(content) ? undefined : decode(content);
  return text?.ok ? text.text : undefined;
}

function* matchesIn(path: string, text: string, wanted: string): Generator<Match> {
  for (const [index, line] of linesOf(text).entries())
    if (line.includes(wanted)) yield { path, line: index + 1, text: around(line, wanted) };
}

/** The part of an over-long line in which the text is. */
function around(line: string, wanted: string): string {
  if (line.length <= SHOWN) return line;
  const from = cutAt(line, Math.max(0, line.indexOf(wanted) - SHOWN / 4));
  const end = cutAt(line, Math.min(line.length, from + SHOWN));
  return `${from > 0 ? "…" : ""}${line.slice(from, end)}${end < line.length ? "…" : ""}`;
}
