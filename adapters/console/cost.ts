/**
 * Whether a text can be read as Markdown in a time nobody notices. The parser's time grows with the square of the inline marks in one
 * paragraph, of the markers one line is nested by, and with the number of lines; a text beyond these is shown as it is.
 */
const LENGTH = 40_000;
const LINES = 2_000;
const MARKS = 1_000;
const NESTING = 20;

const MARK = /[*_~`[\]<!&\\@|]/g;
const MARKERS = /^(?:[ \t]*(?:>|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$)))*/;
const MARKER = />|[-+*]|\d+[.)]/g;
/** Only at the very edge: there no list or quote can end a fence before its own end. */
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

export function cheap(text: string): boolean {
  if (text.length > LENGTH) return false;
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.length > LINES) return false;
  let marks = 0;
  let fence: string | undefined;
  for (const line of lines) {
    const [, ticks, tildes] = FENCE.exec(line) ?? [];
    const edge = ticks ?? tildes;
    const code = fence !== undefined || edge !== undefined;
    // Marks in code are no marks: each line of it is for itself.
    marks = line.trim() === "" ? 0 : (code ? 0 : marks) + count(line, MARK);
    if (marks > MARKS || (!code && count(MARKERS.exec(line)?.[0] ?? "", MARKER) > NESTING)) return false;
    if (fence === undefined) fence = edge;
    else if (edge?.startsWith(fence) && line.trim() === edge) fence = undefined;
  }
  return true;
}
