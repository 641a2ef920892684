/** What stands where a page looks: gathered anew each time, from the board, from what goes on now and from what the harness knows. */
import { rootOf } from "../../src/core/id.ts";
import type { SessionRow } from "../../src/core/ports.ts";
import { recent } from "../shared/recent.ts";
import type { Board } from "./board.ts";
import { headFragments, type Known, LATEST, listFragments, logFragments, PER_PAGE } from "./fragments.tsx";
import type { Look } from "./look.ts";
import type { Shown } from "./page.tsx";
import { idOf } from "./people.ts";
import { PLATFORM } from "./posts.ts";
import type { Present } from "./present.ts";

export interface Sources {
  board(): Board | undefined;
  present: Present;
  sessions(home: string): Promise<SessionRow[]>;
  notice(): string | undefined;
  operated: boolean;
}

/** How long the harness's facts about threads are believed, in ms. */
const FRESH = 300;

export function shows({ board, present, sessions, notice, operated }: Sources): (look: Look, signedIn: boolean) => Promise<Shown> {
  const rows = recent<Known["rows"]>(FRESH, async (home) => rowsOf(await sessions(home)));
  return async (look, signedIn) => {
    const threads = board()?.threads() ?? [];
    // Before the first message there is no home to ask.
    const known: Known = { rows: (threads.length > 0 && (await rows.get(PLATFORM))) || new Map(), live: present.live };
    const thread = look.thread ? board()?.thread(look.thread) : undefined;
    const entries = thread?.entries ?? [];
    const shown = look.all ? entries : entries.slice(-LATEST);
    const whispers = present.whispers(look.thread, idOf(look.person));
    return {
      look,
      regions: {
        list: listFragments(threads, known, look),
        head: headFragments(thread, known),
        log: logFragments(shown, whispers, present.live(look.thread), look.person),
      },
      notice: notice(),
      older: threads.length > (look.page + 1) * PER_PAGE,
      longer: shown.length < entries.length,
      signedIn,
      operated,
    };
  };
}

/** Helpers have their parent's place; the thread's own session is the one that says how it is. */
const rowsOf = (rows: SessionRow[]): Known["rows"] =>
  new Map(rows.filter((row) => rootOf(row.session) === row.session).map((row) => [row.place.thread ?? "", row] as const));
