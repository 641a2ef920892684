/**
 * The status line of a thread.
 *
 * U1. It is empty while a person is waited for and when nothing goes on: also where an earlier life or a stop left something standing. The
 *     first word about a thread is sent even if it is an empty one, and threads talked in last are swept at the start.
 * U2. A status calls nobody, whatever it names.
 * U3. A status that Slack refuses is not tried again in that thread, or nowhere if it works nowhere.
 */
import type { webApi } from "@slack/bolt";
import type { Place } from "../../src/core/event.ts";
import type { Live } from "../../src/core/ports.ts";
import { bounded } from "../shared/bounded.ts";
import { clip, hushAll } from "../shared/escape.ts";
import { pace } from "../shared/pace.ts";
import type { Scrub } from "../shared/scrubbed.ts";
import { within } from "../shared/within.ts";
import { attempt } from "./outcome.ts";

const GAP = 500;
/** Slack takes a status away after two minutes. */
const LASTS = 90_000;
const THREADS = 2000;
/** How many threads may have been left with a status. */
const SWEPT = 20;
const CLEARED_WITHIN = 1500;
const NOWHERE = /^(missing_scope|unknown_method|not_allowed_token_type)$/;

export interface StatusLine {
  show(place: Place, live: Live): void;
  /** Slack takes the status away when the app posts in the thread. */
  posted(place: Place): void;
  /** `threads`: as `channel thread`, those talked in last first. */
  sweep(threads: readonly string[]): void;
  /** Takes away what still stands. */
  stop(): Promise<void>;
}

export function statusLine(client: webApi.WebClient, scrub: Scrub): StatusLine {
  const last = bounded<{ text: string; at: number }>(THREADS);
  const standing = new Set<string>();
  const off = bounded<true>(THREADS);
  let offEverywhere = false;
  let quietUntil = 0;

  async function send(key: string, status: string): Promise<number> {
    const [channel_id = "", thread_ts = ""] = key.split(" ");
    if (status) standing.add(key);
    const outcome = await attempt(client.assistant.threads.setStatus({ channel_id, thread_ts, status }));
    if (outcome.ok ? !status : outcome.retryIn === null) standing.delete(key);
    if (outcome.ok) return 0;
    if (outcome.code === "ratelimited") quietUntil = Date.now() + (outcome.retryIn ?? 0);
    if (outcome.retryIn !== null) {
      // After an empty one no other word may come; else it is said again with the next.
      if (last.get(key)?.text === "") lines.offer(key, key, "");
      else last.delete(key);
      return status === "" ? outcome.retryIn : 0;
    }
    last.delete(key);
    if (NOWHERE.test(outcome.code)) offEverywhere = true;
    off.set(key, true);
    return 0;
  }
  const lines = pace<string>(GAP, send, () => quietUntil - Date.now());
  const put = (key: string, text: string): void => {
    if (offEverywhere || off.has(key)) return;
    if (stands(last.get(key), text)) return;
    last.set(key, { text, at: Date.now() });
    lines.offer(key, key, text);
  };

  return {
    show(place, live) {
      if (place.thread !== null) put(keyOf(place), scrub(statusOf(live)));
    },
    posted(place) {
      const known = last.get(keyOf(place));
      if (!known) return;
      known.at = 0;
      if (known.text) standing.delete(keyOf(place));
    },
    sweep(threads) {
      for (const key of threads.slice(0, SWEPT)) if (!last.has(key)) put(key, "");
    },
    async stop() {
      const cleared = async (key: string) => {
        await lines.clear(key, key);
        await send(key, "");
      };
      const all = offEverywhere ? [] : [...standing].map(cleared);
      lines.stop();
      await within(CLEARED_WITHIN, Promise.all(all), undefined);
    },
  };
}

const stands = (before: { text: string; at: number } | undefined, text: string): boolean =>
  before?.text === text && (text === "" || Date.now() - before.at < LASTS);
const keyOf = (place: Place): string => `${place.channel} ${place.thread}`;

export function statusOf(live: Live): string {
  if (live.phase === "idle" || live.phase === "waiting") return "";
  const doing = live.progress?.view.parts
    .flatMap((part) => (part.kind === "todos" ? part.todos : []))
    .find((todo) => todo.status === "in_progress");
  if (doing) return clip(hushAll(`is working on: ${doing.content}`), 100);
  return live.phase === "thinking" ? "is thinking…" : "is working…";
}
