/** What stands where a page looks: gathered anew each time, from the board, from what goes on now and from what the harness knows. */
import { rootOf } from "../../src/core/id.ts";
import type { SessionRow } from "../../src/core/ports.ts";
import { recent } from "../shared/recent.ts";
import type { Board } from "./board.ts";
import { headFragments, type Known, LATEST, listFragments, logFragments, PER_PAGE } from "./fragments.tsx";
import type { Look } from "./look.ts";
import type { Shown } from "./page.tsx";
import { actingIn, idOf } from "./people.ts";
import { PLATFORM } from "./posts.ts";
import type { Present } from "./present.ts";
import type { Thread } from "./shelf.ts";

export interface Sources {
  board(): Board | undefined;
  present: Present;
  sessions(home: string): Promise<SessionRow[]>;
  notice(): string | undefined;
  operated: boolean;
  /** Of others than the console itself, in which the operator may begin threads. */
  homes(): Promise<string[]>;
}

/** How long the harness's facts about threads are believed, in ms. */
const FRESH = 300;

export function shows({ board, present, sessions, notice, operated, homes }: Sources): (look: Look, signedIn: boolean) => Promise<Shown> {
  const rows = recent<Known["rows"]>(FRESH, async (home) => rowsOf(await sessions(home)));
  /** What the harness knows of these threads, home by home. Before the first message there is no home to ask. */
  async function rowsFor(threads: readonly Thread[]): Promise<Known["rows"]> {
    const asked = [...new Set(threads.map(({ home = PLATFORM }) => home))];
    const found = await Promise.all(asked.map((home) => rows.get(home)));
    return new Map(found.flatMap((each) => [...(each ?? [])]));
  }
  return async (asked, signedIn) => {
    const threads = board()?.threads() ?? [];
    const thread = asked.thread ? board()?.thread(asked.thread) : undefined;
    const others = await homes();
    const home = asked.thread ? thread?.home : others.find((one) => one === asked.home);
    const { home: _, ...rest } = asked;
    const look: Look = { ...rest, person: actingIn(home, asked.person), ...(home === undefined ? {} : { home }) };
    const listed = threads.slice(look.page * PER_PAGE, (look.page + 1) * PER_PAGE);
    const known: Known = { rows: await rowsFor(thread ? [...listed, thread] : listed), live: present.live };
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
      homes: others,
    };
  };
}

/** Helpers have their parent's place; the thread's own session is the one that says how it is. */
const rowsOf = (rows: SessionRow[]): Known["rows"] =>
  new Map(rows.filter((row) => rootOf(row.session) === row.session).map((row) => [row.place.thread ?? "", row] as const));
