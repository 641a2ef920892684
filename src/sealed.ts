/**
 * A folder of files that nobody reads without the key.
 *
 * S1. Nothing is written in clear: AES-256-GCM, each file bound to what it is about, so that one cannot be passed off as another. Files are 0600.
 * S2. A file is replaced as a whole: after a crash the old one or the new one is there.
 * S3. What cannot be opened (another key, damage) is said to be so, and stays as it is.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

export interface Sealed {
  readonly folder: string;
  names(): Promise<string[]>;
  read(name: string): Promise<{ text: string } | "absent" | "unreadable">;
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

const END = ".sealed";
export const sealedName = (name: string): string => `${encodeURIComponent(name)}${END}`;

/** `about`: what all of the folder is about. */
export function sealedFolder(folder: string, key: Buffer, about: string): Sealed {
  const fileOf = (name: string) => join(folder, sealedName(name));
  let writing: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = writing.then(work);
    writing = done.catch(() => undefined);
    return done;
  };
  return {
    folder,
    async names() {
      const files = await readdir(folder).catch(absent(() => []));
      return files.filter((file) => file.endsWith(END)).map((file) => decodeURIComponent(file.slice(0, -END.length)));
    },
    async read(name) {
      const bytes = await readFile(fileOf(name)).catch(absent(() => undefined));
      if (!bytes) return "absent";
      try {
        return { text: unsealed(bytes, key, `${about} ${name}`) };
      } catch {
        return "unreadable";
      }
    },
    write: (name, text) => inTurn(() => replace(folder, fileOf(name), seal(text, key, `${about} ${name}`))),
    remove: (name) => inTurn(() => rm(fileOf(name), { force: true })),
  };
}

/** Something that is kept in a folder of its name; `about`: what all of it is about. */
export interface Kind {
  readonly folder: string;
  readonly about: string;
}
export const sealedIn = (root: string, key: Buffer, { folder, about }: Kind): Sealed => sealedFolder(join(root, folder), key, about);

const absent =
  <T>(instead: () => T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === "ENOENT") return instead();
    throw error;
  };

const [IV, TAG] = [12, 16];

function seal(text: string, key: Buffer, about: string): Buffer {
  const iv = randomBytes(IV);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(about));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

function unsealed(bytes: Buffer, key: Buffer, about: string): string {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV), { authTagLength: TAG }).setAAD(Buffer.from(about));
  decipher.setAuthTag(bytes.subarray(IV, IV + TAG));
  return Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]).toString("utf8");
}

async function replace(folder: string, file: string, content: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fresh = `${file}.new`;
  const handle = await open(fresh, "w", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
}
