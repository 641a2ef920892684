/**
 * One file of JSON lines that survives a crash. Owns the bytes, knows nothing of what the lines mean.
 *
 * L1. `append` resolves once the line is on the disk. If it rejects, what it may have left of the line is cut off before the next one.
 * L2. A last line without its end was never acknowledged: it is cut off when the file is opened.
 * L3. A line in the middle that cannot be read is left out and counted; it takes no other line with it.
 * Not for two callers at once: the board takes its turns.
 */
import { mkdir, open, readFile, rename, truncate } from "node:fs/promises";
import { dirname } from "node:path";

export interface Lines {
  append(line: string): Promise<void>;
  /** Puts these lines in the place of all others, or leaves the file as it was. */
  replace(lines: readonly string[]): Promise<void>;
  bytes(): number;
}

export async function openLines(file: string, each: (line: string) => void): Promise<{ lines: Lines; unread: number }> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const text = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) await write(file, "");
  let good = text ? text.lastIndexOf(10) + 1 : 0;
  if (text && text.length > good) await truncate(file, good);
  const unread = readAll(text?.subarray(0, good).toString("utf8") ?? "", each);

  async function append(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`);
    const handle = await open(file, "a", 0o600);
    try {
      const { size } = await handle.stat();
      if (size > good) await handle.truncate(good);
      else good = size;
      await handle.writeFile(bytes);
      await handle.datasync();
      good += bytes.length;
    } finally {
      await handle.close();
    }
  }

  async function replace(lines: readonly string[]): Promise<void> {
    const whole = lines.map((line) => `${line}\n`).join("");
    await write(`${file}.new`, whole);
    await rename(`${file}.new`, file);
    await syncFolder(dirname(file));
    good = Buffer.byteLength(whole);
  }

  return { lines: { append, replace, bytes: () => good }, unread };
}

function readAll(text: string, each: (line: string) => void): number {
  let unread = 0;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    try {
      each(line);
    } catch {
      unread++;
    }
  }
  return unread;
}

async function write(file: string, text: string): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(file));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
