/**
 * The text of one PDF, in a thread of its own. Given `{ bytes, longest }`; answers once with `{ pages, text, whole }` or `{ wrong }`.
 * Plain JavaScript, so that a worker needs no loader.
 */
import { parentPort, workerData } from "node:worker_threads";
import { getDocumentProxy } from "unpdf";

const { bytes, longest } = workerData;
/** Of a document's mistakes nothing is printed: there can be millions. */
const QUIET = { verbosity: 0, isEvalSupported: false, stopAtErrors: false };

async function read() {
  const document = await getDocumentProxy(bytes, QUIET);
  const pages = document.numPages;
  let text = "";
  for (let number = 1; number <= pages; number++) {
    if (text.length >= longest) return { pages, text, whole: false };
    text += `[Page ${number} of ${pages}]\n${await pageText(document, number)}\n\n`;
  }
  return { pages, text, whole: true };
}

async function pageText(document, number) {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items
    .map(({ str = "", hasEOL }) => (hasEOL ? `${str}\n` : str))
    .join("")
    .trim();
}

try {
  parentPort.postMessage(await read());
} catch (error) {
  parentPort.postMessage({ wrong: error?.name === "PasswordException" ? "it needs a password" : "it is damaged" });
}
