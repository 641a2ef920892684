/**
 * Directories held open, so that what was checked is what is used.
 *
 * J1. A path is walked one name at a time from the root, and no link is followed, neither in the middle nor at the end.
 * J2. On Linux each name is looked up in the open directory itself (`/proc/self/fd/<n>/<name>`): a folder swapped for a link between two
 *     names changes nothing. Elsewhere the real path is compared after each opening, which leaves a moment to a process of the same machine.
 * J3. The root is the operator's and may itself be reached through links.
 */
import { constants, existsSync, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, Refusal } from "./refusal.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const HAS_PROC = process.platform === "linux" && existsSync("/proc/self/fd");

export interface Dir {
  handle: FileHandle;
  /** Where it was when it was opened. */
  real: string;
  /** What to put before a name to reach it in this directory. */
  base: string;
}

export const within = (dir: Dir, name: string): string => `${dir.base}/${name}`;

/** Opens the folder of these names below the root for the time of `work`. `make`: folders that are missing are made. */
export async function inside<T>(
  root: string,
  names: readonly string[],
  make: boolean,
  work: (dir: Dir) => Promise<T>,
  proc = HAS_PROC,
): Promise<T> {
  if (make) await mkdir(root, { recursive: true });
  let dir = held(await open(root, O_RDONLY | O_DIRECTORY), await realpath(root), proc);
  try {
    for (const name of names) {
      const next = await enter(dir, name, make, proc);
      await dir.handle.close();
      dir = next;
    }
    return await work(dir);
  } finally {
    await dir.handle.close();
  }
}

/** Opens a folder in an open one. Its handle is the caller's to close. */
export async function enter(dir: Dir, name: string, make = false, proc = HAS_PROC): Promise<Dir> {
  const path = within(dir, name);
  if (make) await mkdir(path).catch((error) => (codeOf(error) === "EEXIST" ? undefined : Promise.reject(error)));
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(async (error) => {
    if (codeOf(error) === "ENOTDIR" && (await look(dir, name))?.isSymbolicLink())
      throw new Refusal("permission_denied", "links are not followed");
    throw error;
  });
  const child = held(handle, join(dir.real, name), proc);
  if (!proc && (await realpath(child.real).catch(() => "")) !== child.real) {
    await handle.close();
    throw new Refusal("permission_denied", "links are not followed");
  }
  return child;
}

/** Opens a file in an open folder for reading. What is no plain file is refused; a named pipe is not waited for. */
export async function openFile(dir: Dir, name: string): Promise<{ handle: FileHandle; stats: Stats }> {
  const handle = await open(within(dir, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Refusal("is_directory", "this is a folder");
    if (!stats.isFile()) throw new Refusal("permission_denied", "this is not a plain file");
    await verify(dir);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What a name in an open folder is, links not followed; undefined if there is nothing. */
export async function look(dir: Dir, name: string): Promise<Stats | undefined> {
  return lstat(within(dir, name)).catch((error) => (codeOf(error) === "ENOENT" ? undefined : Promise.reject(error)));
}

/** Where names are looked up by path: refuses if the folder is not where it was when it was opened. */
export async function verify(dir: Dir): Promise<void> {
  if (dir.base === dir.real && (await realpath(dir.real).catch(() => "")) !== dir.real) {
    throw new Refusal("permission_denied", "the folder was moved in the meantime");
  }
}

const held = (handle: FileHandle, real: string, proc: boolean): Dir => ({ handle, real, base: proc ? `/proc/self/fd/${handle.fd}` : real });
