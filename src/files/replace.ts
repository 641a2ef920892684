/**
 * Changing one name in an open folder: replacing a file as a whole, and erasing whatever it is.
 *
 * The new content is written beside the old under a name that is free, flushed, and renamed over it; a rename never follows a link.
 */
import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, open, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { type Dir, enter, look, verify, within } from "./jail.ts";
import { NOT_FOUND, Refusal } from "./refusal.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const temporary = (): string => `.${randomBytes(9).toString("hex")}.part`;
/** Left behind by a process that died while it wrote; shown to nobody. */
export const isTemporary = (name: string): boolean => /^\.[0-9a-f]{18}\.part$/.test(name);

/** Whether nothing was written between two looks. */
export const sameFile = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs;

/** `before`: what the name was when the caller looked, if it was there. */
export async function replace(dir: Dir, name: string, content: Uint8Array, before: Stats | undefined): Promise<void> {
  if (before?.isDirectory()) throw new Refusal("is_directory", "this is a folder");
  if (before?.isSymbolicLink()) throw new Refusal("permission_denied", "links are not followed");
  if (before && !before.isFile()) throw new Refusal("permission_denied", "this is not a plain file");
  if (before && (before.mode & 0o222) === 0) throw new Refusal("permission_denied", "the file is write-protected");
  const temp = temporary();
  const handle = await open(within(dir, temp), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o666);
  try {
    await fill(handle, content, before);
    await verify(dir);
    await rename(within(dir, temp), within(dir, name));
  } catch (error) {
    await unlink(within(dir, temp)).catch(() => undefined);
    throw error;
  }
  // The rename itself is flushed where the system can; without it only the newest version is at stake.
  await dir.handle.sync().catch(() => undefined);
}

async function fill(handle: FileHandle, content: Uint8Array, before: Stats | undefined): Promise<void> {
  try {
    await handle.writeFile(content);
    if (before) {
      await handle.chown(before.uid, before.gid).catch(() => undefined);
      await handle.chmod(before.mode & 0o777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A file, a link (not what it points to) or a folder with all that is in it. */
export async function erase(dir: Dir, name: string): Promise<void> {
  const stats = await look(dir, name);
  if (!stats) throw new Refusal("file_not_found", NOT_FOUND);
  await verify(dir);
  if (!stats.isDirectory()) return unlink(within(dir, name));
  const child = await enter(dir, name, false, dir.base !== dir.real);
  try {
    for (const each of await readdir(within(child, "."))) await erase(child, each);
  } finally {
    await child.handle.close();
  }
  await rmdir(within(dir, name));
}
