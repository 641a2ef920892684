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
import type { Thread } from "./shelf.ts";
import { newId, type Store } from "./store.ts";
import type { Streams } from "./streams.ts";

export interface Ground {
  /** Undefined before the start. */
  board(): Board | undefined;
  store(): Store | undefined;
  url(): string;
  present: Present;
  streams: Streams;
  scrub: Scrub;
  log: Log;
}

export const PLATFORM = "console";
/** On the console a team is a home's own name. */
const homeOf = ({ team }: Place): { home?: string } => (team === PLATFORM ? {} : { home: team });
/** What belongs to no conversation stands in a thread of its own, one for each home. */
const threadOf = ({ thread, team }: Place): string => thread ?? `news-${team.replace(/[^\w-]/g, "_").slice(0, 50)}`;
/** An answer's part is one message; a longer one would take a page too long to draw. */
const PART = 30_000;

const refused = (reason: string): Posted => ({ ok: false, unsure: false, retryIn: null, reason });

export function posts({ board, store, url, present, streams, scrub, log }: Ground): Platform {
  async function keep(thread: string, work: (board: Board, thread: string) => Promise<{ id: string } | undefined>): Promise<Posted> {
    const open = board();
    if (!open) return refused("the console is not open");
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
    async post(place, slot, key, mark, bytes) {
      const file = bytes && newId();
      const why = file && bytes ? await store()?.keep(file, bytes) : undefined;
      if (why) return refused(why);
      return keep(threadOf(place), async (open, thread) => {
        const { file: about, ...rest } = slot;
        const shown = { ...rest, view: scrubbed(slot.view, scrub), ...(about ? { file: { ...about, text: "" } } : {}) };
        const post = await open.post({ thread, key, mark, slot: shown, ...(file ? { file } : {}), ...homeOf(place), at: Date.now() });
        if (slot.kind === "answer") present.endDraft(thread);
        return post;
      });
    },
    fetch: async (_place, _message, file) => {
      const bytes = await store()?.read(file);
      return bytes ? { ok: true, bytes } : { ok: false, retryIn: null, why: "it is not there any more" };
    },
    edit: (_place, ref, slot) => keep(ref.channel, (open) => open.edit(ref.message, { ...slot, view: scrubbed(slot.view, scrub) })),
    hide: (_place, ref) => keep(ref.channel, (open) => open.hide(ref.message)),
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
    react: (place, message, sign) => keep(threadOf(place), (open) => open.sign(message, sign)),
    retire: (home, before, standing) => retire({ board, store, log }, home, before, standing),
    link: (_place, message) => linkOf(url(), board()?.where(message), message),
  };
}

const linkOf = (url: string, thread: string | undefined, message: string): string | undefined =>
  thread && url ? `${url}/threads/${thread}#${message}` : undefined;

async function retire(
  { board, store, log }: Pick<Ground, "board" | "store" | "log">,
  home: string,
  before: number,
  standing: ReadonlySet<string>,
): Promise<void> {
  const over = (thread: Thread): boolean => {
    const team = thread.home ?? PLATFORM;
    return team === home && !standing.has(`${PLATFORM}:${team}:${thread.id}`);
  };
  try {
    for (const file of (await board()?.drop(over, before)) ?? []) await store()?.drop(file);
  } catch (error) {
    log.error({ error, home }, "old threads could not be taken off the console's board");
  }
}
