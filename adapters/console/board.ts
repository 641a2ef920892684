/**
 * What stands in the console's threads: people's messages and the agent's posts. A chat platform keeps these on its servers;
 * the console has none, so it keeps them itself.
 *
 * B1. What `say`, `take`, `post`, `edit` or `hide` resolved for is there after a restart.
 * B2. A message's id and a post's key stand once: the second of the same changes nothing and gives back the first.
 * B3. A message that the inbox does not have is not `taken`, and is handed in again at the next start.
 * B4. What `drop` took out is in the file no more, and comes back after no restart.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Slot } from "../../src/core/ports.ts";
import { order } from "../shared/order.ts";
import { type Lines, openLines } from "./lines.ts";
import { type Entry, type Message, type Post, Shelf, type Thread } from "./shelf.ts";

export interface Board {
  /** The latest activity first. */
  threads(): Thread[];
  thread(id: string): Thread | undefined;
  untaken(): Message[];
  find(key: string): Post | undefined;
  /** The thread that a message or post stands in. */
  where(id: string): string | undefined;
  say(message: Omit<Message, "kind" | "taken">): Promise<Message>;
  take(id: string): Promise<void>;
  /** Puts a sign on a message; the same one twice is one. Undefined: no longer kept. */
  sign(id: string, sign: string): Promise<Message | undefined>;
  post(post: Pick<Post, "thread" | "key" | "mark" | "slot" | "file" | "home" | "at">): Promise<Post>;
  /** Ids of the files that what stands speaks of. */
  files(): Set<string>;
  /** Undefined: no longer kept. */
  edit(id: string, slot: Slot): Promise<Post | undefined>;
  hide(id: string): Promise<Post | undefined>;
  /** Takes what is older out of these threads, and out of the file. The ids of files that nothing speaks of any more. */
  drop(threads: (thread: Thread) => boolean, before: number): Promise<string[]>;
  /** How many lines of the file could not be read and were left out. */
  readonly unread: number;
}

/** Of entries in memory, in bytes of their lines. */
const LIMIT = 32_000_000;

export async function openBoard(folder: string, limit = LIMIT): Promise<Board> {
  const shelf = new Shelf(limit);
  const { lines, unread } = await openLines(join(folder, "board.jsonl"), (line) => shelf.put(parse(line), Buffer.byteLength(line)));
  const turns = order();

  /** One write after the other, so that what a write is based on is still so when it lands. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns.run("board", work);
  async function keep<E extends Entry>(entry: E): Promise<E> {
    const line = JSON.stringify(entry);
    await lines.append(line);
    shelf.put(entry, Buffer.byteLength(line));
    await tidy(lines, shelf);
    return entry;
  }
  const change = (id: string, how: (post: Post) => Post): Promise<Post | undefined> =>
    inTurn(async () => {
      const post = shelf.post(id);
      return post && keep(how(post));
    });

  return {
    unread,
    threads: () => shelf.threads(),
    thread: (id) => shelf.thread(id),
    untaken: () => standing(shelf).filter((entry) => entry.kind === "message" && !entry.taken) as Message[],
    find: (key) => shelf.find(key),
    where: (id) => shelf.entry(id)?.thread,
    files: () => new Set(standing(shelf).flatMap(filesOf)),
    drop: (threads, before) => inTurn(() => drop(lines, shelf, threads, before)),
    say: (message) => inTurn(async () => shelf.message(message.id) ?? keep({ kind: "message", ...message, taken: false })),
    take: (id) =>
      inTurn(async () => {
        const message = shelf.message(id);
        if (message && !message.taken) await keep({ ...message, taken: true });
      }),
    sign: (id, sign) =>
      inTurn(async () => {
        const message = shelf.message(id);
        if (!message || message.signs?.includes(sign)) return message;
        return keep({ ...message, signs: [...(message.signs ?? []), sign] });
      }),
    post: (post) =>
      inTurn(async () => shelf.find(post.key) ?? keep({ kind: "post", id: `p${randomBytes(8).toString("hex")}`, ...post, hidden: false })),
    edit: (id, slot) => change(id, (post) => ({ ...post, slot, hidden: false })),
    hide: (id) => change(id, (post) => ({ ...post, slot: { ...post.slot, view: { parts: [], buttons: [] } }, hidden: true })),
  };
}

const standing = (shelf: Shelf): Entry[] => shelf.threads().flatMap((thread) => thread.entries);
/** As they are written down: the thread that was quiet the longest first. */
const lasting = (shelf: Shelf): Entry[] =>
  shelf
    .threads()
    .reverse()
    .flatMap((thread) => thread.entries);
const filesOf = (entry: Entry): string[] =>
  entry.kind === "message" ? (entry.files ?? []).map(({ id }) => id) : entry.file ? [entry.file] : [];

/** The file first: what could not be written anew is still there. */
async function drop(lines: Lines, shelf: Shelf, threads: (thread: Thread) => boolean, before: number): Promise<string[]> {
  const old = (entry: Entry): boolean => entry.at < before && (entry.kind === "post" || entry.taken);
  const found = shelf.threads().filter((thread) => threads(thread) && thread.entries.some(old));
  if (!found.length) return [];
  const gone = new Set(found.flatMap(({ entries }) => entries.filter(old)));
  const left = lasting(shelf).filter((entry) => !gone.has(entry));
  await lines.replace(left.map((entry) => JSON.stringify(entry)));
  for (const thread of found) shelf.drop(thread, old);
  return [...gone].flatMap(filesOf);
}

/** The file holds every change; once most of it is past, it is written anew with what stands. If that fails, it only stays long. */
async function tidy(lines: Lines, shelf: Shelf): Promise<void> {
  if (lines.bytes() < 2 * shelf.bytes + 1_000_000) return;
  await lines.replace(lasting(shelf).map((entry) => JSON.stringify(entry))).catch(() => undefined);
}

function parse(line: string): Entry {
  const entry = JSON.parse(line) as Entry;
  const whole = entry.kind === "message" ? typeof entry.text === "string" : Array.isArray(entry.slot?.view?.parts);
  if (!whole || typeof entry.id !== "string" || typeof entry.thread !== "string") throw new Error("not an entry");
  return entry;
}
