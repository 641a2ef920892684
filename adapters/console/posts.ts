/**
 * The console as the harness sees it: a platform whose messages stand on the board.
 *
 * A post's key is looked up where the post itself is kept, so nothing stays in doubt.
 */
import type { Place } from "../../src/core/event.ts";
import type { Log, Platform, Posted } from "../../src/core/ports.ts";
import { type Scrub, scrubbed } from "../shared/scrubbed.ts";
import type { Board } from "./board.ts";
import { standingOf } from "./people.ts";
import type { Present } from "./present.ts";
import type { Streams } from "./streams.ts";

export interface Ground {
  /** Undefined before the start. */
  board(): Board | undefined;
  url(): string;
  present: Present;
  streams: Streams;
  scrub: Scrub;
  log: Log;
}

export const PLATFORM = "console";
/** An answer's part is one message; a longer one would take a page too long to draw. */
const PART = 30_000;

const refused = (reason: string): Posted => ({ ok: false, unsure: false, retryIn: null, reason });

export function posts({ board, url, present, streams, scrub, log }: Ground): Platform {
  async function keep(place: Place, work: (board: Board, thread: string) => Promise<{ id: string } | undefined>): Promise<Posted> {
    const { thread } = place;
    const open = board();
    if (!open || !thread) return refused("the console has no such thread");
    try {
      const post = await work(open, thread);
      streams.ring(thread, true);
      return post ? { ok: true, ref: { channel: thread, message: post.id } } : refused("this message is not kept any more");
    } catch (error) {
      log.error({ error, thread }, "the console's board cannot be written");
      return { ok: false, unsure: true, retryIn: 5_000, reason: "the console's board cannot be written" };
    }
  }

  return {
    name: PLATFORM,
    partLimit: PART,
    post: (place, slot, key, mark) =>
      keep(place, async (open, thread) => {
        const post = await open.post({ thread, key, mark, slot: { ...slot, view: scrubbed(slot.view, scrub) }, at: Date.now() });
        if (slot.kind === "answer") present.endDraft(thread);
        return post;
      }),
    edit: (place, ref, slot) => keep(place, (open) => open.edit(ref.message, { ...slot, view: scrubbed(slot.view, scrub) })),
    hide: (place, ref) => keep(place, (open) => open.hide(ref.message)),
    find: async (_place, key) => {
      const open = board();
      const post = open?.find(key);
      if (post) return { found: { channel: post.thread, message: post.id } };
      return open ? "absent" : "unknown";
    },
    live: (_session, { thread }, live) => {
      if (!thread) return;
      const before = present.phase(thread);
      present.setLive(thread, live);
      streams.ring(thread, before !== live.phase);
    },
    whisper: async ({ thread }, person, view) => {
      present.whisper(thread ?? "", person, view);
      streams.ring(thread ?? "", false);
    },
    standing: async (_place, person) => standingOf(person),
    link: (ref) => (url() ? `${url()}/threads/${ref.channel}#${ref.message}` : undefined),
  };
}
