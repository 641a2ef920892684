/** The folders that everything is kept in, tried before anything is: what is wrong with one is said at the start, not at the first message. */
import { randomUUID } from "node:crypto";
import { lstat, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The folder itself, or the nearest above it that is there. */
export async function ground(dir: string): Promise<string> {
  const above = dirname(dir);
  const there = await lstat(dir).then(
    () => true,
    () => false,
  );
  return there || above === dir ? dir : ground(above);
}

/** Why nothing can be kept in a folder that a variable names, and what mends it, in a sentence. */
export async function whyUnwritable(name: string, dir: string): Promise<string | undefined> {
  const there = await ground(dir);
  // Two folders that are not there yet may have one parent, which is tried for both at the same moment.
  const probe = join(there, `.denizen-${randomUUID()}`);
  try {
    await writeFile(probe, "");
    await rm(probe);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code === "ENOTDIR") return `${name} is ${dir}, but ${there} is not a folder. Set ${name} to one.`;
    // How full a disk is is another question: what is there can be read, and there may be room again in a moment.
    if (code === "ENOSPC") return undefined;
    return `${there} cannot be written (${code}). Give the user this runs as the right to write there, or set ${name}.`;
  }
}
