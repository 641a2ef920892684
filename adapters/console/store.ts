/**
 * The files of the console's threads: those that people uploaded, and those that were posted. A chat platform keeps them on its servers.
 *
 * K1. A file is known by an id that nobody can guess, and by nothing that a page says of it.
 * K2. What `keep` resolved for is there after a restart, whole.
 * K3. All together have a bound; what nothing on the board speaks of any more is cleared away at a start, once it is a day old.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Of one file. */
export const LARGEST = 20 * 1024 * 1024;
const TOGETHER = 1024 * 1024 * 1024;
const DAY = 24 * 60 * 60_000;
const ID = /^f[0-9a-f]{32}$/;

export const newId = (): string => `f${randomBytes(16).toString("hex")}`;
export const isId = (id: string): boolean => ID.test(id);

export interface Store {
  /** Undefined: kept. Else why not, in a sentence. */
  keep(id: string, bytes: Uint8Array): Promise<string | undefined>;
  read(id: string): Promise<Uint8Array | undefined>;
  size(id: string): Promise<number | undefined>;
  drop(id: string): Promise<void>;
}

/** `spoken`: ids that the board speaks of. */
export async function openStore(folder: string, spoken: ReadonlySet<string>, now = Date.now): Promise<Store> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let used = await tidy(folder, spoken, now());
  const path = (id: string): string => {
    if (!isId(id)) throw new Error("not an id of a file");
    return join(folder, id);
  };
  const size = async (id: string) => (isId(id) ? (await stat(path(id)).catch(() => undefined))?.size : undefined);
  return {
    size,
    async drop(id) {
      used -= (await size(id)) ?? 0;
      await rm(path(id), { force: true });
    },
    read: async (id) => (isId(id) ? readFile(path(id)).catch(() => undefined) : undefined),
    async keep(id, bytes) {
      if (used + bytes.byteLength > TOGETHER)
        return "The console keeps no more files: those of old threads are cleared when it starts anew.";
      used += bytes.byteLength;
      const beside = `${path(id)}.new`;
      await writeFile(beside, bytes, { mode: 0o600, flush: true });
      await rename(beside, path(id));
      return undefined;
    },
  };
}

/** Gives the bytes that are left. */
async function tidy(folder: string, spoken: ReadonlySet<string>, now: number): Promise<number> {
  let used = 0;
  for (const name of await readdir(folder)) {
    const file = await stat(join(folder, name)).catch(() => undefined);
    if (!file) continue;
    if (spoken.has(name) || file.mtimeMs > now - DAY) used += file.size;
    else await rm(join(folder, name), { force: true });
  }
  return used;
}
