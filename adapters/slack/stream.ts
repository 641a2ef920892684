/**
 * Progress as Slack streams it: tasks that change in place, in conversations with one person. It is the progress message itself, shown in
 * another way; a channel's is posted and edited, for there a stream is addressed to one of those who read it.
 *
 * E1. A stream becomes an ordinary message, and is edited from then on, before Slack ends it by itself, while a person is waited for, before
 *     its last edit, and when it shows what tasks cannot.
 * E2. It bears no key until it is closed. Before, it is found by the id of the row its button is in.
 * E3. Where Slack refuses streams, none is tried again.
 */
import type { types, webApi } from "@slack/bolt";
import type { Place, Ref } from "../../src/core/event.ts";
import type { View } from "../../src/core/view.ts";
import { clip, hushAll } from "../shared/escape.ts";
import type { Outcome } from "../shared/failure.ts";
import { rowsOf } from "./blocks.ts";
import { carrying, labelOf } from "./key.ts";
import { LIMIT } from "./limits.ts";
import { attempt, elsewhere } from "./outcome.ts";
import { type Task, tasksOf } from "./plan.ts";

/** Slack ends a stream after five minutes, however busy it is. */
const LIFE = 4 * 60_000;

export interface Streams {
  /** Undefined: this is not streamed, post it. */
  open(place: Place, key: string, view: View): Promise<Outcome<Ref> | undefined>;
  has(ref: Ref): boolean;
  /** Undefined: this is no stream, or not any more. */
  grow(ref: Ref, view: View): Promise<Outcome<unknown> | undefined>;
  /** From then on it is a message like any other. */
  close(ref: Ref): Promise<void>;
  /** One that an earlier life left open. */
  end(ref: Ref): Promise<void>;
  stop(): Promise<void>;
}
interface Stream {
  ref: Ref;
  key: string;
  /** What stands in it, by id. */
  shown: Map<string, string>;
  timer: NodeJS.Timeout;
  closing: Promise<void> | undefined;
}
type Chunk = types.AnyChunk;

const nameOf = ({ channel, message }: Ref): string => `${channel} ${message}`;

export function streams(client: webApi.WebClient, life = LIFE): Streams {
  const open = new Map<string, Stream>();
  let refused = false;

  async function close(stream: Stream): Promise<void> {
    clearTimeout(stream.timer);
    stream.closing ??= end(stream.ref, stream.key);
    await stream.closing;
    open.delete(nameOf(stream.ref));
  }
  async function end({ channel, message }: Ref, key?: string): Promise<void> {
    await attempt(client.chat.stopStream({ channel, ts: message, ...(key === undefined ? {} : carrying(key)) }));
  }
  return {
    async open(place, key, view) {
      const chunks = chunksOf(view, new Map());
      if (refused || place.thread === null || !place.channel.startsWith("D") || !chunks) return undefined;
      const row: Chunk = { type: "blocks", blocks: rowsOf(view.buttons).map((block) => ({ ...block, block_id: labelOf(key) })) };
      const asked = { channel: place.channel, thread_ts: place.thread, task_display_mode: "plan", chunks: [...chunks, row] };
      const begun = await attempt(client.chat.startStream(asked));
      if (!begun.ok) {
        if (begun.unsure) return begun;
        refused ||= begun.retryIn === null && !elsewhere(begun.code);
        return undefined;
      }
      const ref = { channel: place.channel, message: begun.value.ts ?? "" };
      const timer = setTimeout(() => void close(stream), life).unref();
      const stream: Stream = { ref, key, shown: shownBy(chunks, new Map()), timer, closing: undefined };
      open.set(nameOf(ref), stream);
      return { ok: true, value: ref };
    },
    has: (ref) => open.has(nameOf(ref)),
    async grow(ref, view) {
      const stream = open.get(nameOf(ref));
      if (!stream || stream.closing) return undefined;
      const chunks = chunksOf(view, stream.shown);
      if (chunks?.length === 0) return { ok: true, value: undefined };
      const grown = chunks && (await attempt(client.chat.appendStream({ channel: ref.channel, ts: ref.message, chunks })));
      if (grown && (grown.ok || grown.unsure || grown.code === "ratelimited")) {
        if (grown.ok) shownBy(chunks, stream.shown);
        return grown;
      }
      await close(stream);
      return undefined;
    },
    async close(ref) {
      const stream = open.get(nameOf(ref));
      if (stream) await close(stream);
    },
    end,
    async stop() {
      await Promise.all([...open.values()].map(close));
    },
  };
}

/** What of a view does not stand yet; undefined if tasks cannot show it. */
function chunksOf(view: View, shown: ReadonlyMap<string, string>): Chunk[] | undefined {
  const tasks = tasksOf(view);
  if (!tasks || [...shown.keys()].some((id) => id !== TITLE && !tasks.some((task) => task.id === id))) return undefined;
  const title: Chunk = { type: "plan_update", title: titleOf(view) };
  const all: Chunk[] = [title, ...tasks.map((task: Task): Chunk => ({ type: "task_update", ...task }))];
  return all.filter((chunk) => shown.get(idOf(chunk)) !== JSON.stringify(chunk));
}
const TITLE = "";
const idOf = (chunk: Chunk): string => ("id" in chunk ? chunk.id : TITLE);
function shownBy(chunks: readonly Chunk[], shown: Map<string, string>): Map<string, string> {
  for (const chunk of chunks) shown.set(idOf(chunk), JSON.stringify(chunk));
  return shown;
}

/** What the model said beside its calls stands above them. */
function titleOf({ title = "Working", parts }: View): string {
  const said = parts.flatMap((part) => (part.kind === "quoted" ? [part.text.trim().split("\n")[0] ?? ""] : []))[0];
  return clip(hushAll(said || title), LIMIT.task);
}
