/**
 * What people said in a conversation, and whose a text is if it is to be kept. Pure.
 *
 * V1. Only words of people who talk with the agent count: nothing of tools, files, other bots, the agent itself or strangers, and nothing
 *     that was deleted.
 * V2. A question of the agent counts as said by the person who answered it, unless they said no.
 */
import { type Call, callsOf } from "../core/calls.ts";
import type { Block, Speaker } from "../core/event.ts";
import type { State } from "../core/state.ts";
import { carries, coverage, GROUNDED, isGrounded, isTakenFrom } from "./words.ts";

export interface Spoken {
  id: string;
  by: Speaker;
  text: string;
  turn: number;
}
/** From whom and from which messages a fact is. */
export interface Source {
  by: Speaker;
  messages: string[];
}

export function spokenIn(state: State): Spoken[] {
  const { talkers, entries } = state.talk;
  return entries.flatMap((entry): Spoken[] => {
    if (entry.as === "answer") return callsOf(entry, state.calls).flatMap(answered);
    const said = entry.kind === "message" || entry.kind === "edit";
    if (!said || entry.gone || !isPerson(entry.by) || !talkers.includes(entry.by.id)) return [];
    return [{ id: entry.id, by: entry.by, text: entry.text, turn: entry.turn }];
  });
}

/** What came into a conversation otherwise: results of tools and of helpers, files, words of other bots and of strangers, notes of hooks. */
export function foreignIn(state: State): string[] {
  const { talkers, entries } = state.talk;
  const results = [...Object.values(state.calls.byId), ...entries.flatMap((entry) => (entry.as === "answer" ? (entry.calls ?? []) : []))];
  const denied = results.flatMap(({ decided, gate }) =>
    decided?.how === "answered" && REFUSED.test(decided.reason) ? [gate?.question?.text ?? ""] : [],
  );
  const said = entries.flatMap((entry) => {
    if (entry.as !== "said" || entry.gone) return [];
    return entry.kind === "note" || !isPerson(entry.by) || !talkers.includes(entry.by.id) ? [entry.text] : [];
  });
  return [
    ...said,
    ...denied,
    ...results.filter(({ outcome }) => outcome === "ran").flatMap(({ result }) => textsOf(result?.content ?? "")),
  ];
}

const textsOf = (content: string | Block[]): string[] =>
  typeof content === "string" ? [content] : content.flatMap((block) => (typeof block.text === "string" ? [block.text] : []));

/** Whose a text is if the agent wants to keep it: who said it, else whoever asks; undefined where it is taken from what nobody said. */
export function keptFor(
  text: string,
  spoken: readonly Spoken[],
  foreign: readonly string[],
  asker: Speaker,
  facts: readonly string[] = [],
): Source | undefined {
  const source = sourceOf(text, spoken, asker.id, facts);
  if (source) return source;
  if (isTakenFrom(text, foreign, [...spoken.map((each) => each.text), ...facts])) return undefined;
  // In other words than theirs: said in the turn that is for them.
  const last = spoken.at(-1)?.turn;
  const own = spoken.filter((each) => each.by.id === asker.id && each.turn === last && !each.id.startsWith("answer "));
  return { by: asker, messages: own.map(({ id }) => id) };
}

export const isPerson = ({ kind }: Speaker): boolean => kind !== "bot" && kind !== "system";
const REFUSED = /^\W*(no|nope|nein|nicht|non|don't|do not|never|wrong|falsch)\b/i;

function answered({ decided, gate, turn, id }: Call): Spoken[] {
  const [by] = decided?.by ?? [];
  if (decided?.how !== "answered" || !by || !isPerson(by) || REFUSED.test(decided.reason)) return [];
  return [{ id: decided.message ?? `answer ${id}`, by, text: `${gate?.question?.text ?? ""}\n${decided.reason}`, turn }];
}

/** Who said what a text says: whose words it has most of, the first of `preferred` if they have as many; undefined: nobody said it. */
export function sourceOf(text: string, spoken: readonly Spoken[], preferred: string, facts: readonly string[] = []): Source | undefined {
  const people = new Map(spoken.map(({ by }) => [by.id, by]));
  const common = [...facts, ...[...people.values()].flatMap(({ id, name }) => [id, name])];
  const ranked = [...people.values()]
    .map((by) => {
      const own = spoken.filter((each) => each.by.id === by.id);
      return { by, own, share: coverage(text, [...common, ...own.map((each) => each.text)]) };
    })
    .sort((a, b) => b.share - a.share || Number(b.by.id === preferred) - Number(a.by.id === preferred));
  const [best] = ranked;
  if (!best) return undefined;
  if (best.share >= GROUNDED) return { by: best.by, messages: citedBy(text, best.own) };
  const together = isGrounded(text, [...common, ...spoken.map((each) => each.text)]);
  return together ? { by: people.get(preferred) ?? best.by, messages: citedBy(text, spoken) } : undefined;
}

/** The latest messages that a text takes words from. */
const citedBy = (text: string, spoken: readonly Spoken[]): string[] => [
  ...new Set(
    spoken
      .filter((each) => carries(text, each.text) && !each.id.startsWith("answer "))
      .map(({ id }) => id)
      .slice(-3),
  ),
];
