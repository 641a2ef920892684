/**
 * Up to where everything was taken, kept on disk, so that what was said while we were away can be asked for.
 *
 * G1. Ids are numbers that grow with time on the whole platform, so one says it for all channels. It never passes a message that is still
 *     being taken, or failed.
 * G2. Without the file nothing is caught up: what was said before Denizen came is not for it. From then on everything is.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../src/core/ports.ts";

const SAVE_AFTER = 1000;
const PLACES = 500;

export interface Seen {
  /** A message is being taken; call what comes back with whether it was. */
  begin(id: string): (taken: boolean) => void;
  /** Everything up to this was taken. */
  upTo(): string | undefined;
  /** Nothing before this is for us; only if nothing was taken yet. */
  start(id: string): void;
  /** Places that the platform lists nowhere, the latest first. */
  places(): string[];
  place(name: string): void;
  /** Writes what was not written yet. */
  close(): Promise<void>;
}

/** Whether the first was made after the second. */
export const isLater = (one: string, other: string): boolean => BigInt(one) > BigInt(other);

export async function openSeen(folder: string, adapter: string, log: Log): Promise<Seen> {
  const file = join(folder, "seen.json");
  await mkdir(folder, { recursive: true });
  const read = await load(file);
  let last = read.last;
  let places = read.places;
  const under = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const upTo = (): string | undefined => {
    let first: string | undefined;
    for (const id of under) if (first === undefined || isLater(first, id)) first = id;
    if (first === undefined) return last;
    const before = String(BigInt(first) - 1n);
    return last === undefined || isLater(last, before) ? before : last;
  };
  const save = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const text = JSON.stringify({ last: upTo(), places });
    writing = writing
      .then(() => writeFile(`${file}.new`, text))
      .then(() => rename(`${file}.new`, file))
      .catch((error: unknown) => log.warn({ adapter, err: error }, "What was taken up to could not be written down."));
    return writing;
  };
  const later = () => {
    timer ??= setTimeout(() => void save(), SAVE_AFTER).unref();
  };
  return {
    upTo,
    begin(id) {
      under.add(id);
      return (taken) => {
        if (!taken) return;
        under.delete(id);
        if (last === undefined || isLater(id, last)) last = id;
        later();
      };
    },
    start(id) {
      if (last !== undefined) return;
      last = id;
      void save();
    },
    places: () => [...places],
    place(name) {
      if (places[0] === name) return;
      places = [name, ...places.filter((one) => one !== name)].slice(0, PLACES);
      later();
    },
    close: save,
  };
}

const isId = (value: unknown): value is string => typeof value === "string" && /^\d{1,20}$/.test(value);
const isPlace = (value: unknown): value is string => typeof value === "string" && /^[\w. ]{1,80}$/.test(value);

async function load(file: string): Promise<{ last: string | undefined; places: string[] }> {
  try {
    const { last, places } = JSON.parse(await readFile(file, "utf8")) as { last?: unknown; places?: unknown };
    return { last: isId(last) ? last : undefined, places: Array.isArray(places) ? places.filter(isPlace) : [] };
  } catch {
    return { last: undefined, places: [] };
  }
}
