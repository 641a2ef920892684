/**
 * The tools that look at files and change nothing: `ls`, `read_file`. Both page or cut themselves, so their results stay whole.
 *
 * R1. A text is shown as text, an image as an image, a PDF by its words; of anything else its kind is said.
 */
import { z } from "zod";
import { sizeText } from "../core/file.ts";
import type { Files, Outcome, Tool, ToolContext } from "../core/ports.ts";
import { isImage, kindOf } from "../files/kind.ts";
import { isError } from "../files/refusal.ts";
import { bounded } from "./bounded.ts";
import { define, done, failed } from "./define.ts";
import { page } from "./page.ts";
import { path, readClass, refused } from "./paths.ts";
import { pdfText } from "./pdf.ts";
import { decode } from "./text.ts";

export type FilesFor = (context: ToolContext) => Files;

const PAGE_LINES = 100;
const PDF = "application/pdf";

export const ls = (filesFor: FilesFor): Tool =>
  define({
    name: "ls",
    description: "List a folder.",
    input: z.object({ path: path.optional() }),
    aliases: { file_path: "path" },
    repeatable: true,
    reads: true,
    paging: true,
    subject: (input) => readClass(input.path ?? "/"),
    async run({ path: folder = "/" }, context) {
      const found = await filesFor(context).list(folder);
      if (isError(found)) return refused(folder, found);
      if (found.length === 0) return done(`${folder} is empty.`);
      return done(bounded(found.map((info) => (info.directory ? `${info.path}/` : `${info.path} (${info.size} bytes)`))));
    },
  });

export const readFile = (filesFor: FilesFor): Tool =>
  define({
    name: "read_file",
    description: "Read a text file with line numbers, or the words of a PDF, in pages; or look at an image. Read before you edit.",
    input: z.object({
      file_path: path,
      offset: z.int().optional().describe("Lines to skip, default 0"),
      limit: z.int().optional().describe(`Lines to read, default ${PAGE_LINES}`),
      part: z.int().optional().describe("Piece of an over-long first line to begin at"),
    }),
    aliases: { path: "file_path" },
    repeatable: true,
    reads: true,
    paging: true,
    subject: (input) => readClass(input.file_path),
    async run({ file_path, offset = 0, limit = PAGE_LINES, part = 0 }, context) {
      const content = await filesFor(context).read(file_path);
      if (isError(content)) return refused(file_path, content);
      const kind = kindOf(content, file_path);
      if (isImage(kind)) return image(file_path, kind, content);
      const text = kind === PDF ? await pdfText(content, context.signal) : decode(content);
      if (!text.ok) return failed(`${file_path}: ${text.why} (${kind}, ${content.byteLength} bytes).`);
      const shown = page(text.text, offset, limit, part);
      return shown.ok ? done(shown.text) : failed(`${file_path}: ${shown.error}.`);
    },
  });

/** Bytes of an image that providers take; a larger one would make the whole request be refused. */
const LARGEST_IMAGE = 3_700_000;

function image(name: string, kind: string, content: Uint8Array): Outcome {
  const what = `${name}: ${kind}, ${sizeText(content.byteLength)}`;
  if (content.byteLength > LARGEST_IMAGE) return failed(`${what}: too large to be looked at; ${sizeText(LARGEST_IMAGE)} are the most.`);
  const data = Buffer.from(content).toString("base64");
  return {
    content: [
      { type: "text", text: what },
      { type: "image", source: { type: "base64", media_type: kind, data } },
    ],
    failed: false,
  };
}
