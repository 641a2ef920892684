/**
 * A small file of what an adapter has to know after a restart.
 *
 * F1. It is there whole or as it was before. What changed is written at once, but no more than a few times a second, one write at a time.
 * F2. A file that cannot be read is an empty one; one that cannot be written is said in the log, and ends nothing.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../src/core/ports.ts";

const GAP = 200;

export interface Kept {
  /** What stands in it; an empty object if nothing does. */
  read(): Promise<object>;
  write(value: object): Promise<void>;
  /** As soon as it may be: what `now` gives then. */
  later(now: () => object): void;
}

export async function openKept(folder: string, name: string, adapter: string, log: Log): Promise<Kept> {
  const file = join(folder, name);
  await mkdir(folder, { recursive: true });
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  let writing: Promise<void> = Promise.resolve();
  const write = (value: object): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    last = Date.now();
    const text = JSON.stringify(value);
    writing = writing
      .then(() => writeFile(`${file}.new`, text))
      .then(() => rename(`${file}.new`, file))
      .catch((error: unknown) => log.warn({ adapter, file: name, err: error }, "What was taken up to now could not be written down."));
    return writing;
  };
  return {
    write,
    later(now) {
      timer ??= setTimeout(() => void write(now()), Math.max(0, last + GAP - Date.now())).unref();
    },
    async read() {
      try {
        const found: unknown = JSON.parse(await readFile(file, "utf8"));
        return typeof found === "object" && found !== null ? found : {};
      } catch {
        return {};
      }
    },
  };
}
