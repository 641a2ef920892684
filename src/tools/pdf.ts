/**
 * The words of a PDF, page by page. What is in it comes from anybody, so it is read in a thread of its own, with bounds.
 *
 * D1. Time, memory and length are limited; one document is read at a time, and a stop ends it. Whatever is in one, the process goes on.
 * D2. Only words: what a page shows as a picture is not read, and a document without words is said to be one.
 */
import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";

export type Pdf = { ok: true; text: string } | { ok: false; why: string };
type Read = { pages: number; text: string; whole: boolean } | { wrong: string };

const WORKER = new URL("./pdf-worker.mjs", import.meta.url);
const SECONDS = 20;
const MEMORY = 256;
/** Characters. */
const LONGEST = 4_000_000;

/** Pages of one document are asked for one after the other. */
let last: { print: string; pdf: Pdf } | undefined;
let tail: Promise<unknown> = Promise.resolve();

export function pdfText(bytes: Uint8Array, signal: AbortSignal, seconds = SECONDS): Promise<Pdf> {
  const mine = tail.then(async () => {
    const print = createHash("sha256").update(bytes).digest("base64");
    if (last?.print === print) return last.pdf;
    const read = await inWorker(bytes, signal, seconds);
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

function inWorker(bytes: Uint8Array, signal: AbortSignal, seconds: number): Promise<Read> {
  return new Promise((done) => {
    const worker = new Worker(WORKER, {
      workerData: { bytes, longest: LONGEST },
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY },
    });
    const end = (read: Read) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      void worker.terminate();
      done(read);
    };
    const stop = () => end({ wrong: "this was stopped" });
    const timer = setTimeout(() => end({ wrong: `it takes longer than ${seconds} s` }), seconds * 1_000);
    worker.once("message", (read: Read) => end(read));
    worker.once("error", () => end({ wrong: "it takes more memory than there is for it" }));
    worker.once("exit", () => end({ wrong: "it is damaged" }));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
}
