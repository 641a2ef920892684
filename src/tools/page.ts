/**
 * One page of a text, with line numbers, and where to read on. Pure.
 *
 * G1. Lines longer than 5,000 characters are shown in pieces (`7`, `7.1`, `7.2`) that joined are the line.
 * G2. Where a page ends is counted in lines of the file, and inside an over-long line in its pieces: who follows the notice misses nothing,
 *     sees nothing twice and always gets on.
 * G3. A page costs at most as much as 80,000 ASCII characters, in any script.
 */
import { weight } from "../core/tokens.ts";
import { count, cutAt, linesOf } from "./text.ts";

const PIECE = 5_000;
const PAGE = weight("x") * 80_000;
const GUTTER = 6;

export type Page = { ok: true; text: string } | { ok: false; error: string };

/** `offset` counts lines from 0, `part` pieces of that line from 0. */
export function page(text: string, offset: number, limit: number, part: number): Page {
  if (text.trim() === "")
    return { ok: true, text: text === "" ? "[The file is there and empty.]" : "[The file is there and holds only white space.]" };
  const lines = linesOf(text);
  const start = Math.max(0, offset);
  if (start >= lines.length) return { ok: false, error: `offset ${offset} is behind the end: the file has ${count(lines.length, "line")}` };
  if (limit <= 0)
    return { ok: true, text: `[No lines were read, because limit was ${limit}. The file has ${count(lines.length, "line")}.]` };
  const first = Math.max(0, part);
  if (first >= pieces(lines[start] ?? "").length) return { ok: false, error: `line ${start + 1} has no part ${part}` };
  const rows = fill(lines, start, Math.min(lines.length, start + limit), first);
  return { ok: true, text: [...rows.shown, ...notice(lines, offset, start, rows)].join("\n") };
}

interface Rows {
  shown: string[];
  /** The first line and piece that were not shown. */
  line: number;
  piece: number;
}

function fill(lines: readonly string[], start: number, end: number, part: number): Rows {
  const shown: string[] = [];
  let left = PAGE;
  for (let line = start; line < end; line++) {
    const all = pieces(lines[line] ?? "");
    for (let piece = line === start ? part : 0; piece < all.length; piece++) {
      const label = piece === 0 ? `${line + 1}` : `${line + 1}.${piece}`;
      const row = `${label.padStart(GUTTER)}\t${all[piece]}`;
      left -= weight(row) + weight("\n");
      if (left < 0) return { shown, line, piece };
      shown.push(row);
    }
  }
  return { shown, line: end, piece: 0 };
}

function pieces(line: string): string[] {
  if (line.length <= PIECE) return [line];
  const all: string[] = [];
  for (let from = 0; from < line.length; ) {
    const end = cutAt(line, Math.min(line.length, from + PIECE));
    all.push(line.slice(from, end));
    from = end;
  }
  return all;
}

function notice(lines: readonly string[], asked: number, start: number, { line, piece }: Rows): string[] {
  const clamped = asked < 0 ? [`[A negative offset was taken as 0.]`] : [];
  if (piece > 0) return ["", ...clamped, `[Line ${line + 1} of ${lines.length} goes on. Read on with offset=${line}, part=${piece}.]`];
  const left = lines.length - line;
  if (left > 0) return ["", ...clamped, `[Lines ${start + 1}-${line} of ${lines.length}; ${left} left. Read on with offset=${line}.]`];
  if (start > 0) return ["", ...clamped, `[Lines ${start + 1}-${line} of ${lines.length}: the end.]`];
  return clamped.length > 0 ? ["", ...clamped] : [];
}
