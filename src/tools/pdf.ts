/**
 * The words of a PDF, page by page. What is in it comes from anybody, so it is read in a thread of its own, with bounds.
 *
 * D1. Time, memory and length are limited; one document is read at a time, and a stop ends it. Whatever is in one, the process goes on.
 * D2. Only words: what a page shows as a picture is not read, and a document without words is said to be one.
 */
import { createHash } from "node:crypto";
import { inWorker } from "../sandbox/worker.ts";

export type Pdf = { ok: true; text: string } | { ok: false; why: string };
type Read = { pages: number; text: string; whole: boolean } | { wrong: string };

const WORKER = new URL("./pdf-worker.mjs", import.meta.url);
const SECONDS = 20;
/** Characters. */
const LONGEST = 4_000_000;

/** Pages of one document are asked for one after the other. */
let last: { print: string; pdf: Pdf } | undefined;
let tail: Promise<unknown> = Promise.resolve();

export function pdfText(bytes: Uint8Array, signal: AbortSignal, seconds = SECONDS): Promise<Pdf> {
  const mine = tail.then(async () => {
    const print = createHash("sha256").update(bytes).digest("base64");
    if (last?.print === print) return last.pdf;
    const read = await readIn(bytes, signal, seconds);
    const pdf = told(read);
    if (pdf.ok) last = { print, pdf };
    return pdf;
  });
  tail = mine.catch(() => undefined);
  return mine;
}

function told(read: Read): Pdf {
  if ("wrong" in read) return { ok: false, why: `this PDF cannot be read: ${read.wrong}` };
  const { pages, text, whole } = read;
  if (!text.replace(/^\[Page \d+ of \d+]$/gm, "").trim())
    return { ok: false, why: `this PDF has ${pages} ${pages === 1 ? "page" : "pages"} and no words, only pictures of them perhaps` };
  return { ok: true, text: whole ? text : `${text}[The rest of this PDF is too long to be read.]\n` };
}

async function readIn(bytes: Uint8Array, signal: AbortSignal, seconds: number): Promise<Read> {
  const read = await inWorker<Read>(WORKER, { bytes, longest: LONGEST }, { signal, ms: seconds * 1_000 });
  switch (read.how) {
    case "answered":
      return read.answer;
    case "failed":
      return { wrong: "it takes more memory than there is for it" };
    case "ended":
      return { wrong: "it is damaged" };
    case "stopped":
      return { wrong: "this was stopped" };
    case "time":
      return { wrong: `it takes longer than ${seconds} s` };
  }
}
