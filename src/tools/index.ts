/** The tools every session has. */
import type { Tool } from "../core/ports.ts";
import { ask } from "./ask.ts";
import { deleteFile, editFile, writeFile } from "./change-files.ts";
import { glob, grep } from "./find-files.ts";
import { type MemoryFor, remember } from "./memory.ts";
import { type FilesFor, ls, readFile } from "./read-files.ts";
import { writeTodos } from "./todos.ts";

export interface ToolDeps {
  /** The tree a call sees. */
  filesFor: FilesFor;
  memoryFor: MemoryFor;
}

export function builtinTools({ filesFor, memoryFor }: ToolDeps): Tool[] {
  const files = [ls, readFile, writeFile, editFile, deleteFile, glob, grep].map((make) => make(filesFor));
  return [writeTodos(), ...files, remember(memoryFor), ask()];
}
