/**
 * What stands on the platform, slot by slot, as far as we know.
 *
 * O1. `sending` means: handed to the platform, and not known to have arrived. Such a post is looked for before it is sent again.
 * O2. A slot whose post was hidden gets another generation, so that its key is never taken for the old message.
 * O3. What is final and belongs to a closed turn is forgotten: it stands, and nothing will change it.
 */
import type { Event, Ref } from "./event.ts";
import type { SlotKey } from "./id.ts";
import type { State } from "./state.ts";

export interface Post {
  generation: number;
  sending: boolean;
  /** What it was handed over with, while it is not known to have arrived: it is looked for, and repeated, by that. */
  key?: string;
  /** How often a post in doubt was looked for. */
  looks: number;
  ref: Ref | null;
  digest: string | null;
  /** Sent again although it may have arrived. */
  mark: boolean;
  /** Rests until then. */
  until: number;
  gaveUp: boolean;
  final: boolean;
}
export type Posts = Readonly<Record<SlotKey, Post>>;

const NEW: Post = { generation: 0, sending: false, looks: 0, ref: null, digest: null, mark: false, until: 0, gaveUp: false, final: false };

export function reducePosts(posts: Posts, event: Event, { talk }: State): Posts {
  switch (event.type) {
    case "post.started":
      return put(posts, event.slot, { sending: true, key: event.key, looks: 0, mark: event.mark, until: 0 });
    case "post.shown": {
      const { slot, ref, digest, final } = event;
      const shown = { looks: 0, ref, digest, until: 0, final };
      return final && isPast(slot, talk.phase === "idle" ? talk.turn : talk.turn - 1)
        ? drop(posts, slot)
        : put(landed(posts, slot), slot, shown);
    }
    case "post.failed": {
      const post = posts[event.slot] ?? NEW;
      if (event.until === null) return put(landed(posts, event.slot), event.slot, { gaveUp: true });
      const unsure = event.unsure && !post.ref;
      if (!unsure) return put(landed(posts, event.slot), event.slot, { looks: 0, until: event.until });
      return put(posts, event.slot, { sending: true, looks: post.looks + 1, until: event.until });
    }
    case "post.hidden": {
      if (turnOf(event.slot) === undefined || isPast(event.slot, talk.turn - 1)) return drop(posts, event.slot);
      return { ...posts, [event.slot]: { ...NEW, generation: (posts[event.slot]?.generation ?? 0) + 1 } };
    }
    case "turn.closed":
      return Object.fromEntries(
        Object.entries(posts).filter(([slot, post]) => !isPast(slot, event.turn) || (!post.final && unsettled(post))),
      );
    default:
      return posts;
  }
}

const unsettled = (post: Post): boolean => !post.gaveUp && (post.sending || post.ref !== null);
/** Its fate is known. */
function landed(posts: Posts, slot: SlotKey): Posts {
  const { key: _, ...post } = posts[slot] ?? NEW;
  return { ...posts, [slot]: { ...post, sending: false } };
}
const put = (posts: Posts, slot: SlotKey, change: Partial<Post>): Posts => ({ ...posts, [slot]: { ...(posts[slot] ?? NEW), ...change } });
const drop = (posts: Posts, slot: SlotKey): Posts => {
  const { [slot]: _, ...rest } = posts;
  return rest;
};

/** The turn a slot belongs to; undefined for slots of messages. */
const turnOf = (slot: SlotKey): number | undefined => {
  const turn = /^(?:progress|answer|card|notice|reminder|file)\/(\d+)/.exec(slot)?.[1];
  return turn === undefined ? undefined : Number(turn);
};
const isPast = (slot: SlotKey, closed: number): boolean => (turnOf(slot) ?? Number.POSITIVE_INFINITY) <= closed;
