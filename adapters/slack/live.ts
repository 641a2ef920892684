/**
 * What goes on at this moment: the status line of a thread, and the progress message while it changes. Best effort throughout.
 *
 * V1. An update that is under way or waiting never lands on a message after its journaled edit or its deletion: `settle` comes first.
 * V2. What changes goes behind what is kept: it is sent when nothing else waits, and only its newest state.
 * V3. While a person is waited for, nothing is streamed.
 */
import type { webApi } from "@slack/bolt";
import type { Place, Ref } from "../../src/core/event.ts";
import type { Live } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";
import { bounded } from "../shared/bounded.ts";
import { pace } from "../shared/pace.ts";
import type { Scrub } from "../shared/scrubbed.ts";
import type { Clean } from "./desk.ts";
import type { Posts } from "./posts.ts";
import { statusLine } from "./status.ts";
import type { Streams } from "./stream.ts";

/** Between two changes of a message that nothing else slows down. */
const GAP = 250;
const ENDED = 2000;

export interface LiveView {
  show(place: Place, live: Live): void;
  /** Before a message is edited or deleted for good. `ended`: nothing about it changes any more. */
  settle(ref: Ref, ended: boolean): Promise<void>;
  posted(place: Place): void;
  /** Threads in which an earlier life may have left a status. */
  sweep(threads: readonly string[]): void;
  stop(): Promise<void>;
}
export interface LiveOptions {
  client: webApi.WebClient;
  streams: Streams;
  there: () => { posts: Pick<Posts, "redraw" | "rest">; clean: Clean };
  scrub: Scrub;
}

export function liveView({ client, streams, there, scrub }: LiveOptions): LiveView {
  const ended = bounded<true>(ENDED);
  const status = statusLine(client, scrub);
  const keyOf = (ref: Ref) => `${ref.channel} ${ref.message}`;
  const updates = pace<{ ref: Ref; view: View }>(
    GAP,
    async (key, { ref, view }) => {
      const outcome = await there().posts.redraw(ref, view);
      if (!outcome.ok && outcome.code === "message_not_found") ended.set(key, true);
      return 0;
    },
    (channel) => there().posts.rest(channel),
  );
  /** Streamed messages have a rate of their own, each. */
  const growing = pace<{ ref: Ref; view: View; waits: boolean }>(GAP, async (key, { ref, view, waits }) => {
    if (waits) await streams.close(ref);
    const outcome = waits ? undefined : await streams.grow(ref, await there().clean(view));
    if (!outcome && !ended.has(key)) updates.offer(ref.channel, key, { ref, view });
    return outcome?.ok === false && outcome.code === "ratelimited" ? (outcome.retryIn ?? 0) : 0;
  });

  return {
    show(place, live) {
      status.show(place, live);
      if (!live.progress || live.phase === "idle") return;
      const { ref, view } = live.progress;
      const key = keyOf(ref);
      if (ended.has(key)) return;
      if (streams.has(ref)) growing.offer(key, key, { ref, view, waits: live.phase === "waiting" });
      else updates.offer(ref.channel, key, { ref, view });
    },
    async settle(ref, last) {
      const key = keyOf(ref);
      if (last) ended.set(key, true);
      await growing.clear(key, key);
      await updates.clear(ref.channel, key);
      await streams.close(ref);
    },
    posted: status.posted,
    sweep: status.sweep,
    async stop() {
      updates.stop();
      growing.stop();
      await Promise.all([status.stop(), streams.stop()]);
    },
  };
}
