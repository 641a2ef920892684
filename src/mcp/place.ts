/** Where a server runs: in the home's files, or in a place named in its entry, which if relative lies inside the home. */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import type { Entry } from "./tools-file.ts";

export async function placeOf(entry: Entry, directory: string): Promise<{ cwd: string } | { problem: string }> {
  const named = entry.kind === "stdio" ? entry.cwd : undefined;
  if (named === undefined) return { cwd: (await real(resolve(directory, "files"))) ?? directory };
  const cwd = await real(resolve(directory, named));
  if (cwd === undefined) return { problem: `its cwd ${named} is not a directory` };
  const way = relative((await real(directory)) ?? directory, cwd);
  if (!isAbsolute(named) && (way === ".." || way.startsWith("../"))) return { problem: `its cwd ${named} leads out of the home` };
  return { cwd };
}

async function real(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? await realpath(path) : undefined;
  } catch {
    return undefined;
  }
}
