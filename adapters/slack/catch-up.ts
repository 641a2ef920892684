/**
 * Asks for what was said, changed and taken away while nobody listened: after a start, and after a time without any connection.
 *
 * H1. Only where the bot is a member, within an age and a number of requests, one request at a time: first what is new in each place, then
 *     the threads of conversations in which something is new, or may be, then other threads.
 * H2. What was taken before is taken once all the same. What is said meanwhile does not wait; it may come first.
 * H3. What the inbox does not take holds up nothing else, and is asked for again after a while, also if it was told by Slack itself.
 * H4. What was changed or taken away is looked for among the messages that conversations have, as far as those are still known, where people
 *     talked last. What could not be looked up is taken for unchanged.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { webApi } from "@slack/bolt";
import { AGE, isLater } from "../shared/seen.ts";
import type { Desk } from "./desk.ts";
import type { Take } from "./hear.ts";
import { attempt } from "./outcome.ts";
import { isStamp, micros } from "./text.ts";
import type { MessageEvent } from "./told.ts";

const REQUESTS = 200;
const PAGE = 200;
const PAGES = 3;
const TRIES = 3;
/** By then Slack has given up to tell what was not taken. */
const AGAIN = 7 * 60_000;
/** Of conversations that began before what a place was asked for: those that were talked in last. */
const OLDER = 50;
/** Conversations that are looked through for what was changed: those that were talked in last. */
const TALKED = 50;

export interface CatchUp {
  /** What came after what was taken up to now was missed. */
  begin(): void;
  /** Something was not taken. */
  failed(): void;
  stop(): void;
}
type Listed = NonNullable<webApi.UsersConversationsResponse["channels"]>[number];
interface Said extends Omit<MessageEvent, "channel"> {
  reply_count?: number;
  latest_reply?: string;
}
interface Page {
  messages?: unknown;
  channels?: Listed[];
  response_metadata?: { next_cursor?: string };
}
const number = (ts: string): string => String(micros(ts));
const stamp = (id: string): string => `${id.slice(0, -6)}.${id.slice(-6)}`;

export function catchUp(look: webApi.WebClient, desk: Desk, take: Take, again = AGAIN): CatchUp {
  const { seen, log } = desk;
  const closing = new AbortController();
  let last: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const made: CatchUp = {
    begin() {
      const from = seen.upTo();
      const now = String(Date.now() * 1000);
      if (from === undefined) return seen.start(now);
      const oldest = String((Date.now() - AGE) * 1000);
      const done = seen.begin(String(BigInt(from) + 1n));
      const round = new Round(look, desk, take, closing.signal, oldest, isLater(oldest, from) ? oldest : from);
      last = last
        .then(() => round.run())
        .then(() => done(round.whole))
        .then(() => round.changes())
        .then(() => {
          if (round.refused) made.failed();
        })
        .catch((error: unknown) => {
          if (!closing.signal.aborted) log.warn({ adapter: "slack", err: error }, "What was missed could not be caught up.");
        });
    },
    failed() {
      if (closing.signal.aborted) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        made.begin();
      }, again).unref();
    },
    stop() {
      closing.abort();
      clearTimeout(timer);
    },
  };
  return made;
}

class Round {
  readonly #look: webApi.WebClient;
  readonly #desk: Desk;
  readonly #take: Take;
  readonly #signal: AbortSignal;
  /** Up to where places are looked through; and what came after this was missed. */
  readonly #oldest: string;
  readonly #after: string;
  #left = REQUESTS;
  #channels: ReadonlyMap<string, Listed> = new Map();
  /** A thread is told with its root. */
  readonly #taken = new Set<string>();
  /** Roots below which there is nothing new. */
  readonly #settled = new Set<string>();
  /** False: something has to be asked for again. */
  whole = true;
  /** The inbox did not take something. */
  refused = false;

  constructor(look: webApi.WebClient, desk: Desk, take: Take, signal: AbortSignal, oldest: string, after: string) {
    this.#look = look;
    this.#desk = desk;
    this.#take = take;
    this.#signal = signal;
    this.#oldest = oldest;
    this.#after = after;
  }

  async run(): Promise<void> {
    const listed = await this.#pages((cursor) =>
      this.#look.users.conversations({ types: "public_channel,private_channel,mpim,im", exclude_archived: true, limit: PAGE, ...cursor }),
    );
    this.#channels = new Map(listed.flatMap(({ channels: some = [] }) => some.map((one) => [one.id ?? "", one] as const)));
    const known = new Set(this.#desk.seen.places().filter((thread) => /^\w+ \d+\.\d+$/.test(thread)));
    const below: string[] = [];
    for (const channel of this.#channels.values()) below.push(...(await this.#channel(channel)));
    const first = below.filter((thread) => known.has(thread));
    const older = [...known].filter((thread) => !this.#settled.has(thread)).slice(0, OLDER);
    for (const thread of new Set([...first, ...older, ...below])) {
      const [id = "", root = ""] = thread.split(" ");
      const channel = this.#channels.get(id);
      if (channel) await this.#thread(channel, root);
    }
    if (this.#left <= 0)
      this.#desk.log.warn(
        { adapter: "slack", requests: REQUESTS },
        "More places had to be asked for what was missed than are asked at once.",
      );
    if (this.#taken.size) this.#desk.log.info({ adapter: "slack", messages: this.#taken.size }, "caught up");
  }

  /** Gives the threads below it in which there is something new. */
  async #channel(channel: Listed): Promise<string[]> {
    const asked = { channel: channel.id ?? "", oldest: stamp(this.#oldest), limit: PAGE };
    const found = messagesOf(await this.#pages((cursor) => this.#look.conversations.history({ ...asked, ...cursor })));
    await this.#all(channel, found);
    const fresh = found.filter((root) => this.#hasNew(root)).map(({ ts }) => `${channel.id} ${ts}`);
    for (const { ts } of found) this.#settled.add(`${channel.id} ${ts}`);
    for (const thread of fresh) this.#settled.delete(thread);
    return fresh;
  }

  /** Something is said below it that came later than what was taken, or it may be. */
  #hasNew({ latest_reply: latest, reply_count: replies }: Said): boolean {
    return latest === undefined ? (replies ?? 0) > 0 : isLater(number(latest), this.#after);
  }

  async #thread(channel: Listed, root: string): Promise<void> {
    await this.#all(channel, messagesOf(await this.#replies(channel, root, this.#after)));
  }

  /** After `run`. */
  async changes(): Promise<void> {
    for (const [thread, known] of this.#talked()) {
      const [id = "", root = ""] = thread.split(" ");
      const channel = this.#channels.get(id);
      if (channel) await this.#changed(channel, root, known);
    }
  }

  /** Conversations with the messages they had before, the oldest first. */
  #talked(): [thread: string, known: string[]][] {
    const { seen, taken } = this.#desk;
    const before = (ts: string) => isLater(number(ts), this.#oldest) && !isLater(number(ts), this.#after);
    const talked = seen.places().flatMap((thread): [string, string[]][] => {
      const known = taken.within(thread).flatMap(({ id }) => (before(id) ? [id] : []));
      return known.length ? [[thread, known.sort((one, other) => micros(one) - micros(other))]] : [];
    });
    return talked.slice(0, TALKED);
  }

  async #changed(channel: Listed, root: string, known: readonly string[]): Promise<void> {
    const pages = await this.#replies(channel, root, String(micros(known[0] ?? root) - 1));
    const whole = pages.length > 0 && !pages.at(-1)?.response_metadata?.next_cursor;
    const there = new Map(messagesOf(pages).map((message) => [message.ts, message]));
    const last = Math.max(0, ...[...there.keys()].map(micros));
    for (const ts of known) {
      const message = there.get(ts);
      const edited = message?.edited !== undefined && isLater(number(message.edited.ts), this.#after);
      const gone = message ? message.subtype === "tombstone" : whole || micros(ts) < last;
      if (this.#signal.aborted || !(edited || gone)) continue;
      const at = { type: "message", ts, channel: channel.id ?? "", channel_type: typeOf(channel) };
      const told = gone
        ? { subtype: "message_deleted", deleted_ts: ts, previous_message: { type: "message", ts, thread_ts: root } }
        : { subtype: "message_changed", ...(message ? { message } : {}) };
      await this.#given({ ...at, ...told }, channel);
    }
  }

  #replies(channel: Listed, root: string, after: string): Promise<Page[]> {
    const asked = { channel: channel.id ?? "", ts: root, oldest: stamp(after), limit: PAGE };
    return this.#pages((cursor): Promise<Page> => this.#look.conversations.replies({ ...asked, ...cursor }).catch(nothingThere));
  }

  async #all(channel: Listed, messages: Said[]): Promise<void> {
    const missed = messages.filter(({ ts }) => isLater(number(ts), this.#after)).sort((one, other) => micros(one.ts) - micros(other.ts));
    for (const message of missed) {
      if (this.#signal.aborted) {
        this.whole = false;
        return;
      }
      const key = `${channel.id} ${message.ts}`;
      if (this.#taken.has(key)) continue;
      this.#taken.add(key);
      await this.#given({ ...message, type: "message", channel: channel.id ?? "", channel_type: typeOf(channel) }, channel);
    }
  }

  async #given(event: MessageEvent, channel: Listed): Promise<void> {
    try {
      await this.#take(event, isShared(channel), true);
    } catch (error) {
      this.whole = false;
      this.refused = true;
      this.#desk.log.warn({ adapter: "slack", channel: event.channel, err: error }, "Something that was missed could not be taken.");
    }
  }

  async #pages<T extends Page>(call: (cursor: { cursor?: string }) => Promise<T>): Promise<T[]> {
    const found: T[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined && found.length < PAGES; ) {
      const page: T | undefined = await this.#ask(() => call(cursor ? { cursor } : {}));
      if (page) found.push(page);
      cursor = page?.response_metadata?.next_cursor || undefined;
    }
    return found;
  }

  async #ask<T>(call: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; tries < TRIES && this.#left > 0 && !this.#signal.aborted; tries++) {
      this.#left--;
      const found = await attempt(call());
      if (found.ok) return found.value;
      if (found.code !== "ratelimited") {
        this.whole &&= found.retryIn === null;
        this.#desk.log.warn({ adapter: "slack", code: found.code }, `What was missed could not be asked for: ${found.reason}`);
        return undefined;
      }
      await pause(found.retryIn ?? 0, undefined, { signal: this.#signal });
    }
    if (this.#left > 0) this.whole = false;
    return undefined;
  }
}

/** Of a thread whose first message was taken away nothing is left. */
function nothingThere(error: { data?: { error?: string } }): Page {
  if (error.data?.error === "thread_not_found") return { messages: [] };
  throw error;
}
const messagesOf = (pages: readonly Page[]): Said[] =>
  pages.flatMap(({ messages }) => (Array.isArray(messages) ? (messages as Said[]).filter(({ ts }) => isStamp(ts)) : []));
const isShared = (channel: Listed): boolean => channel.is_ext_shared === true;
const typeOf = (channel: Listed): string =>
  channel.is_im ? "im" : channel.is_mpim ? "mpim" : channel.is_private === false ? "channel" : "group";
