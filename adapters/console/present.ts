/**
 * What is true only now and never kept: an answer as it is being written, progress between two edits, and what was said to one person.
 * Bounded; lost with the process, and nobody misses it then.
 */
import type { Live } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";
import { type Scrub, scrubbed } from "../shared/scrubbed.ts";

export interface Whisper {
  id: string;
  /** What the person typed to get it, if it was a command. */
  asked: string | undefined;
  view: View;
  at: number;
}

export interface Present {
  live(thread: string): Live | undefined;
  phase(thread: string): Live["phase"];
  setLive(thread: string, live: Live): void;
  /** The answer stands on the board now. */
  endDraft(thread: string): void;
  whisper(thread: string, person: string, view: View, asked?: string): void;
  /** The oldest first. `thread` is empty for the page that shows none. */
  whispers(thread: string, person: string): readonly Whisper[];
}

const PER_PERSON = 8;
const PLACES = 200;

export function present(scrub: Scrub): Present {
  const lives = new Map<string, Live>();
  const whispers = new Map<string, Whisper[]>();
  let count = 0;

  const keyOf = (thread: string, person: string): string => `${person} ${thread}`;
  return {
    live: (thread) => {
      const live = lives.get(thread);
      return live && masked(live, scrub);
    },
    phase: (thread) => lives.get(thread)?.phase ?? "idle",
    setLive: (thread, live) => {
      lives.delete(thread);
      if (live.phase !== "idle" || live.draft !== "") lives.set(thread, live);
      bound(lives);
    },
    endDraft: (thread) => {
      const live = lives.get(thread);
      if (live) lives.set(thread, { ...live, draft: "" });
    },
    whisper: (thread, person, view, asked) => {
      const key = keyOf(thread, person);
      const said = [...(whispers.get(key) ?? []), { id: `w${++count}`, asked, view: scrubbed(view, scrub), at: Date.now() }];
      whispers.delete(key);
      whispers.set(key, said.slice(-PER_PERSON));
      bound(whispers);
    },
    whispers: (thread, person) => whispers.get(keyOf(thread, person)) ?? [],
  };
}

function bound(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= PLACES) return;
    map.delete(key);
  }
}

/** Masked when it is looked at, once: it changes more often than anybody looks. */
function masked(live: Live, scrub: Scrub): Live {
  const known = clean.get(live);
  if (known) return known;
  const { progress } = live;
  const made = {
    ...live,
    draft: scrub(live.draft),
    ...(progress ? { progress: { ...progress, view: scrubbed(progress.view, scrub) } } : {}),
  };
  clean.set(live, made);
  return made;
}
const clean = new WeakMap<Live, Live>();
