/**
 * The thread of a conversation: named by its root message before it is there, opened once, and done without where there can be none.
 *
 * W1. A thread on a message has that message's id. Opening one that is there already gives the same thread.
 * W2. Where no thread can be opened, answers are replies to the root message.
 * W3. Titles are given once, when the thread is opened, and hold no secret.
 */
import { type APIMessage, type Client, Routes } from "discord.js";
import type { Place } from "../../src/core/event.ts";
import { bounded } from "../shared/bounded.ts";
import type { Failure, Outcome } from "../shared/failure.ts";
import type { Scrub } from "../shared/scrubbed.ts";
import type { Door } from "./door.ts";
import { attempt, CODE } from "./outcome.ts";
import type { Places } from "./places.ts";
import { titleOf } from "./text.ts";

/** Where what belongs to a conversation is posted. */
export interface Target {
  channel: string;
  replyTo?: string;
}
export interface Threads {
  target(place: Place): Promise<Outcome<Target>>;
  /** The same, if it is known without asking. */
  known(place: Place): Target | undefined;
  /** Opens the thread of a conversation that just began. Best effort: what is posted opens it too. */
  begin(place: Place, text: string, by: string): Promise<void>;
}

/** There can be no thread: the kind of channel, our rights in it, or too many of them. */
const NONE = new Set<string>([
  CODE.noThreadsHere,
  CODE.noPermission,
  CODE.noAccess,
  CODE.tooManyThreads,
  CODE.unknownMessage,
  CODE.unknownChannel,
]);
const REMEMBERED = 5000;

export function threads(client: Client, door: Door, places: Places, scrub: Scrub): Threads {
  const found = bounded<Target>(REMEMBERED);
  const opening = new Map<string, Promise<Outcome<Target>>>();

  const known = ({ channel, thread }: Place): Target | undefined => {
    if (thread === null || thread === channel) return { channel };
    const cached = client.channels.cache.get(thread);
    return found.get(thread) ?? (cached?.isThread() ? { channel: thread } : undefined);
  };
  const keep = (thread: string, target: Target): Outcome<Target> => {
    found.set(thread, target);
    return { ok: true, value: target };
  };

  async function open(channel: string, thread: string, title: string): Promise<Outcome<Target>> {
    const where = await places.where(channel);
    const reply = { channel, replyTo: thread };
    if (where && !where.threads) return keep(thread, (await isNoThread(thread)) ? reply : { channel: thread });
    const made = await door.startThread(channel, thread, title);
    if (made.ok || made.code === CODE.threadIsThere) return keep(thread, { channel: thread });
    if (NONE.has(made.code)) return (await isNoThread(thread)) ? keep(thread, reply) : keep(thread, { channel: thread });
    // Asked once more, Discord says that the thread is there: there is no doubt to keep.
    return again(made);
  }
  /** Posts in forums and threads without a message are asked for by their own id. */
  const isNoThread = async (thread: string): Promise<boolean> => {
    const channel = await client.channels.fetch(thread).catch(() => null);
    return !channel?.isThread();
  };
  const once = (channel: string, thread: string, title: () => Promise<string>): Promise<Outcome<Target>> => {
    const under = opening.get(thread) ?? title().then((words) => open(channel, thread, words));
    opening.set(thread, under);
    const done = () => opening.delete(thread);
    under.then(done, done);
    return under;
  };
  const titled = (text: string, by: string): string => titleOf(scrub(text), by);
  /** After a restart the words of the root are not at hand any more. */
  const wordsOf = async (channel: string, message: string): Promise<string> => {
    const root = await attempt(client.rest.get(Routes.channelMessage(channel, message)) as Promise<APIMessage>);
    return root.ok ? titled(root.value.content.replace(/<[@#][!&]?\d+>/g, " "), root.value.author.username) : "Conversation";
  };

  return {
    known,
    async target(place) {
      const target = known(place);
      if (target) return { ok: true, value: target };
      const { channel, thread } = place;
      return thread === null ? { ok: true, value: { channel } } : once(channel, thread, () => wordsOf(channel, thread));
    },
    async begin(place, text, by) {
      const { channel, thread } = place;
      if (thread !== null && !known(place)) await once(channel, thread, async () => titled(text, by));
    },
  };
}

const again = (failure: Failure): Failure => ({ ...failure, unsure: false, retryIn: failure.retryIn ?? 60_000 });
