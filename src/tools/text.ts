/**
 * Bytes as text, for tools that show and change it. Only `\n` and `\r\n` break lines. A byte order mark is kept apart: it is not shown
 * and not lost.
 */
export type Text = { ok: true; text: string; mark: boolean } | { ok: false; why: string };

const MARK = "\uFEFF";
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decode(bytes: Uint8Array): Text {
  if (bytes.includes(0)) return { ok: false, why: "this is not a text file" };
  try {
    const text = decoder.decode(bytes);
    return text.startsWith(MARK) ? { ok: true, text: text.slice(1), mark: true } : { ok: true, text, mark: false };
  } catch {
    return { ok: false, why: "this is not a text file in UTF-8" };
  }
}

export const encode = (text: string, mark = false): Uint8Array => new TextEncoder().encode(mark ? MARK + text : text);

/** A break at the end begins no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Where to cut so that no character of two halves is split. */
export function cutAt(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  const splits = end < text.length && end > 1 && code >= 0xd800 && code <= 0xdbff;
  return splits ? end - 1 : end;
}

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
