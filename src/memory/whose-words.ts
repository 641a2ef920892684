/**
 * Whose words a text carries that would leave a private place. Pure.
 *
 * V1. In doubt a text carries somebody's words: one more person is asked, never one less.
 * V2. Everybody counts whom the agent could read here, also who only spoke beside it or before it was called; so does what people wrote
 *     into forms and inputs, gave as a reason or answered, whatever the answer was. Only what was deleted does not.
 * V3. Who spoke with the agent in the turn at hand counts whatever the text is.
 */
import { type Call, callsOf, type Decided } from "../core/calls.ts";
import type { JsonObject, Speaker } from "../core/event.ts";
import type { State } from "../core/state.ts";
import { isPerson, spokenIn } from "./evidence.ts";
import { carries } from "./words.ts";

export interface Voice {
  by: Speaker;
  text: string;
}

/** `helpers`: the sessions of the conversation's helpers. `facts`: what is remembered in private. `read`: what it found in other private places. */
export function whoseWords(
  text: string,
  root: State,
  facts: readonly { by: string; text: string }[],
  helpers: readonly State[] = [],
  read: readonly Voice[] = [],
): Speaker[] {
  const found = new Map<string, Speaker>();
  const now = new Set(spokenIn(root).flatMap(({ by, turn }) => (turn === root.talk.turn ? [by.id] : [])));
  const voices = [...[root, ...helpers].flatMap(voicesIn), ...read];
  for (const { by, text: words } of voices) if (!found.has(by.id) && (now.has(by.id) || hasWordsOf(text, words))) found.set(by.id, by);
  for (const { by, text: words } of facts) {
    if (by === "" || found.has(by) || !carries(text, words)) continue;
    found.set(by, voices.find((each) => each.by.id === by)?.by ?? { id: by, name: by, kind: "member" });
  }
  return [...found.values()];
}

/** Of a long message one sentence may be taken. Sentences of one word say nothing by themselves. */
const hasWordsOf = (text: string, words: string): boolean =>
  carries(text, words) || sentences(words).some((sentence) => carries(text, sentence));
const sentences = (words: string): string[] =>
  words.split(/(?<=[.!?;])\s+|(?<=[。！？；])|\n+/).filter((sentence) => /\S\s+\S|[^\s\p{ASCII}]{4}/u.test(sentence));

/** What people said and wrote in a conversation, what waits there included: a search finds it. */
export function voicesIn({ talk, calls }: State): Voice[] {
  const written = talk.entries.flatMap((entry) => (entry.as === "answer" ? callsOf(entry, calls).flatMap(writtenIn) : []));
  const said = [...talk.entries.flatMap((entry) => (entry.as === "said" && !entry.gone ? [entry] : [])), ...talk.queue];
  const people = said.filter(({ kind, by }) => (kind === "message" || kind === "edit") && isPerson(by));
  return [...people.map(({ by, text }) => ({ by, text })), ...written];
}

/** What people wrote about a call: into its input, as an answer, a reason, or into the form of a question it had. */
function writtenIn({ gate, decided, edited, input, questions }: Call): Voice[] {
  return [
    ...(edited ? [{ by: edited.by, text: wordsIn(input) }] : []),
    ...given(gate?.question?.text ?? "", decided),
    ...questions.flatMap(({ question, answered }) => given(question.text, answered)),
  ];
}

const given = (question: string, decided: Decided | null): Voice[] =>
  (decided?.how === "answered" || decided?.how === "denied" ? decided.by : [])
    .filter(isPerson)
    .map((by) => ({ by, text: `${question}\n${decided?.reason ?? ""}\n${wordsIn(decided?.values ?? {})}` }));

/** All texts and numbers of an input, one a line. */
export const wordsIn = (value: JsonObject[string] | undefined): string =>
  typeof value === "string"
    ? value
    : value !== null && typeof value === "object"
      ? Object.values(value).map(wordsIn).join("\n")
      : `${value}`;
