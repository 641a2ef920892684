/**
 * The board in memory: which entries stand after the lines so far. A line is an entry as it is now; the last one of an id counts.
 *
 * Bounded: a thread keeps its latest entries, and over the limit of bytes the thread that was quiet the longest goes.
 * Entries and threads are values, replaced and never changed, so that what was drawn of one can be kept.
 */
import type { Attachment } from "../../src/core/file.ts";
import type { Slot } from "../../src/core/ports.ts";

export interface Message {
  kind: "message";
  id: string;
  thread: string;
  person: string;
  text: string;
  files?: readonly Attachment[];
  at: number;
  /** In which it is said, if that is not the console's own. */
  home?: string;
  /** The inbox has it. */
  taken: boolean;
  /** What the agent answered it with instead of words. */
  signs?: readonly string[];
}
export interface Post {
  kind: "post";
  id: string;
  thread: string;
  key: string;
  /** It may be a repeat, and says so. */
  mark: boolean;
  slot: Slot;
  /** Under which its file is kept. */
  file?: string;
  home?: string;
  at: number;
  hidden: boolean;
}
export type Entry = Message | Post;
export interface Thread {
  id: string;
  /** Undefined: the console's own. */
  home?: string;
  /** Of the latest entry. */
  at: number;
  entries: readonly Entry[];
}

const DEPTH = 2_000;

export class Shelf {
  /** The longest quiet first. */
  private readonly byThread = new Map<string, Thread>();
  private readonly where = new Map<string, { thread: string; bytes: number }>();
  private readonly keys = new Map<string, string>();
  private readonly limit: number;
  bytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  threads(): Thread[] {
    return [...this.byThread.values()].reverse();
  }
  thread(id: string): Thread | undefined {
    return this.byThread.get(id);
  }
  entry(id: string): Entry | undefined {
    const place = this.where.get(id);
    return place && this.thread(place.thread)?.entries.findLast((entry) => entry.id === id);
  }
  message(id: string): Message | undefined {
    const entry = this.entry(id);
    return entry?.kind === "message" ? entry : undefined;
  }
  post(id: string | undefined): Post | undefined {
    const entry = id === undefined ? undefined : this.entry(id);
    return entry?.kind === "post" ? entry : undefined;
  }
  find(key: string): Post | undefined {
    return this.post(this.keys.get(key));
  }

  put(entry: Entry, bytes: number): void {
    const known = this.where.get(entry.id);
    this.where.set(entry.id, { thread: entry.thread, bytes });
    if (entry.kind === "post") this.keys.set(entry.key, entry.id);
    this.bytes += bytes - (known?.bytes ?? 0);
    const begun = { id: entry.thread, at: entry.at, entries: [], ...(entry.home === undefined ? {} : { home: entry.home }) };
    const thread: Thread = this.byThread.get(entry.thread) ?? begun;
    if (known) {
      this.byThread.set(thread.id, { ...thread, entries: thread.entries.map((old) => (old.id === entry.id ? entry : old)) });
    } else {
      this.byThread.delete(thread.id);
      this.byThread.set(thread.id, { ...thread, at: entry.at, entries: this.newest(thread.entries.concat(entry)) });
    }
    while (this.bytes > this.limit && this.byThread.size > 1) this.dropOldest();
  }

  /** What is left of a thread without some of its entries. */
  drop(thread: Thread, gone: (entry: Entry) => boolean): void {
    for (const entry of thread.entries) if (gone(entry)) this.forget(entry);
    const entries = thread.entries.filter((entry) => !gone(entry));
    if (entries.length) this.byThread.set(thread.id, { ...thread, entries });
    else this.byThread.delete(thread.id);
  }

  private newest(entries: Entry[]): Entry[] {
    for (const entry of entries.slice(0, -DEPTH)) this.forget(entry);
    return entries.slice(-DEPTH);
  }
  private dropOldest(): void {
    for (const thread of this.byThread.values()) {
      for (const entry of thread.entries) this.forget(entry);
      this.byThread.delete(thread.id);
      return;
    }
  }
  private forget(entry: Entry): void {
    this.bytes -= this.where.get(entry.id)?.bytes ?? 0;
    this.where.delete(entry.id);
    if (entry.kind === "post") this.keys.delete(entry.key);
  }
}
