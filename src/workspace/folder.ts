/** The names in a folder below a home. A folder that is reached through a link has none, and neither has one that is not there. */
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";

/** So that a folder of a hundred thousand files does not hold up a step. */
const MOST = 1_000;

export interface Names {
  files: string[];
  folders: string[];
}

export async function namesIn(root: string, folder: string): Promise<Names> {
  try {
    const [home, real] = await Promise.all([realpath(root), realpath(join(root, folder))]);
    if (real !== join(home, folder)) return { files: [], folders: [] };
    const entries = (await readdir(real, { withFileTypes: true })).filter(({ name }) => !name.startsWith("."));
    const names = (wanted: boolean) =>
      entries
        .filter((entry) => entry.isDirectory() === wanted)
        .map(({ name }) => name)
        .sort()
        .slice(0, MOST);
    return { files: names(false), folders: names(true) };
  } catch {
    return { files: [], folders: [] };
  }
}
