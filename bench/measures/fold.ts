/** The pure core by itself. */

import { LIMITS, next } from "../../src/core/next.ts";
import { INITIAL, reduce } from "../../src/core/state.ts";
import { transcript } from "../../src/core/transcript.ts";
import { ANN, eventsOf, fold as folded, sessionOf } from "../rig/history.ts";
import { limitRow, type Row } from "../row.ts";

const TIMES = 5;

export async function fold(): Promise<Row[]> {
  const session = sessionOf("t");
  const events = eventsOf(100, session, "t", 50);
  const some = eventsOf(700, session, "t").slice(0, 10_000);
  const states = Array.from({ length: TIMES }, () => folded(events));
  const [long = INITIAL] = states;
  const ready = folded([
    ...eventsOf(750, session, "t"),
    { type: "message.received", at: 1, id: "x", by: ANN, text: "And now?", heard: false },
  ]);
  return [
    limitRow(
      "fold of 10,000 events",
      best(() => some.reduce(reduce, INITIAL)),
      250,
      "ms",
      "no target was set: this one is ours",
    ),
    limitRow(
      "transcript of 5,000 calls, nothing of it made before",
      Math.min(...states.map((state) => timed(() => transcript(state)))),
      50,
      "ms",
    ),
    limitRow(
      "the same, again",
      best(() => transcript(long)),
      50,
      "ms",
    ),
    limitRow(
      "next on a state of 3,000 messages",
      best(() => next(ready, Date.now(), new Set(), LIMITS)),
      1,
      "ms",
      "no target was set: this one is ours",
    ),
  ];
}

function timed(act: () => unknown): number {
  const began = performance.now();
  act();
  return performance.now() - began;
}
/** The best of some: what the machine does beside is not ours. */
const best = (act: () => unknown): number => Math.min(...Array.from({ length: TIMES }, () => timed(act)));
