/**
 * The messages Denizen keeps at Slack: posts, edits, deletes, and looks for one that is in doubt.
 *
 * M1. Every post carries its key as metadata; only our own messages are recognised by it.
 * M2. Nothing posted unfurls, links names or calls anybody.
 * M3. Blocks that Slack refuses are sent once more as plain text, with the same key, before the post is given up.
 */
import type { webApi } from "@slack/bolt";
import type { Place, Ref } from "../../src/core/event.ts";
import type { Posted, Slot } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";
import { notPosted, type Outcome } from "../shared/failure.ts";
import { noted } from "../shared/noted.ts";
import { bare, type Manner, type Rendered, render } from "./blocks.ts";
import type { Clients } from "./client.ts";
import type { Clean } from "./desk.ts";
import { attempt, revoked } from "./outcome.ts";

const METADATA = "denizen_post";
const PAGE = 200;
const PAGES = 10;
/** Where there is nothing to look through, the post is not there either. */
const GONE = new Set(["thread_not_found", "channel_not_found", "is_archived", "not_in_channel"]);

export interface Posts {
  post(place: Place, slot: Slot, key: string, mark: boolean): Promise<Posted>;
  edit(ref: Ref, slot: Slot): Promise<Posted>;
  hide(ref: Ref): Promise<Posted>;
  find(place: Place, key: string): Promise<{ found: Ref } | "absent" | "unknown">;
  /** Without a key: an answer to a command that all may see. */
  say(place: Place, view: View): Promise<Outcome<unknown>>;
  whisper(place: Place, person: string, view: View): Promise<Outcome<unknown>>;
}

export interface PostsOptions {
  /** Our own id: what others wrote is never taken for ours. */
  bot: string;
  clean: Clean;
  /** Told when Slack no longer takes the token, and when it takes it again. */
  refused: (code: string | undefined) => void;
  /** A label every answer bears while it is set. */
  notice: () => string | undefined;
}

export function posts({ main: client, look }: Clients, { bot, clean, refused, notice }: PostsOptions): Posts {
  const watched = async <T>(call: Promise<T>): Promise<Outcome<T>> => {
    const outcome = await attempt(call);
    if (outcome.ok) refused(undefined);
    else if (revoked(outcome.code)) refused(outcome.code);
    return outcome;
  };
  const twice: Twice = async (unclean, manner, send) => {
    const view = await clean(unclean);
    const first = await watched(send(render(view, manner)));
    return !first.ok && /^(invalid_blocks|msg_blocks_too_long|invalid_blocks_format)$/.test(first.code) ? watched(send(bare(view))) : first;
  };
  const send = (place: Place, view: View, manner: Manner, key: string | undefined) =>
    twice(view, manner, (message) =>
      client.chat.postMessage({ ...message, ...at(place), ...QUIET, ...(key === undefined ? {} : carrying(key)) }),
    );

  return {
    async post(place, slot, key, mark) {
      const outcome = await send(place, noted(slot, mark, notice()), mannerOf(slot), key);
      return outcome.ok ? shown(outcome.value.channel ?? place.channel, outcome.value.ts) : notPosted(outcome);
    },
    async edit(ref, slot) {
      const outcome = await twice(noted(slot, false, notice()), mannerOf(slot), (message) =>
        client.chat.update({ channel: ref.channel, ts: ref.message, ...message }),
      );
      return outcome.ok ? { ok: true, ref } : notPosted(outcome);
    },
    async hide(ref) {
      const outcome = await watched(client.chat.delete({ channel: ref.channel, ts: ref.message }));
      return outcome.ok || outcome.code === "message_not_found" ? { ok: true, ref } : notPosted(outcome);
    },
    find: (place, key) => find(look, place, key, bot),
    say: (place, view) => send(place, view, "card", undefined),
    whisper: (place, person, view) => whisper(client, place, person, view, twice),
  };
}

const QUIET = { unfurl_links: false, unfurl_media: false } as const;
const carrying = (key: string) => ({ metadata: { event_type: METADATA, event_payload: { key } } });
const at = (place: Place) => ({ channel: place.channel, ...(place.thread === null ? {} : { thread_ts: place.thread }) });
const mannerOf = (slot: Slot): Manner => (slot.kind === "answer" || slot.kind === "progress" ? slot.kind : "card");

function shown(channel: string, ts: string | undefined): Posted {
  return ts ? { ok: true, ref: { channel, message: ts } } : { ok: false, unsure: true, retryIn: 2000, reason: "Slack named no message." };
}

async function find(look: webApi.WebClient, place: Place, key: string, bot: string): Promise<{ found: Ref } | "absent" | "unknown"> {
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const asked = { channel: place.channel, include_all_metadata: true, limit: PAGE, ...(cursor ? { cursor } : {}) };
    const call = place.thread === null ? look.conversations.history(asked) : look.conversations.replies({ ...asked, ts: place.thread });
    const outcome: Outcome<webApi.ConversationsRepliesResponse | webApi.ConversationsHistoryResponse> = await attempt(call);
    if (!outcome.ok) return GONE.has(outcome.code) ? "absent" : "unknown";
    for (const message of outcome.value.messages ?? []) {
      if (message.user === bot && message.ts && keyOf(message.metadata) === key)
        return { found: { channel: place.channel, message: message.ts } };
    }
    cursor = outcome.value.response_metadata?.next_cursor;
    if (!cursor) return "absent";
  }
  // A channel is told newest first: what is not among its newest was never posted. A thread is told oldest first.
  return place.thread === null ? "absent" : "unknown";
}

function keyOf(metadata: object | undefined): unknown {
  const { event_type, event_payload } = (metadata ?? {}) as { event_type?: string; event_payload?: { key?: unknown } };
  return event_type === METADATA ? event_payload?.key : undefined;
}

type Twice = <T>(view: View, manner: Manner, send: (message: Rendered) => Promise<T>) => Promise<Outcome<T>>;

async function whisper(client: webApi.WebClient, place: Place, person: string, view: View, twice: Twice): Promise<Outcome<unknown>> {
  const here = await twice(view, "card", (message) => client.chat.postEphemeral({ ...message, ...at(place), user: person }));
  if (here.ok || here.code !== "user_not_in_channel") return here;
  const opened = await attempt(client.conversations.open({ users: person }));
  const channel = opened.ok ? opened.value.channel?.id : undefined;
  if (!channel) return here;
  return twice(view, "card", (message) => client.chat.postMessage({ ...message, ...QUIET, channel }));
}
