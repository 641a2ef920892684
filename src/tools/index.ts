/** The tools every session has. */
import type { Files, Tool, ToolContext } from "../core/ports.ts";
import { ask } from "./ask.ts";
import { deleteFile, editFile, writeFile } from "./change-files.ts";
import { glob, grep } from "./find-files.ts";
import { forget, type MemoryDeps, remember, share, update } from "./memory.ts";
import { type FilesFor, ls, readFile } from "./read-files.ts";
import { sendFile } from "./send-file.ts";
import { proposeSkill } from "./skills.ts";
import { writeTodos } from "./todos.ts";

export interface ToolDeps extends MemoryDeps {
  /** The tree a call sees. */
  filesFor: FilesFor;
  /** Where a file is set aside that is to be posted. */
  asideFor(context: ToolContext): Files;
  /** Masks secrets in what is posted. */
  scrub(text: string): string;
}

export function builtinTools({ filesFor, asideFor, scrub, ...memory }: ToolDeps): Tool[] {
  const files = [ls, readFile, writeFile, editFile, deleteFile, glob, grep].map((make) => make(filesFor));
  return [
    writeTodos(),
    ...files,
    sendFile(filesFor, asideFor, scrub),
    remember(memory),
    update(memory),
    forget(memory),
    share(memory),
    proposeSkill(filesFor),
    ask(),
  ];
}
