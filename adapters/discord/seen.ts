/**
 * Up to where everything was taken, kept on disk, so that what was said while we were away can be asked for.
 *
 * G1. Discord's ids grow with time, so one id says it for all channels. It never passes a message that is still being taken, or failed.
 * G2. Without the file nothing is caught up: what was said before Denizen came is not for it. From then on everything is.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../src/core/ports.ts";
import { isLater } from "./text.ts";

const SAVE_AFTER = 1000;
const DIRECT = 500;

export interface Seen {
  /** A message is being taken; call what comes back with whether it was. */
  begin(id: string): (taken: boolean) => void;
  /** Everything up to this was taken. */
  upTo(): string | undefined;
  /** Nothing before this is for us; only if nothing was taken yet. */
  start(id: string): void;
  /** The channels of direct messages, the latest first: Discord lists them nowhere. */
  directs(): string[];
  direct(channel: string): void;
  /** Writes what was not written yet. */
  close(): Promise<void>;
}

export async function openSeen(folder: string, log: Log): Promise<Seen> {
  const file = join(folder, "seen.json");
  await mkdir(folder, { recursive: true });
  const read = await load(file);
  let last = read.last;
  let direct = read.direct;
  const under = new Set<{ id: string }>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const upTo = (): string | undefined => {
    let first: string | undefined;
    for (const { id } of under) if (first === undefined || isLater(first, id)) first = id;
    if (first === undefined) return last;
    const before = String(BigInt(first) - 1n);
    return last === undefined || isLater(last, before) ? before : last;
  };
  const save = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const text = JSON.stringify({ last: upTo(), direct });
    writing = writing
      .then(() => writeFile(`${file}.new`, text))
      .then(() => rename(`${file}.new`, file))
      .catch((error: unknown) => log.warn({ adapter: "discord", err: error }, "What was taken up to could not be written down."));
    return writing;
  };
  const later = () => {
    timer ??= setTimeout(() => void save(), SAVE_AFTER).unref();
  };
  return {
    upTo,
    begin(id) {
      const one = { id };
      under.add(one);
      return (taken) => {
        if (!taken) return;
        under.delete(one);
        if (last === undefined || isLater(id, last)) last = id;
        later();
      };
    },
    start(id) {
      if (last !== undefined) return;
      last = id;
      void save();
    },
    directs: () => [...direct],
    direct(channel) {
      if (direct[0] === channel) return;
      direct = [channel, ...direct.filter((one) => one !== channel)].slice(0, DIRECT);
      later();
    },
    close: save,
  };
}

const isId = (value: unknown): value is string => typeof value === "string" && /^\d{1,20}$/.test(value);

async function load(file: string): Promise<{ last: string | undefined; direct: string[] }> {
  try {
    const { last, direct } = JSON.parse(await readFile(file, "utf8")) as { last?: unknown; direct?: unknown };
    return { last: isId(last) ? last : undefined, direct: Array.isArray(direct) ? direct.filter(isId) : [] };
  } catch {
    return { last: undefined, direct: [] };
  }
}
