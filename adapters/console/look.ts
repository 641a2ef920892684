/** What a page looks at, and the address that says so. Everything a page is drawn from besides what stands on the board. */
import { byKey, type Person } from "./people.ts";

export interface Look {
  /** Empty: no thread is open. */
  thread: string;
  person: Person;
  /** In which a thread is, or is to be begun; undefined: the console's own. */
  home?: string;
  /** Of the list of threads, from 0. */
  page: number;
  /** The whole thread, not only its latest entries. */
  all: boolean;
}

export function lookOf(thread: string, query: Record<string, string>): Look {
  const page = Number(query.page ?? "0");
  const home = thread || !query.home || query.home === "console" ? {} : { home: query.home };
  return { thread, person: byKey(query.as), page: Number.isInteger(page) && page > 0 ? page : 0, all: query.all === "1", ...home };
}

export function pathOf(look: Look): string {
  return (look.thread ? `/threads/${look.thread}` : "/") + queryOf(look);
}

export const livePathOf = (look: Look): string => `/live${queryOf(look)}&thread=${look.thread}`;

function queryOf({ thread, person, home, page, all }: Look): string {
  const within = home !== undefined && thread === "" ? `&home=${encodeURIComponent(home)}` : "";
  return `?as=${person.key}${within}${page > 0 ? `&page=${page}` : ""}${all ? "&all=1" : ""}`;
}
