/**
 * Whether the next request is too much for the model, and what makes room for it. Pure.
 *
 * R1. Near the end of the window the inputs of old calls that wrote files are trimmed first, if that is worth it; then history is summarised.
 * R2. The newest question, and what the newest calls gave that no answer has seen yet, are never summarised: there is nothing to go on with else.
 * R3. A provider that says it was too much once gets a summary; if there is nothing to summarise, or it says so again, texts are cut to
 *     an equal share.
 */
import { settledEntries } from "./applies.ts";
import type { Action, Limits } from "./next.ts";
import type { State } from "./state.ts";
import { isOpen } from "./talk.ts";
import { pressure, savedBy, texts } from "./weight.ts";

/** The share of the window at which room is made. */
const TRIGGER = 0.85;
/** Trimming changes the prefix that the provider has kept: it has to save this much of the window. */
const WORTH = 0.05;
/** The share of the window that texts have when they are cut; shorter ones than the least do not count. */
const CLIPPED = 0.4;
const LEAST = 200;

type Room = Extract<Action, { do: "compact" | "trim" | "clip" }>;

export function makesRoom(state: State, now: number, limits: Limits): Room | undefined {
  const { talk, context } = state;
  if (!context.forced && pressure(state) <= limits.window * TRIGGER) return undefined;
  const old = Math.max(0, newestAnswer(talk));
  if (old > context.trimmed && savedBy(talk.entries, context, old) > limits.window * WORTH)
    return { do: "trim", subject: "talk", upTo: old };
  const again = context.forced && talk.phase === "thinking" && talk.overflows > 1;
  if (!again && context.restUntil <= now && removable(state) - context.cut >= 2) return { do: "compact", subject: "talk" };
  return context.forced ? clip(state, limits.window) : undefined;
}

/** Entries before this one may go into a summary. */
export function removable(state: State): number {
  const { talk } = state;
  const newest = newestAnswer(talk);
  const answer = talk.entries[newest];
  const unseen = answer?.as === "answer" && answer.calls?.length !== 0 && isOpen(talk) && answer.turn === talk.turn;
  const asked = talk.entries.findLastIndex((entry) => entry.as === "said" && entry.must);
  return Math.min(settledEntries(state), unseen ? newest : Number.POSITIVE_INFINITY, asked > newest ? asked : Number.POSITIVE_INFINITY);
}

const newestAnswer = ({ entries }: State["talk"]): number => entries.findLastIndex((entry) => entry.as === "answer");

function clip(state: State, window: number): Room | undefined {
  const upTo = settledEntries(state);
  const long = texts(state).filter((tokens) => tokens > LEAST);
  const share = Math.max(LEAST, Math.floor((window * CLIPPED) / Math.max(1, long.length)));
  const { clip: before } = state.context;
  if (!long.some((tokens) => tokens > share) || (before && before.upTo >= upTo && before.share <= share)) return undefined;
  return { do: "clip", subject: "talk", upTo, share };
}
