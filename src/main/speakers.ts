/** Whose words a text carries that would leave a private place: of the conversation, of memory, and of what was searched for elsewhere. */
import { callsOf } from "../core/calls.ts";
import type { Speaker } from "../core/event.ts";
import { rootOf } from "../core/id.ts";
import type { Journal, Moment } from "../core/ports.ts";
import { isPrivate, type Scope } from "../core/scope.ts";
import type { State } from "../core/state.ts";
import { type Voice, voicesIn, whoseWords } from "../memory/whose-words.ts";
import type { House } from "./house.ts";

/** More than a search gives back: newer words may stand before those that were read. */
const READ = 60;

export const speakersOf =
  ({ journal, memory }: Pick<House, "journal" | "memory">, seen: (moment: Moment) => Promise<Scope[]>) =>
  async (moment: Moment, text: string): Promise<Speaker[]> => {
    const own = await journal(moment.home);
    const root = rootOf(moment.session);
    const family = (await own.family(root)).filter((session) => session !== root);
    const [first, ...helpers] = await Promise.all([root, ...family].map((session) => own.state(session)));
    const scopes = (await seen(moment)).filter(isPrivate);
    const facts = (await memory(moment.home).list(scopes)).flatMap(({ fact }) => fact ?? []);
    const read = await Promise.all([first, ...helpers].flatMap(queriesOf).map((query) => found(own, query, scopes)));
    return first ? whoseWords(text, first, facts, helpers, read.flat()) : [];
  };

function queriesOf(state: State | undefined): string[] {
  const calls = (state?.talk.entries ?? []).flatMap((entry) => (entry.as === "answer" && state ? callsOf(entry, state.calls) : []));
  const queries = calls.flatMap(({ tool, input }) => (tool === "search_sessions" && typeof input.query === "string" ? [input.query] : []));
  return [...new Set(queries)];
}

/** The search again, for who said what it found. */
async function found(journal: Journal, query: string, scopes: readonly Scope[]): Promise<Voice[]> {
  const sessions = (await journal.search(query, scopes, READ)).map(({ session }) => session);
  const states = await Promise.all([...new Set(sessions)].map((session) => journal.state(session)));
  return states.flatMap(voicesIn);
}
