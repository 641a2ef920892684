/**
 * A file as it may leave the product: text is masked like all text, bytes that are no text are looked through.
 *
 * B1. What is in a text in the shape of a secret is masked, and how often is counted, so that it can be said.
 * B2. In other files nothing can be masked without breaking them: one that shows a secret is not sent. What is packed or encrypted in it is not seen.
 */
import { MASK } from "../core/scrub.ts";
import { decode, encode } from "./text.ts";

export type Sendable = { ok: true; bytes: Uint8Array; masked: number } | { ok: false };

export async function sendable(bytes: Uint8Array, scrub: (text: string) => string): Promise<Sendable> {
  const read = decode(bytes);
  if (!read.ok) return (await shows(bytes, scrub)) ? { ok: false } : { ok: true, bytes, masked: 0 };
  const text = scrub(read.text);
  if (text === read.text) return { ok: true, bytes, masked: 0 };
  return { ok: true, bytes: encode(text, read.mark), masked: Math.max(1, times(text) - times(read.text)) };
}

const times = (text: string): number => text.split(MASK).length - 1;

/** So much is looked through at a time, so that the loop is never held for long; pieces overlap by more than the longest secret. */
const PIECE = 512 * 1024;
const OVERLAP = 16 * 1024;

async function shows(bytes: Uint8Array, scrub: (text: string) => string): Promise<boolean> {
  for (let at = 0; at < bytes.byteLength; at += PIECE) {
    const piece = Buffer.from(bytes.subarray(at, at + PIECE + OVERLAP)).toString("latin1");
    // Letters of two bytes, as some programs write text.
    const wide = piece.replaceAll("\0", "");
    if (scrub(piece) !== piece || (wide !== piece && scrub(wide) !== wide)) return true;
    await new Promise((done) => setImmediate(done));
  }
  return false;
}
