/**
 * Cutting a long text into parts that each stand for themselves.
 *
 * P1. The slices joined are the text: nothing is lost or doubled. Boundaries are recorded before the first part is sent.
 * P2. A fence that a boundary cuts is closed before it and reopened behind it, with its language.
 * P3. Cut at a paragraph, else a line, a sentence, a word; never inside a grapheme.
 */
const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\n`]*)$/;
const MARKS = /^[ \t]{0,3}(`{3}|~{3})/;
/** Room kept for closing and reopening a fence. */
const ROOM = 80;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Boundaries (offsets into `text`, the end not among them) so that each part, fences mended, is at most `limit` characters. */
export function cut(text: string, limit: number): number[] {
  const cuts: number[] = [];
  for (let from = 0; ; ) {
    const open = fenceAt(text, from);
    const room = limit - (open ? open.length + 1 : 0);
    if (text.length - from <= room) return cuts;
    from = boundary(text, from, Math.max(room - ROOM, 1));
    cuts.push(from);
  }
}

/** Characters of the beginning of an answer that goes on as a file. */
const BEGINNING = 1_200;
/** Where the beginning of a long text ends that is shown before the whole of it. */
export const beginning = (text: string): number => cut(text, BEGINNING)[0] ?? text.length;

/** One part as it is shown. */
export function part(text: string, cuts: readonly number[], index: number): string {
  const from = index === 0 ? 0 : (cuts[index - 1] ?? text.length);
  const to = cuts[index] ?? text.length;
  const opened = fenceAt(text, from);
  const closed = fenceAt(text, to);
  const slice = text.slice(from, to);
  const head = opened ? `${opened}\n` : "";
  const tail = closed && to < text.length ? `${slice.endsWith("\n") ? "" : "\n"}${/^\s*(`+|~+)/.exec(closed)?.[1] ?? "```"}` : "";
  return head + (opened ? slice.replace(/^\n/, "") : slice.replace(/^\n+/, "")) + tail;
}

/** The opening line of the fence that is open at an offset, if one is. */
function fenceAt(text: string, offset: number): string | undefined {
  let open: { line: string; mark: string } | undefined;
  for (let at = 0; at < Math.min(offset, text.length); ) {
    const end = text.indexOf("\n", at);
    const stop = end < 0 ? text.length : end;
    if (stop >= offset) break;
    const line = text.slice(at, stop);
    const mark = FENCE.exec(line)?.[1];
    if (mark && !open) open = { line: line.length > ROOM / 2 ? mark : line.trimStart(), mark };
    else if (mark && open && mark[0] === open.mark[0] && mark.length >= open.mark.length && line.trim() === mark) open = undefined;
    at = stop + 1;
  }
  return open?.line;
}

function boundary(text: string, from: number, room: number): number {
  const back = (at: number) => text.lastIndexOf(" ", at - 2) + 1;
  const word = beforeMarks(text, from, goodPlace(text, from, room), back);
  const at = word ?? beforeMarks(text, from, from + room, (it) => it - 1) ?? from + room;
  // Where a grapheme begins at or before that place; one that is longer than the room has to be cut.
  const start = graphemes.segment(text.slice(from, from + room + 2)).containing(at - from)?.index ?? 0;
  return start > 0 ? from + start : at;
}

/** Marks in the middle of a line would open or close a fence if a part began with them: the place moves back before what they follow. */
function beforeMarks(text: string, from: number, place: number, back: (at: number) => number): number | undefined {
  let at = place;
  while (at > from && text[at - 1] !== "\n" && MARKS.test(text.slice(at, at + 6))) at = back(at);
  return at > from ? at : undefined;
}

function goodPlace(text: string, from: number, room: number): number {
  const window = text.slice(from, from + room);
  const least = Math.floor(room / 3);
  const paragraph = window.lastIndexOf("\n\n") + 2;
  if (paragraph - 2 >= least && !fenceAt(text, from + paragraph)) return from + paragraph;
  const line = window.lastIndexOf("\n") + 1;
  if (line - 1 >= least) return from + line;
  const sentence = Math.max(...[". ", "! ", "? ", "。"].map((stop) => window.lastIndexOf(stop) + stop.length));
  if (sentence > least) return from + sentence;
  const word = window.lastIndexOf(" ") + 1;
  if (word - 1 >= least) return from + word;
  return from + room;
}
