/**
 * What goes on at this moment: typing while work is done, and the progress message while it changes. Best effort throughout.
 *
 * V1. An update that is under way or waiting never lands on a message after its journaled edit or its deletion: `settle` comes first.
 * V2. Nobody is said to type while a person is waited for, or longer than a while without news.
 * V3. Old messages may be edited seldom: they are left alone until their last edit.
 */
import type { Place, Ref } from "../../src/core/event.ts";
import type { Live } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";
import { bounded } from "../shared/bounded.ts";
import { pace } from "../shared/pace.ts";
import { type Scrub, scrubbed } from "../shared/scrubbed.ts";
import type { Door } from "./door.ts";
import { render } from "./render.ts";
import { madeAt } from "./text.ts";
import type { Threads } from "./threads.ts";

/** Discord takes five edits in five seconds in a channel; the last ones belong to answers and cards. */
const EDIT_GAP = 1600;
/** Typing is shown for ten seconds. */
const TYPING_EVERY = 8000;
const TYPING_AT_MOST = 15 * 60_000;
const OLD = 55 * 60_000;

export interface LiveView {
  show(place: Place, live: Live): void;
  /** Before a message is edited or deleted for good. `ended`: nothing about it changes any more. */
  settle(ref: Ref, ended: boolean): Promise<void>;
  stop(): void;
}

export function liveView(door: Door, threads: Threads, scrub: Scrub): LiveView {
  const ended = bounded<true>(2000);
  const typing = typist(door, threads);
  const keyOf = (ref: Ref) => `${ref.channel} ${ref.message}`;
  const updates = pace<{ ref: Ref; view: View }>(EDIT_GAP, async (key, { ref, view }) => {
    const outcome = await door.edit(ref.channel, ref.message, render(scrubbed(view, scrub), "card"));
    if (outcome.ok) return 0;
    if (outcome.retryIn === null) ended.set(key, true);
    return outcome.code === "429" ? (outcome.retryIn ?? 0) : 0;
  });
  return {
    show(place, live) {
      typing.show(place, live.phase === "thinking" || live.phase === "working");
      if (!live.progress || live.phase === "idle") return;
      const { ref } = live.progress;
      if (ended.has(keyOf(ref)) || Date.now() - madeAt(ref.message) > OLD) return;
      updates.offer(ref.channel, keyOf(ref), live.progress);
    },
    async settle(ref, last) {
      if (last) ended.set(keyOf(ref), true);
      await updates.clear(ref.channel, keyOf(ref));
    },
    stop() {
      updates.stop();
      typing.stop();
    },
  };
}

function typist(door: Door, threads: Threads) {
  const busy = new Map<string, { timer: NodeJS.Timeout; since: number }>();
  const rest = (key: string) => {
    clearInterval(busy.get(key)?.timer);
    busy.delete(key);
  };
  const say = (place: Place) => {
    void threads.target(place).then((target) => (target.ok ? door.typing(target.value.channel) : undefined));
  };
  return {
    show(place: Place, works: boolean) {
      const key = `${place.channel} ${place.thread}`;
      const known = busy.get(key);
      if (!works) return rest(key);
      if (known) {
        known.since = Date.now();
        return;
      }
      const one = {
        since: Date.now(),
        timer: setInterval(() => (Date.now() - one.since > TYPING_AT_MOST ? rest(key) : say(place)), TYPING_EVERY).unref(),
      };
      busy.set(key, one);
      say(place);
    },
    stop() {
      for (const key of [...busy.keys()]) rest(key);
    },
  };
}
