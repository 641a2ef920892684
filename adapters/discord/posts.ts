/**
 * The messages Denizen keeps at Discord: posts, edits, deletes, and looks for one that is in doubt.
 *
 * M1. A post carries an enforced nonce made of its key: repeated within some minutes it gives back the message that stands, so that only a
 *     repeat after a long pause can be a second one, and that one bears the mark.
 * M5. Discord tells a nonce nowhere but in the event of the creation: `find` knows what that event told. After a restart it recognises what
 *     has buttons by the number of their row; an answer has none, and "absent" leads to the repeat that is harmless.
 * M2. What came back from a marked repeat without the mark is the earlier message: it is brought up to date and stands without a mark.
 * M6. A file goes with its message, in the same post, and is never edited.
 * M3. A message that can no longer be edited is taken away, and said to be gone.
 * M4. Nothing is given up because a guild is away: it waits until we are back.
 */
import type { APIMessage } from "discord.js";
import type { Place, Ref } from "../../src/core/event.ts";
import { sizeText } from "../../src/core/file.ts";
import type { Posted, Slot } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";
import { bounded } from "../shared/bounded.ts";
import { type Failure, notPosted, type Outcome } from "../shared/failure.ts";
import { MARK, noted } from "../shared/noted.ts";
import { type Scrub, scrubbed } from "../shared/scrubbed.ts";
import { type CreateOptions, type Door, nonceOf, rowOf } from "./door.ts";
import { LARGEST } from "./files.ts";
import { named as byName, type Naming } from "./named.ts";
import { CODE } from "./outcome.ts";
import { type Manner, NOTHING, type Rendered, render } from "./render.ts";
import type { Threads } from "./threads.ts";

const AWAY_FOR = 10 * 60_000;
/** There is nothing to edit: it was taken away, or is too old to be edited again. */
const GONE = new Set<string>([CODE.unknownMessage, CODE.tooManyOldEdits]);
const AWAY = new Set<string>([CODE.noAccess, CODE.unknownChannel, CODE.unknownGuild, CODE.noPermission]);

export interface Posts {
  post(place: Place, slot: Slot, key: string, mark: boolean, bytes?: Uint8Array): Promise<Posted>;
  edit(place: Place, ref: Ref, slot: Slot): Promise<Posted>;
  hide(place: Place, ref: Ref): Promise<Posted>;
  find(place: Place, key: string): Promise<{ found: Ref } | "absent" | "unknown">;
  /** Without a key: an answer to a command that all may see. */
  say(place: Place, view: View): Promise<Outcome<unknown>>;
  /** In the person's direct messages: outside an interaction Discord knows no other way to speak to one person. */
  whisper(person: string, view: View): Promise<Outcome<unknown>>;
  /** A view as a message: scrubbed, in Discord's idiom. */
  shape(view: View): Rendered;
  /** A message of ours, as the gateway told it. */
  echoed(message: Pick<APIMessage, "id" | "channel_id" | "nonce">): void;
}
export interface PostsOptions {
  /** Whether a person's id is our own: what others wrote is never taken for ours. */
  own(id: string): boolean;
  scrub: Scrub;
  names: Naming;
  /** A label every answer bears while it is set. */
  notice(): string | undefined;
  /** Whether a guild is served and reachable now. */
  present(team: string): boolean;
  /** Told of every message that was just made. */
  stands(id: string): void;
}

export function posts(door: Door, threads: Threads, { scrub, names, notice, present, stands, own }: PostsOptions): Posts {
  const echoes = bounded<Ref>(2000);
  const shaped = (view: View, manner: Manner): Rendered => render(scrubbed(byName(view, names), scrub), manner);
  const wanted = (slot: Slot, mark: boolean): Rendered => shaped(noted(slot, mark, notice()), mannerOf(slot));
  const named = (slot: Slot, mark: boolean) => names.learn(slot.view).then(() => wanted(slot, mark));
  const fate = (place: Place, failed: Failure): Posted =>
    AWAY.has(failed.code) && place.team !== "dm" && !present(place.team) ? notPosted({ ...failed, retryIn: AWAY_FOR }) : notPosted(failed);

  /** `repeat`: what comes back may be what stood before, and is not told anew. */
  async function create(place: Place, message: Rendered, options: CreateOptions, repeat = false): Promise<Outcome<APIMessage>> {
    const target = await threads.target(place);
    if (!target.ok) return target;
    const { channel, replyTo } = target.value;
    const made = await awake(door, channel, () => door.create(channel, message, { ...options, replyTo }));
    if (made.ok && !repeat) stands(made.value.id);
    return made;
  }

  return {
    async post(place, slot, key, mark, bytes) {
      if (bytes && bytes.byteLength > LARGEST) return TOO_LARGE;
      const message = await named(slot, mark);
      const made = await create(place, slot.file && bytes ? bearing(message, slot.file.name, bytes) : message, { key }, mark);
      if (!made.ok) return fate(place, made);
      const ref = { channel: made.value.channel_id, message: made.value.id };
      if (mark && !slot.file && !wordsIn(made.value).includes(MARK)) await door.edit(ref.channel, ref.message, wanted(slot, false));
      return { ok: true, ref };
    },
    async edit(place, ref, slot) {
      const message = await named(slot, false);
      const done = await awake(door, ref.channel, () => door.edit(ref.channel, ref.message, message));
      if (done.ok) return { ok: true, ref };
      if (done.code === CODE.tooManyOldEdits) await awake(door, ref.channel, () => door.remove(ref.channel, ref.message));
      return GONE.has(done.code) ? { ...notPosted(done), gone: true } : fate(place, done);
    },
    async hide(place, ref) {
      const done = await awake(door, ref.channel, () => door.remove(ref.channel, ref.message));
      const gone = !done.ok && (done.code === CODE.unknownMessage || (done.code === CODE.unknownChannel && present(place.team)));
      return done.ok || gone ? { ok: true, ref } : fate(place, done);
    },
    async find(place, key) {
      const found = echoes.get(nonceOf(key));
      return found ? { found } : search(door, threads, place, key, own);
    },
    say: (place, view) => create(place, shaped(view, "card"), {}),
    async whisper(person, view) {
      const opened = await door.direct(person);
      return opened.ok ? door.create(opened.value.id, shaped(view, "card")) : opened;
    },
    shape: (view) => shaped(view, "card"),
    echoed({ id, channel_id: channel, nonce }) {
      if (nonce !== undefined) echoes.set(String(nonce), { channel, message: id });
    },
  };
}

const mannerOf = (slot: Slot): Manner => (slot.kind === "answer" || slot.kind === "file" ? "answer" : "card");
const TOO_LARGE: Posted = { ok: false, unsure: false, retryIn: null, reason: `Discord takes files of up to ${sizeText(LARGEST)}.` };
/** The file speaks for itself where nothing is said with it. */
const bearing = (message: Rendered, name: string, bytes: Uint8Array): Rendered => ({
  ...message,
  content: message.content === NOTHING ? "" : message.content,
  files: [{ name, text: "", bytes }],
});
const wordsIn = ({ content, embeds }: APIMessage): string => [content, ...embeds.map(({ description }) => description ?? "")].join("\n");

/** Among the newest messages of where the post would stand; a thread that is not there holds none. */
async function search(
  door: Door,
  threads: Threads,
  place: Place,
  key: string,
  own: PostsOptions["own"],
): Promise<{ found: Ref } | "absent" | "unknown"> {
  const known = threads.known(place)?.channel;
  const channels = known === undefined ? [place.thread ?? place.channel, place.channel] : [known];
  for (const channel of channels) {
    const newest = await door.newest(channel);
    if (!newest.ok && newest.code !== CODE.unknownChannel) return "unknown";
    const message = newest.ok && newest.value.find(({ author, components }) => own(author.id) && components?.[0]?.id === rowOf(key));
    if (message) return { found: { channel, message: message.id } };
  }
  return "absent";
}

/** What an archive holds shut is done once more after the thread was woken. */
async function awake<T>(door: Door, channel: string, task: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  const first = await task();
  if (first.ok || first.code !== CODE.archived) return first;
  const woken = await door.wake(channel);
  if (woken.ok) return task();
  // A thread that can be woken later is not shut for good.
  return woken.retryIn === null ? first : woken;
}
