import { beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import type { Files } from "../../src/core/ports.ts";
import { stateFiles } from "../../src/files/state.ts";
import { pdfText } from "../../src/tools/pdf.ts";
import { pdf } from "../help/pdf.ts";
import { context, run, tools } from "./context.ts";

let files: Files;
beforeEach(() => {
  files = stateFiles();
});
const read = (input: JsonObject) => run(tools(files).get("read_file"), { file_path: "/f.pdf", ...input });
const now = new AbortController().signal;

it("a PDF is read by its words, page by page, with lines as every text", async () => {
  await files.write("/f.pdf", pdf([["Invoice (42)", "Total: 7 EUR"], ["Thank you"]]));
  expect(await read({})).toMatchObject({
    failed: false,
    text: "     1\t[Page 1 of 2]\n     2\tInvoice (42)\n     3\tTotal: 7 EUR\n     4\t\n     5\t[Page 2 of 2]\n     6\tThank you\n     7\t",
  });
});

it("a long one is paged like every text, and read once for all its pages", async () => {
  await files.write("/f.pdf", pdf(Array.from({ length: 60 }, (_, page) => [`This is page ${page}`, ...Array(20).fill("words of it")])));
  expect((await read({})).text).toMatch(/\[Lines 1-100 of \d+; \d+ left\. Read on with offset=100\.]/);
  const began = performance.now();
  expect((await read({ offset: 1_300 })).text).toContain("This is page 59");
  expect(performance.now() - began).toBeLessThan(500);
});

it.each([
  ["one that breaks off", pdf([["x"]]).subarray(0, 150), /cannot be read: it is damaged/],
  ["one that is none", Buffer.from("%PDF-1.7 \0 nothing"), /cannot be read: it is damaged/],
  ["one without words", pdf([[]], "0 0 m 9 9 l S"), /1 page and no words/],
])("%s is an error in words", async (_, bytes, words) => {
  await files.write("/f.pdf", bytes);
  expect(await read({})).toMatchObject({ failed: true, text: expect.stringMatching(words) });
});

it("one that would never end is given up in time, and the next is read", async () => {
  const endless = pdf([["x"]], "BT /F1 12 Tf (a) Tj ".repeat(3_000_000));
  expect(await pdfText(endless, now, 1)).toMatchObject({ ok: false, why: expect.stringMatching(/longer than 1 s|more memory/) });
  expect(await pdfText(pdf([["fine"]]), now)).toMatchObject({ ok: true, text: expect.stringContaining("fine") });
});

it("one that took too long once can be read later", async () => {
  const bytes = pdf([["slow"]]);
  expect(await pdfText(bytes, now, 0.001)).toMatchObject({ ok: false, why: expect.stringContaining("takes longer") });
  expect(await pdfText(bytes, now)).toMatchObject({ ok: true, text: expect.stringContaining("slow") });
});

it("a stop ends the reading, and what was stopped can be read later", async () => {
  const bytes = pdf([["later"]]);
  expect(await pdfText(bytes, AbortSignal.abort())).toMatchObject({ ok: false });
  await files.write("/f.pdf", bytes);
  const stopped = await run(tools(files).get("read_file"), { file_path: "/f.pdf" }, context({ signal: AbortSignal.abort() }));
  expect(stopped.failed).toBe(true);
  expect((await read({})).text).toContain("later");
});

it("the event loop goes on while one is read", async () => {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await pdfText(pdf(Array.from({ length: 300 }, (_, page) => Array(40).fill(`page ${page} lorem ipsum dolor sit amet`))), now);
  clearInterval(timer);
  expect(longest).toBeLessThan(1_000);
});
