/**
 * Up to where everything was taken, kept on disk, so that what was said while we were away can be asked for.
 *
 * G1. Ids are numbers that grow with time on the whole platform, so one says it for all channels of a lane. It never passes a message that
 *     is still being taken, or failed. A lane is what is told by one connection: what another tells says nothing about it.
 * G2. Without the file nothing is caught up: what was said before Denizen came is not for it. From then on everything is.
 */
import type { Log } from "../../src/core/ports.ts";
import { openKept } from "./kept.ts";

const PLACES = 500;
/** What is older is not asked for. */
export const AGE = 24 * 3600_000;

export interface Seen {
  /** A message is being taken; call what comes back with whether it was. */
  begin(id: string, lane?: string): (taken: boolean) => void;
  /** Nothing from this on counts as taken in a lane until what comes back is called. */
  hold(id: string, lane: string): () => void;
  /** Everything up to this was taken. */
  upTo(lane?: string): string | undefined;
  /** Something was taken in a lane. */
  knows(lane: string): boolean;
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
const latest = (one: string | undefined, other: string): string => (one === undefined || isLater(other, one) ? other : one);

export async function openSeen(folder: string, adapter: string, log: Log): Promise<Seen> {
  const file = await openKept(folder, "seen.json", adapter, log);
  const read = readSeen(await file.read());
  let { last, places } = read;
  const lanes = new Map(Object.entries(read.lanes));
  const under = new Map<string, Set<string>>();

  const upTo = (lane = ""): string | undefined => {
    const reached = lane ? (lanes.get(lane) ?? last) : last;
    let first: string | undefined;
    for (const id of under.get(lane) ?? []) if (first === undefined || isLater(first, id)) first = id;
    if (first === undefined) return reached;
    const before = String(BigInt(first) - 1n);
    return reached === undefined || isLater(reached, before) ? before : reached;
  };
  const reach = (lane: string, id: string) => {
    if (lane) lanes.set(lane, latest(lanes.get(lane), id));
    else last = latest(last, id);
  };
  const now = () => ({
    last: upTo(),
    places,
    ...(lanes.size ? { lanes: Object.fromEntries([...lanes.keys()].map((lane) => [lane, upTo(lane)])) } : {}),
  });
  const hold = (id: string, lane: string) => {
    const mine = under.get(lane) ?? new Set<string>();
    under.set(lane, mine.add(id));
    return () => {
      mine.delete(id);
      file.later(now);
    };
  };
  return {
    upTo,
    knows: (lane) => lanes.has(lane),
    hold,
    begin(id, lane = "") {
      const free = hold(id, lane);
      return (taken) => {
        if (!taken) return;
        reach(lane, id);
        free();
      };
    },
    start(id) {
      if (last !== undefined) return;
      last = id;
      void file.write(now());
    },
    places: () => [...places],
    place(name) {
      if (places[0] === name) return;
      places = [name, ...places.filter((one) => one !== name)].slice(0, PLACES);
      file.later(now);
    },
    close: () => file.write(now()),
  };
}

const isId = (value: unknown): value is string => typeof value === "string" && /^\d{1,20}$/.test(value);
const isPlace = (value: unknown): value is string => typeof value === "string" && /^[\w. ]{1,80}$/.test(value);

function readSeen(kept: object): { last: string | undefined; places: string[]; lanes: Record<string, string> } {
  const { last, places, lanes } = kept as { last?: unknown; places?: unknown; lanes?: unknown };
  const known = typeof lanes === "object" && lanes !== null ? Object.entries(lanes) : [];
  return {
    last: isId(last) ? last : undefined,
    places: Array.isArray(places) ? places.filter(isPlace) : [],
    lanes: Object.fromEntries(known.filter((one): one is [string, string] => isId(one[1]))),
  };
}
