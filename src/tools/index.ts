/** The tools every session has. */
import type { Tool } from "../core/ports.ts";
import { ask } from "./ask.ts";
import { deleteFile, editFile, writeFile } from "./change-files.ts";
import { glob, grep } from "./find-files.ts";
import { forget, type MemoryDeps, remember, share, update } from "./memory.ts";
import { type FilesFor, ls, readFile } from "./read-files.ts";
import { proposeSkill } from "./skills.ts";
import { writeTodos } from "./todos.ts";

export interface ToolDeps extends MemoryDeps {
  /** The tree a call sees. */
  filesFor: FilesFor;
}

export function builtinTools({ filesFor, ...memory }: ToolDeps): Tool[] {
  const files = [ls, readFile, writeFile, editFile, deleteFile, glob, grep].map((make) => make(filesFor));
  return [writeTodos(), ...files, remember(memory), update(memory), forget(memory), share(memory), proposeSkill(filesFor), ask()];
}
