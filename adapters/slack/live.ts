/**
 * What goes on at this moment: the status line of a thread, and the progress message while it changes. Best effort throughout.
 *
 * V1. An update that is under way or waiting never lands on a message after its journaled edit or its deletion: `settle` comes first.
 * V2. The status is empty while a person is waited for. A status that Slack refuses is not tried again in that thread.
 */
import type { webApi } from "@slack/bolt";
import type { Place, Ref } from "../../src/core/event.ts";
import type { Live } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";
import { clip } from "../shared/escape.ts";
import type { Failure } from "../shared/failure.ts";
import { pace } from "../shared/pace.ts";
import { type Scrub, scrubbed } from "../shared/scrubbed.ts";
import { render } from "./blocks.ts";
import { attempt } from "./outcome.ts";

/** Slack takes one update a second in a channel, with short bursts. */
const UPDATE_GAP = 1100;
const STATUS_GAP = 500;
/** Slack takes a status away after two minutes. */
const STATUS_LASTS = 90_000;

export interface LiveView {
  show(place: Place, live: Live): void;
  /** Before a message is edited or deleted for good. `ended`: nothing about it changes any more. */
  settle(ref: Ref, ended: boolean): Promise<void>;
  /** Slack takes the status away when the app posts in the thread. */
  posted(place: Place): void;
  stop(): void;
}

export function liveView(client: webApi.WebClient, scrub: Scrub): LiveView {
  const ended = new Set<string>();
  const status = statusLine(client, scrub);
  const updates = pace<{ ref: Ref; view: View }>(UPDATE_GAP, async (_key, { ref, view }) => {
    const outcome = await attempt(
      client.chat.update({ channel: ref.channel, ts: ref.message, ...render(scrubbed(view, scrub), "progress") }),
    );
    return outcome.ok ? 0 : restOf(outcome);
  });
  const keyOf = (ref: Ref) => `${ref.channel} ${ref.message}`;

  return {
    show(place, live) {
      status.show(place, live);
      if (!live.progress || live.phase === "idle" || ended.has(keyOf(live.progress.ref))) return;
      updates.offer(live.progress.ref.channel, keyOf(live.progress.ref), live.progress);
    },
    async settle(ref, last) {
      if (last) remember(ended, keyOf(ref));
      await updates.clear(ref.channel, keyOf(ref));
    },
    posted: status.posted,
    stop() {
      updates.stop();
      status.stop();
    },
  };
}

const restOf = (failure: Failure): number => (failure.code === "ratelimited" ? (failure.retryIn ?? 0) : 0);

function remember(set: Set<string>, key: string): void {
  set.add(key);
  const [oldest] = set;
  if (set.size > 2000 && oldest !== undefined) set.delete(oldest);
}

function statusLine(client: webApi.WebClient, scrub: Scrub) {
  const last = new Map<string, { text: string; at: number }>();
  const off = new Set<string>();
  let offEverywhere = false;
  const lines = pace<{ place: Place; text: string }>(STATUS_GAP, async (key, { place, text }) => {
    const outcome = await attempt(
      client.assistant.threads.setStatus({ channel_id: place.channel, thread_ts: place.thread ?? "", status: text }),
    );
    if (outcome.ok || outcome.retryIn !== null) return outcome.ok ? 0 : restOf(outcome);
    // Without the scope or the method it works nowhere; else this kind of place has none.
    if (/^(missing_scope|unknown_method|not_allowed_token_type)$/.test(outcome.code)) offEverywhere = true;
    remember(off, key);
    return 0;
  });
  const threadOf = (place: Place) => `${place.channel} ${place.thread}`;
  return {
    show(place: Place, live: Live) {
      if (place.thread === null || offEverywhere || off.has(threadOf(place))) return;
      const key = threadOf(place);
      const text = scrub(statusOf(live));
      const before = last.get(key);
      if ((before?.text ?? "") === text && (text === "" || (before !== undefined && Date.now() - before.at < STATUS_LASTS))) return;
      if (text === "") last.delete(key);
      else last.set(key, { text, at: Date.now() });
      lines.offer(key, key, { place, text });
    },
    posted(place: Place) {
      const known = last.get(threadOf(place));
      if (known) known.at = 0;
    },
    stop: () => lines.stop(),
  };
}

export function statusOf(live: Live): string {
  if (live.phase === "idle" || live.phase === "waiting") return "";
  const doing = live.progress?.view.parts
    .flatMap((part) => (part.kind === "todos" ? part.todos : []))
    .find((todo) => todo.status === "in_progress");
  if (doing) return clip(`is working on: ${doing.content}`, 100);
  return live.phase === "thinking" ? "is thinking…" : "is working…";
}
