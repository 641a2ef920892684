/**
 * The messages Denizen keeps at Slack: posts, edits, deletes, and looks for one that is in doubt.
 *
 * M1. Every post carries its key as metadata; only our own messages are recognised by it.
 * M2. Nothing posted unfurls, links names or calls anybody.
 * M3. What Slack refuses for its shape is sent once more in a simpler one, with the same key, before the post is given up.
 * M4. Where Slack limits the rate, answers and cards go first, and nothing is sent only to be refused.
 * M5. A message that cannot be edited any more is taken away, and said to be gone.
 */
import type { webApi } from "@slack/bolt";
import type { Place, Ref } from "../../src/core/event.ts";
import type { Posted, Slot } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";
import { clip } from "../shared/escape.ts";
import { type Failure, notPosted, type Outcome } from "../shared/failure.ts";
import { noted } from "../shared/noted.ts";
import type { Manner, Rendered } from "./blocks.ts";
import { type Budget, budget, type Rank } from "./budget.ts";
import type { Clients } from "./client.ts";
import type { Clean } from "./desk.ts";
import { find } from "./find.ts";
import { handed } from "./hand.ts";
import { carrying } from "./key.ts";
import { LIMIT } from "./limits.ts";
import { attempt, elsewhere, revoked } from "./outcome.ts";
import { type Shaped, shaped } from "./shaped.ts";
import type { Streams } from "./stream.ts";
import { share } from "./upload.ts";

/** Slack takes one post and one update a second in a channel, with short bursts, and 50 updates a minute in all of them together. */
const GAP = 1100;
const TOGETHER = { gap: 1300, burst: 10 };

export interface Posts {
  post(place: Place, slot: Slot, key: string, mark: boolean, bytes?: Uint8Array): Promise<Posted>;
  edit(ref: Ref, slot: Slot): Promise<Posted>;
  /** Progress as it is at this moment. Asked for after `rest` gave 0. */
  redraw(ref: Ref, view: View): Promise<Outcome<unknown>>;
  rest(channel: string): number;
  hide(ref: Ref): Promise<Posted>;
  find(place: Place, key: string): Promise<{ found: Ref } | "absent" | "unknown">;
  /** Without a key: an answer to a command that all may see. */
  say(place: Place, view: View): Promise<Outcome<unknown>>;
  whisper(place: Place, person: string, view: View): Promise<Outcome<unknown>>;
  /** The same view for one person, without its files: those are in their direct messages. */
  handed(place: Place, person: string, view: View): Promise<View>;
}

export interface PostsOptions {
  /** Our own id: what others wrote is never taken for ours. */
  bot: string;
  clean: Clean;
  streams: Streams;
  /** Told when Slack no longer takes the token, and when it takes it again. */
  refused: (code: string | undefined) => void;
  /** A label every answer bears while it is set. */
  notice: () => string | undefined;
}

export function posts(clients: Clients, { bot, clean, streams, refused, notice }: PostsOptions): Posts {
  const { main, live, look } = clients;
  const posting = budget({ gap: GAP });
  const editing = budget({ gap: GAP, together: TOGETHER });
  const watched: Watched = async (call) => {
    const outcome = await attempt(call);
    if (outcome.ok) refused(undefined);
    else if (revoked(outcome.code)) refused(outcome.code);
    return outcome;
  };
  const shape = shaped(clean);
  const send = (place: Place, view: View, manner: Manner, key: string | undefined) =>
    shape(view, manner, (message) =>
      watched(main.chat.postMessage({ ...message, ...at(place), ...QUIET, ...(key === undefined ? {} : carrying(key)) })),
    );
  const change = changing(shape, watched, streams);
  const handing: Posts["handed"] = ({ team }, person, view) => handed(clients, clean, team, person, view);

  return {
    async post(place, slot, key, mark, bytes) {
      const view = noted(slot, mark, notice());
      if (slot.file && bytes) {
        const named = { name: slot.file.name, key };
        const send = async () => share(clients, place, named, await clean(view), bytes);
        const shared = await within(posting, place.channel, key, rankOf(slot), send);
        return shared.ok ? { ok: true, ref: shared.value } : notPosted(shared);
      }
      const streamed = slot.kind === "progress" ? await streams.open(place, key, await clean(view)) : undefined;
      if (streamed) return streamed.ok ? { ok: true, ref: streamed.value } : notPosted(streamed);
      const outcome = await within(posting, place.channel, key, rankOf(slot), () => send(place, view, mannerOf(slot), key));
      return outcome.ok ? shown(outcome.value.channel ?? place.channel, outcome.value.ts) : notPosted(outcome);
    },
    async edit(ref, slot) {
      const view = noted(slot, false, notice());
      const outcome = await within(editing, ref.channel, ref.message, rankOf(slot), () => change(main, ref, view, mannerOf(slot)));
      if (outcome.ok) return { ok: true, ref };
      if (outcome.code === "edit_window_closed") await watched(main.chat.delete({ channel: ref.channel, ts: ref.message }));
      return GONE.has(outcome.code) ? { ...notPosted(outcome), gone: true } : notPosted(outcome);
    },
    async redraw(ref, view) {
      const outcome = await change(live, ref, view, "progress");
      if (!outcome.ok && outcome.code === "ratelimited") editing.refused(ref.channel, outcome.retryIn ?? GAP);
      return outcome;
    },
    rest: (channel) => editing.wait(channel, "", "moment"),
    async hide(ref) {
      editing.forget(ref.channel, ref.message);
      const outcome = await watched(main.chat.delete({ channel: ref.channel, ts: ref.message }));
      return outcome.ok || outcome.code === "message_not_found" ? { ok: true, ref } : notPosted(outcome);
    },
    find: (place, key) => find(look, place, key, bot),
    say: (place, view) => send(place, view, "card", undefined),
    async whisper(place, person, view) {
      const left = await handing(place, person, view);
      return whisper(main, place, person, (call) => shape(left, "card", (message) => attempt(call(message))));
    },
    handed: handing,
  };
}

type Watched = <T>(call: Promise<T>) => Promise<Outcome<T>>;
type Change = (client: webApi.WebClient, ref: Ref, view: View, manner: Manner) => Promise<Outcome<unknown>>;
const changing =
  (shape: Shaped, watched: Watched, streams: Streams): Change =>
  (client, { channel, message: ts }, view, manner) =>
    shape(view, manner, async ({ text, blocks }) => {
      const short = blocks.length ? text : clip(text, LIMIT.bareUpdate);
      const update = () => watched(client.chat.update({ channel, ts, text: short, blocks }));
      const outcome = await update();
      if (outcome.ok || outcome.code !== "streaming_state_conflict") return outcome;
      // An earlier life left its stream open.
      await streams.end({ channel, message: ts });
      return update();
    });

const QUIET = { unfurl_links: false, unfurl_media: false } as const;
const GONE = new Set(["message_not_found", "edit_window_closed"]);
const at = (place: Place) => ({ channel: place.channel, ...(place.thread === null ? {} : { thread_ts: place.thread }) });
const mannerOf = (slot: Slot): Manner => (slot.kind === "answer" || slot.kind === "progress" ? slot.kind : "card");
const FIRST = new Set<Slot["kind"]>(["asked", "answer", "file", "card"]);
const rankOf = ({ kind }: Slot): Rank => (FIRST.has(kind) ? "first" : "kept");
const LIMITED: Failure = { ok: false, unsure: false, retryIn: 0, code: "ratelimited", reason: "Slack limits the rate." };

async function within<T>(budget: Budget, channel: string, key: string, rank: Rank, send: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  const wait = budget.wait(channel, key, rank);
  if (wait > 0) return { ...LIMITED, retryIn: wait };
  const outcome = await send();
  if (outcome.ok || outcome.code !== "ratelimited") return outcome;
  budget.refused(channel, outcome.retryIn ?? GAP);
  return { ...outcome, retryIn: budget.wait(channel, key, rank) };
}

function shown(channel: string, ts: string | undefined): Posted {
  return ts ? { ok: true, ref: { channel, message: ts } } : { ok: false, unsure: true, retryIn: 2000, reason: "Slack named no message." };
}

type Call = (message: Rendered) => Promise<unknown>;
/** To somebody who is not there any more, or where nothing can be said, it goes into their DM. */
async function whisper(
  client: webApi.WebClient,
  place: Place,
  person: string,
  send: (call: Call) => ReturnType<Shaped>,
): Promise<Outcome<unknown>> {
  const here = await send((message) => client.chat.postEphemeral({ ...message, ...at(place), user: person }));
  if (here.ok || (here.code !== "user_not_in_channel" && !elsewhere(here.code))) return here;
  const opened = await attempt(client.conversations.open({ users: person }));
  const channel = opened.ok ? opened.value.channel?.id : undefined;
  if (!channel) return here;
  return send((message) => client.chat.postMessage({ ...message, ...QUIET, channel }));
}
