/**
 * The tools that search: `glob` by name, `grep` by content. One behaviour on every backend, by walking the tree and comparing text:
 * hidden files are searched, ignore files mean nothing, links are not followed.
 *
 * F1. Time and memory are bounded: entries looked at, bytes read, matches kept, and a deadline. What was cut is said.
 */
import { z } from "zod";
import type { FileInfo, Files, Tool } from "../core/ports.ts";
import { matcher } from "../files/glob.ts";
import { isError } from "../files/refusal.ts";
import { bounded } from "./bounded.ts";
import { define, done, failed } from "./define.ts";
import { MODES, report } from "./matches.ts";
import { path, readClass, refused } from "./paths.ts";
import type { FilesFor } from "./read-files.ts";
import { type Found, search } from "./search.ts";
import { count } from "./text.ts";

const WALKED = 20_000;
const LISTED = 1_000;
const MATCHES = 1_000;

export const glob = (filesFor: FilesFor): Tool =>
  define({
    name: "glob",
    description: "Find files by name: `*.md` at any depth, `docs/**/*.md` below path, `/home/files/*` from the root.",
    input: z.object({ pattern: z.string(), path: path.optional() }),
    repeatable: true,
    reads: true,
    paging: true,
    subject: (input) => readClass(input.path ?? "/"),
    async run({ pattern, path: folder = "/" }, context) {
      const wanted = matcher(pattern, folder);
      if (!wanted.ok) return failed(`${pattern}: ${wanted.error}.`);
      const found = await filesFor(context).walk(wanted.base, WALKED);
      if (isError(found))
        return found.error === "file_not_found" && wanted.base !== folder ? done("No files match.") : refused(wanted.base, found);
      const paths = found.files.map((info) => info.path).filter(wanted.matches);
      const notes = [
        ...(paths.length > LISTED ? [`[Only the first ${LISTED} of ${paths.length} files are shown.]`] : []),
        ...(found.truncated ? [TOO_MANY] : []),
      ];
      return done(bounded(paths.length === 0 ? ["No files match."] : paths.slice(0, LISTED), notes));
    },
  });

export const grep = (filesFor: FilesFor): Tool =>
  define({
    name: "grep",
    description: "Find a literal text (no regular expression) in files.",
    input: z.object({
      pattern: z.string().regex(/^[^\r\n]+$/, "give a text of one line to look for"),
      path: path.optional(),
      glob: z.string().optional().describe("Only files that match, e.g. *.md"),
      output_mode: z.enum(MODES).optional().describe("Default files_with_matches"),
      max_count: z.int().min(0).optional().describe(`Default ${MATCHES}`),
    }),
    aliases: { file_path: "path" },
    repeatable: true,
    reads: true,
    paging: true,
    subject: (input) => readClass(input.path ?? "/"),
    async run(input, context) {
      const { pattern, path: folder = "/", output_mode = "files_with_matches", max_count = MATCHES } = input;
      if (max_count === 0) return done("Nothing was searched, because max_count was 0.");
      const tree = filesFor(context);
      const chosen = await candidates(tree, folder, input.glob);
      if ("content" in chosen) return chosen;
      const found = await search(tree, chosen.files, pattern, {
        max: max_count,
        first: output_mode === "files_with_matches",
        signal: context.signal,
      });
      return done(bounded(report(found, output_mode, pattern), notes(found, chosen.truncated, max_count)));
    },
  });

async function candidates(tree: Files, folder: string, pattern: string | undefined) {
  const wanted = pattern === undefined ? undefined : matcher(pattern, folder);
  if (wanted && !wanted.ok) return failed(`${pattern}: ${wanted.error}.`);
  const walked = await tree.walk(folder, WALKED);
  if (isError(walked)) return refused(folder, walked);
  const files: FileInfo[] = wanted ? walked.files.filter((info) => wanted.matches(info.path) || info.path === folder) : walked.files;
  return { files, truncated: walked.truncated };
}

const TOO_MANY = `[Incomplete: there are more than ${WALKED} files and folders here. Search a narrower path.]`;

function notes(found: Found, truncated: boolean, max: number): string[] {
  return [
    ...(found.full ? [`[Incomplete: stopped at max_count=${max}.]`] : []),
    ...(found.late ? ["[Incomplete: the search took too long. Search a narrower path.]"] : []),
    ...(truncated ? [TOO_MANY] : []),
    ...(found.skipped > 0 ? [`[${count(found.skipped, "file")} not searched: too large, not text, or not readable.]`] : []),
  ];
}
