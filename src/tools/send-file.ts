/**
 * `send_file`: hands a file to the people of this thread.
 *
 * S1. Its bytes are set aside when it runs, and those are posted, whatever becomes of the file. Run again after a crash it does the same.
 * S2. It goes where the session is and nowhere else, so it takes nothing out of the place it was said in.
 * S3. Where people are asked first, they see what is in it, and only that is sent.
 * S4. Secrets do not leave in it: in text they are masked, and that is said; another file that shows one is not sent.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { sizeText } from "../core/file.ts";
import type { Files, Tool, ToolContext } from "../core/ports.ts";
import { kindOf } from "../files/kind.ts";
import { callName } from "../files/mounts.ts";
import { components } from "../files/path.ts";
import { isError } from "../files/refusal.ts";
import { define, failed } from "./define.ts";
import { path, readClass, refused } from "./paths.ts";
import type { FilesFor } from "./read-files.ts";
import { sendable } from "./sendable.ts";
import { count, decode } from "./text.ts";

/** Bytes: what the platforms take without asking for money. */
const LARGEST = 10 * 1024 * 1024;
const SHOWN = 2_000;

/** `asideFor`: where what is to be posted is set aside. `scrub`: masks secrets. */
export const sendFile = (filesFor: FilesFor, asideFor: (context: ToolContext) => Files, scrub: (text: string) => string): Tool =>
  define({
    name: "send_file",
    description: `Send one of your files to the people of this thread, who see it there with its name. At most ${sizeText(LARGEST)}.`,
    input: z.object({
      file_path: path,
      comment: z.string().max(1_000, "a comment is short").optional().describe("Words that stand with it"),
    }),
    aliases: { path: "file_path" },
    repeatable: true,
    subject: (input) => readClass(input.file_path),
    async preview({ file_path }, context) {
      const read = await filesFor(context).read(file_path);
      if (isError(read) || read.byteLength > LARGEST) return undefined;
      const safe = await sendable(read, scrub);
      if (!safe.ok) return undefined;
      const content = safe.bytes;
      const text = decode(content);
      return `Send ${file_path} (${facts(content, file_path)})\n\n${text.ok ? text.text.slice(0, SHOWN) : "[not a text file]"}`;
    },
    async run({ file_path, comment }, context) {
      const read = await filesFor(context).read(file_path);
      if (isError(read)) return refused(file_path, read);
      if (read.byteLength === 0) return failed(`${file_path}: the file is empty.`);
      if (read.byteLength > LARGEST)
        return failed(`${file_path}: ${sizeText(read.byteLength)} are too much, ${sizeText(LARGEST)} are the most.`);
      const safe = await sendable(read, scrub);
      if (!safe.ok) return failed(`${file_path} is not sent: there is a secret in it, which cannot be masked in a file that is not text.`);
      const content = safe.bytes;
      const kept = await asideFor(context).write(`/${callName(context.session, context.call)}`, content);
      if (isError(kept)) return failed(`${file_path} could not be set aside: ${kept.detail}.`);
      const name = components(file_path).at(-1) ?? "file";
      const file = {
        name,
        mime: kindOf(content, name),
        size: content.byteLength,
        digest: digestOf(content),
        ...(comment ? { comment } : {}),
      };
      const masked = safe.masked ? ` ${count(safe.masked, "secret")} in it ${safe.masked > 1 ? "were" : "was"} masked.` : "";
      return { content: `${name} (${sizeText(file.size)}) is posted in this thread.${masked}`, failed: false, file };
    },
  });

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const facts = (bytes: Uint8Array, name: string): string =>
  `${kindOf(bytes, name)}, ${sizeText(bytes.byteLength)}, SHA-256 ${digestOf(bytes)}`;
