/**
 * The tools that change files: `write_file`, `edit_file`, `delete`.
 *
 * All three may be repeated after a crash: writing and deleting come to the same, and an edit looks whether it was made already.
 */
import { z } from "zod";
import type { Tool, ToolContext } from "../core/ports.ts";
import { isError } from "../files/refusal.ts";
import { define, done, failed } from "./define.ts";
import { changeClass, changeLeaves, changeRisk, refused, target, undoable } from "./paths.ts";
import type { FilesFor } from "./read-files.ts";
import { type Substitution, substitute } from "./substitute.ts";
import { count, decode, encode } from "./text.ts";
import { wouldDelete, wouldEdit, wouldWrite } from "./would-change.ts";

/** The state a tool gets is from before this start: an earlier one means that the process died in it. */
const startedBefore = ({ state, call }: ToolContext): boolean => (state.calls.byId[call]?.starts ?? 0) > 0;

export const writeFile = (filesFor: FilesFor): Tool =>
  define({
    name: "write_file",
    description: "Write a whole file, new or over an old one. Folders are made.",
    input: z.object({ file_path: target, content: z.string() }),
    aliases: { path: "file_path" },
    repeatable: true,
    risk: (input) => changeRisk(input.file_path),
    leaves: (input) => changeLeaves(input.file_path),
    subject: (input) => changeClass(input.file_path),
    preview: ({ file_path, content }, context) => wouldWrite(filesFor, file_path, content, context),
    async run({ file_path, content }, context) {
      const bytes = encode(content);
      const written = await filesFor(context).write(file_path, bytes);
      if (isError(written)) return refused(file_path, written);
      return { ...done(`Wrote ${count(bytes.byteLength, "byte")} to ${file_path}.`), ...undoable(file_path) };
    },
  });

export const editFile = (filesFor: FilesFor): Tool =>
  define({
    name: "edit_file",
    description: "Replace an exact text in a file. It must occur once, unless replace_all is set.",
    input: z.object({ file_path: target, old_string: z.string(), new_string: z.string(), replace_all: z.boolean().optional() }),
    aliases: { path: "file_path" },
    repeatable: true,
    risk: (input) => changeRisk(input.file_path),
    leaves: (input) => changeLeaves(input.file_path),
    subject: (input) => changeClass(input.file_path),
    preview: ({ file_path, old_string: from, new_string: to, replace_all: all = false }, context) =>
      wouldEdit(filesFor, file_path, { from, to, all, again: false }, context),
    async run({ file_path, old_string, new_string, replace_all = false }, context) {
      let outcome: Substitution = { kind: "already" };
      const change = { from: old_string, to: new_string, all: replace_all, again: startedBefore(context) };
      const updated = await filesFor(context).update(file_path, (content) => {
        const text = decode(content);
        outcome = text.ok ? substitute(text.text, change) : { kind: "refused", why: text.why };
        return outcome.kind === "changed" ? encode(outcome.text, text.ok && text.mark) : null;
      });
      if (isError(updated)) return refused(file_path, updated);
      return { ...told(file_path, outcome), ...(updated.changed ? undoable(file_path) : {}) };
    },
  });

export const deleteFile = (filesFor: FilesFor): Tool =>
  define({
    name: "delete",
    description: "Delete a file, or a folder with all that is in it.",
    input: z.object({ file_path: target }),
    aliases: { path: "file_path" },
    repeatable: true,
    risk: (input) => changeRisk(input.file_path),
    leaves: (input) => changeLeaves(input.file_path),
    subject: (input) => changeClass(input.file_path),
    preview: ({ file_path }, context) => wouldDelete(filesFor, file_path, context),
    async run({ file_path }, context) {
      const removed = await filesFor(context).remove(file_path);
      if (!isError(removed)) return { ...done(`Deleted ${file_path}.`), ...undoable(file_path) };
      if (removed.error === "file_not_found" && startedBefore(context)) return done(`Deleted ${file_path}.`);
      return refused(file_path, removed);
    },
  });

function told(file: string, outcome: Substitution) {
  if (outcome.kind === "changed") return done(`Replaced ${count(outcome.times, "occurrence")} in ${file}.`);
  if (outcome.kind === "already") return done(`The change is in ${file} already.`);
  return failed(`${file}: ${outcome.why}.`);
}
