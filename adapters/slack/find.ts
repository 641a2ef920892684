/** Looks for a post in doubt, in the place where it would stand. */
import type { webApi } from "@slack/bolt";
import type { Place, Ref } from "../../src/core/event.ts";
import type { Outcome } from "../shared/failure.ts";
import { bears } from "./key.ts";
import { attempt, elsewhere } from "./outcome.ts";

const PAGE = 200;
const PAGES = 10;

/** Only our own messages are looked at: what others wrote is never taken for ours. */
export async function find(look: webApi.WebClient, place: Place, key: string, bot: string): Promise<{ found: Ref } | "absent" | "unknown"> {
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const asked = { channel: place.channel, include_all_metadata: true, limit: PAGE, ...(cursor ? { cursor } : {}) };
    const call = place.thread === null ? look.conversations.history(asked) : look.conversations.replies({ ...asked, ts: place.thread });
    const outcome: Outcome<webApi.ConversationsRepliesResponse | webApi.ConversationsHistoryResponse> = await attempt(call);
    // Where there is nothing to look through, the post is not there either.
    if (!outcome.ok) return elsewhere(outcome.code) ? "absent" : "unknown";
    for (const message of outcome.value.messages ?? [])
      if (message.user === bot && message.ts && bears(message, key)) return { found: { channel: place.channel, message: message.ts } };
    cursor = outcome.value.response_metadata?.next_cursor;
    if (!cursor) return "absent";
  }
  // A channel is told newest first: what is not among its newest was never posted. A thread is told oldest first.
  return place.thread === null ? "absent" : "unknown";
}
