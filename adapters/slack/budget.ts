/**
 * How much Slack takes of one kind of call, in each channel and together.
 *
 * G1. `wait` gives 0: now. Else nothing may be sent, and who asked comes back after that time.
 * G2. Answers and cards stand in line before all else that is kept; what is only of this moment has no place and goes when nothing waits.
 * G3. Where Slack refused, nothing is sent before the time it named, and for a while no two calls closer than the gap.
 * G4. The line holds what waits and no more: a place nobody came for is given up.
 */
import { bounded } from "../shared/bounded.ts";

export type Rank = "first" | "kept" | "moment";
export interface Budget {
  /** `key`: what is to be sent. */
  wait(channel: string, key: string, rank: Rank): number;
  refused(channel: string, ms: number): void;
  /** It is not to be sent any more. */
  forget(channel: string, key: string): void;
}
export interface Rates {
  /** Between two calls in a channel where Slack limits them, in ms. */
  gap: number;
  /** Of all channels together, for what is of this moment: one in so many ms, after a burst. In a channel it keeps the gap. */
  together?: { gap: number; burst: number };
}
interface Lane {
  until: number;
  strictUntil: number;
  last: number;
  line: Map<string, { rank: Rank; at: number }>;
}

const CHANNELS = 1000;
const KEPT = 10_000;
const STRICT = 60_000;

export function budget({ gap, together }: Rates, now: () => number = Date.now): Budget {
  const lanes = bounded<Lane>(CHANNELS);
  let quietUntil = 0;
  let left = together?.burst ?? 0;
  let filled = now();

  const laneOf = (channel: string): Lane => {
    const lane = lanes.get(channel) ?? { until: 0, strictUntil: 0, last: 0, line: new Map() };
    lanes.set(channel, lane);
    for (const [key, place] of lane.line) if (place.at < now() - KEPT) lane.line.delete(key);
    return lane;
  };
  /** When what is of this moment may go as far as all channels together are concerned. */
  const fromAll = (at: number): number => {
    if (!together) return quietUntil;
    left = Math.min(together.burst, left + (at - filled) / together.gap);
    filled = at;
    return Math.max(quietUntil, left >= 1 ? 0 : at + (1 - left) * together.gap);
  };
  /** Whoever has a place keeps it, however late they come; it yields only to what goes first. */
  const placeOf = ({ line }: Lane, key: string, rank: Rank, from: number): number => {
    const own = line.get(key)?.at;
    const others = [...line].flatMap(([name, one]) => (name === key ? [] : [one]));
    const first = others.filter((one) => one.rank === "first");
    if (rank === "moment") return Math.max(from, ...others.map(({ at }) => at + gap));
    if (rank === "first") return own === undefined ? free(first, from, gap) : Math.max(from, own);
    const kept = Math.max(from, own ?? 0);
    return own !== undefined && first.every(({ at }) => at > kept + gap / 2) ? kept : free(others, from, gap);
  };

  return {
    wait(channel, key, rank) {
      const at = now();
      const lane = laneOf(channel);
      const spaced = at < lane.strictUntil || (rank === "moment" && together !== undefined);
      const open = Math.max(at, lane.until, spaced ? lane.last + gap : 0, rank === "moment" ? fromAll(at) : 0);
      const from = placeOf(lane, key, rank, open);
      if (from > at) {
        if (rank !== "moment") lane.line.set(key, { rank, at: from });
        return from - at;
      }
      lane.line.delete(key);
      left--;
      lane.last = at;
      return 0;
    },
    forget(channel, key) {
      lanes.get(channel)?.line.delete(key);
    },
    refused(channel, ms) {
      const lane = laneOf(channel);
      lane.until = Math.max(lane.until, now() + ms);
      lane.strictUntil = lane.until + STRICT;
      quietUntil = Math.max(quietUntil, lane.until);
    },
  };
}

/** The first time from which on nobody else has a place for as long as the gap. */
function free(places: readonly { at: number }[], from: number, gap: number): number {
  let time = from;
  for (const { at } of [...places].sort((one, other) => one.at - other.at)) {
    if (at >= time + gap) break;
    if (at > time - gap) time = at + gap;
  }
  return time;
}
