/**
 * The files of a home as they are on the disk now, each by its content and whether it can be run, as git names them.
 *
 * S1. Nothing is followed out of the home: files are read as the agent's tools read them.
 * S2. A file that did not change is not read again. One too large to be kept stands in with a line about it.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Files } from "../core/ports.ts";
import { diskFiles } from "../files/disk.ts";
import { inside, openFile } from "../files/jail.ts";
import { isError } from "../files/refusal.ts";
import { isKept } from "./control.ts";
import { type Kept, keptAs, oidOf } from "./repository.ts";

export const LARGEST = 1024 * 1024;
const MOST = 20_000;
const SIDE_BY_SIDE = 16;
/** Two writes within one tick of the file system's clock look alike. */
const YOUNG = 100;

const tooLarge = (size: number, when: string): Uint8Array =>
  new TextEncoder().encode(`This file is too large to be kept in the history: ${size} bytes, of ${when}.\n`);
export const isTooLarge = (content: Uint8Array): boolean =>
  /^This file is too large to be kept in the history: \d+ bytes, of \S+\.\n$/.test(new TextDecoder().decode(content.subarray(0, 200)));

export interface Scan {
  files: Files;
  /** Undefined: there is no such file; null: it cannot be read now. */
  look(path: string): Promise<Uint8Array | undefined | null>;
  /** Whether a file can be run, as it is on the disk. */
  program(path: string): Promise<boolean>;
  /** Makes a file one that can be run, or one that cannot. */
  setProgram(path: string, program: boolean): Promise<void>;
  /**
   * All files, by path without a slash in front; null: it cannot be read now. `known`: what should be there, so that what cannot be seen
   * is not taken for deleted.
   */
  all(known: Iterable<string>): Promise<Map<string, Kept | null>>;
  /** What stands for a content in the history. */
  shown(content: Uint8Array): Uint8Array;
}

export function scanOf(dir: string): Scan {
  const files = diskFiles(dir, { allow: (path) => path === "/" || isKept(path) });
  const seen = new Map<string, { version: string; kept: Kept }>();
  const look = async (path: string): Promise<Uint8Array | undefined | null> => {
    const stats = await lstat(join(dir, path)).catch(() => undefined);
    if (stats?.isFile() && stats.size > LARGEST) return tooLarge(stats.size, stats.mtime.toISOString());
    const content = await files.read(`/${path}`);
    if (!isError(content)) return content;
    return content.error === "file_not_found" ? undefined : null;
  };
  const kept = async (path: string): Promise<Kept | null | undefined> => {
    const stats = await lstat(join(dir, path), { bigint: true }).catch(() => undefined);
    const version = stats && [stats.dev, stats.ino, stats.size, stats.mode, stats.mtimeNs, stats.ctimeNs].join(".");
    const before = seen.get(path);
    if (before && before.version === version) return before.kept;
    seen.delete(path);
    const content = await look(path);
    if (!content) return content;
    const found = keptAs(oidOf(content), stats !== undefined && isExecutable(stats.mode));
    if (stats && version && Date.now() - Number(stats.ctimeMs) > YOUNG) seen.set(path, { version, kept: found });
    return found;
  };
  return {
    files,
    look,
    async program(path) {
      const stats = await lstat(join(dir, path)).catch(() => undefined);
      return stats?.isFile() === true && isExecutable(stats.mode);
    },
    async setProgram(path, program) {
      const names = path.split("/");
      const name = names.pop() ?? "";
      await inside(dir, names, false, async (folder) => {
        const { handle, stats } = await openFile(folder, name);
        const read = (stats.mode & 0o444) >> 2;
        await handle.chmod(program ? stats.mode | read : stats.mode & ~0o111).finally(() => handle.close());
      });
    },
    shown: (content) => (content.byteLength > LARGEST ? tooLarge(content.byteLength, "now") : content),
    async all(known) {
      const walked = await files.walk("/", MOST);
      const there = isError(walked) ? [] : walked.files.map((info) => info.path.slice(1));
      const found = new Map<string, Kept | null>();
      const missing = new Map([...known].map((path) => [path, true]));
      for (const path of there) missing.delete(path);
      const paths = [...there, ...missing.keys()];
      for (let i = 0; i < paths.length; i += SIDE_BY_SIDE) {
        const some = paths.slice(i, i + SIDE_BY_SIDE);
        const now = await Promise.all(some.map(kept));
        some.forEach((path, index) => {
          const is = now[index];
          if (is !== undefined) found.set(path, is);
        });
      }
      return found;
    },
  };
}

const isExecutable = (mode: number | bigint): boolean => (Number(mode) & 0o100) !== 0;
