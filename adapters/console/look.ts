/** What a page looks at, and the address that says so. Everything a page is drawn from besides what stands on the board. */
import { byKey, type Person } from "./people.ts";

export interface Look {
  /** Empty: no thread is open. */
  thread: string;
  person: Person;
  /** Of the list of threads, from 0. */
  page: number;
  /** The whole thread, not only its latest entries. */
  all: boolean;
}

export function lookOf(thread: string, query: Record<string, string>): Look {
  const page = Number(query.page ?? "0");
  return { thread, person: byKey(query.as), page: Number.isInteger(page) && page > 0 ? page : 0, all: query.all === "1" };
}

export function pathOf(look: Look): string {
  return (look.thread ? `/threads/${look.thread}` : "/") + queryOf(look);
}

export const livePathOf = (look: Look): string => `/live${queryOf(look)}&thread=${look.thread}`;

function queryOf({ person, page, all }: Look): string {
  return `?as=${person.key}${page > 0 ? `&page=${page}` : ""}${all ? "&all=1" : ""}`;
}
