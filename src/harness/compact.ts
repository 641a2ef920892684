/**
 * Making room: the oldest part of the talk is told by a summary from then on. The journal keeps all of it.
 *
 * Z1. A summariser that fails keeps the history; it is tried again later, never in a loop.
 * Z2. The summariser's own input is bounded; the summary before is part of it.
 */

import { settledEntries } from "../core/applies.ts";
import { conversation } from "../core/conversation.ts";
import type { Action } from "../core/next.ts";
import { estimateTokens } from "../core/tokens.ts";
import { entryTokens } from "../core/transcript.ts";
import { windowOf } from "./limits.ts";
import { type Planner, write } from "./plan.ts";
import type { Scene } from "./world.ts";

const KEEP = 0.1;
const REST = 60_000;
const WORDS = `Summarise the conversation below for the agent that goes on with it. Write what it needs, nothing else, under these headings:
Goal, Done, Findings, State, Open, Artifacts (paths and links). Keep names, ids, numbers and decisions exactly. Say who asked for what.`;

export const compact: Planner<Extract<Action, { do: "compact" }>> = async (scene) => ({
  intent: [],
  act: async () => write(scene.session, await summarise(scene)),
});

async function summarise(scene: Scene) {
  const { world, state, home, signal } = scene;
  const rules = await world.homes.rules(home);
  const model = rules.model ?? world.modelName;
  const window = windowOf(world, rules);
  const cut = cutOff(scene, window * KEEP);
  const { redactions } = state.context;
  const text = bounded(conversation(state, state.context.cut, cut), window / 2);
  const answer = await world.model.answer(
    { model, system: [{ text: WORDS }], messages: [{ role: "user", content: [{ type: "text", text }] }], tools: [], maxTokens: 4_000 },
    () => {},
    signal,
  );
  const at = world.now();
  const summary = answer.ok
    ? world.scrub(
        answer.content
          .flatMap((block) => (block.type === "text" ? [String(block.text)] : []))
          .join("\n")
          .trim(),
      )
    : "";
  if (answer.ok && summary) return { type: "context.compacted" as const, at, cut, summary, redactions, usage: answer.usage };
  const reason = answer.ok ? "the summary was empty" : world.scrub(answer.detail);
  world.log.warn({ session: scene.session, reason }, "the history could not be summarised and is kept");
  return { type: "context.kept" as const, at, until: at + REST, reason };
}

/** The newest entries that fit into the kept share stay; at least one goes, and what has open calls stays. */
function cutOff({ state }: Scene, keep: number): number {
  const { talk, context } = state;
  const most = settledEntries(state);
  let kept = talk.entries.slice(most).reduce((sum, entry) => sum + entryTokens(entry), 0);
  let cut = most;
  for (; cut > context.cut + 1; cut--) {
    const entry = talk.entries[cut - 1];
    kept += entry ? entryTokens(entry) : 0;
    if (kept > keep) break;
  }
  return Math.max(cut, context.cut + 1);
}

function bounded(text: string, most: number): string {
  const all = estimateTokens(text);
  if (all <= most) return text;
  const half = Math.floor((text.length * most) / all / 2);
  return `${text.slice(0, half)}\n\n[… the middle is left out …]\n\n${text.slice(-half)}`;
}
