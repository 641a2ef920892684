/**
 * Making room: the oldest part of the talk is told by a summary from then on. The journal keeps all of it.
 *
 * Z1. A summariser that fails keeps the history; it is tried again later, never in a loop. One that was stopped has not failed.
 * Z2. The summariser's own input is bounded: what is longer is summarised piece by piece, each on top of the summary before.
 */
import { conversation } from "../core/conversation.ts";
import type { Usage } from "../core/event.ts";
import type { Action } from "../core/next.ts";
import type { Answer } from "../core/ports.ts";
import { removable } from "../core/room.ts";
import { shapeOf } from "../core/shorten.ts";
import { estimateTokens } from "../core/tokens.ts";
import { entryTokens } from "../core/weight.ts";
import { windowOf } from "./limits.ts";
import { type Planner, write } from "./plan.ts";
import type { Scene } from "./world.ts";

const KEEP = 0.1;
/** The share of the window that one piece may have; the rest is for the summary before it and the one to be written. */
const PIECE = 0.5;
/** More pieces than this lose their middle. */
const PIECES = 8;
const LONGEST = 4_000;
const REST = 60_000;
const WORDS = `Summarise the conversation below for the agent that goes on with it. Write what it needs, nothing else, under these headings:
Goal, Done, Findings, State, Open, Artifacts (paths and links). Keep names, ids, numbers and decisions exactly. Say who asked for what. What an earlier summary in it says still holds: carry over all of it that may be needed.`;

export const compact: Planner<Extract<Action, { do: "compact" }>> = async (scene) => ({
  intent: [],
  act: async () => write(scene.session, ...(await summarise(scene))),
});

async function summarise(scene: Scene) {
  const { world, state, home } = scene;
  const window = windowOf(world, await world.homes.rules(home));
  const cut = cutOff(scene, window * KEEP);
  const { redactions } = state.context;
  const answer = await pieceByPiece(scene, conversation(state, state.context.cut, cut), window);
  const at = world.now();
  if (!answer.ok && answer.kind === "aborted") return [];
  const summary = answer.ok ? world.scrub(wordsOf(answer)) : "";
  if (answer.ok && summary) return [{ type: "context.compacted" as const, at, cut, summary, redactions, usage: answer.usage }];
  const reason = answer.ok ? "the summary was empty" : world.scrub(answer.detail);
  world.log.warn({ session: scene.session, reason }, "the history could not be summarised and is kept");
  return [{ type: "context.kept" as const, at, until: at + REST, reason }];
}

async function pieceByPiece(scene: Scene, text: string, window: number): Promise<Answer> {
  const { world, home, signal } = scene;
  const { model = world.modelName } = await world.homes.rules(home);
  const maxTokens = Math.max(1_000, Math.min(LONGEST, Math.floor(window * KEEP)));
  let before = "";
  let usage: Usage | undefined;
  for (const piece of pieces(text, window * PIECE)) {
    const content = [{ type: "text", text: before ? `## Summary of what came before\n\n${before}\n\n${piece}` : piece }];
    const request = { model, system: [{ text: WORDS }], messages: [{ role: "user" as const, content }], tools: [], maxTokens };
    const answer = await world.model.answer(request, () => {}, signal);
    if (!answer.ok || !wordsOf(answer)) return answer;
    before = wordsOf(answer);
    usage = added(usage, answer.usage);
  }
  return { ok: true, content: [{ type: "text", text: before }], calls: [], stop: "end", usage: usage ?? NOTHING };
}
const NOTHING: Usage = { model: "", input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const added = (before: Usage | undefined, now: Usage): Usage => ({
  model: now.model,
  input: (before?.input ?? 0) + now.input,
  output: (before?.output ?? 0) + now.output,
  cacheRead: (before?.cacheRead ?? 0) + now.cacheRead,
  cacheWrite: (before?.cacheWrite ?? 0) + now.cacheWrite,
});

const wordsOf = ({ content }: Extract<Answer, { ok: true }>): string =>
  content
    .flatMap((block) => (block.type === "text" ? [String(block.text)] : []))
    .join("\n")
    .trim();

/** The newest entries that fit into the kept share stay; at least one goes, and what no answer has seen yet stays. */
function cutOff({ state }: Scene, keep: number): number {
  const { talk, context } = state;
  const most = removable(state);
  const tokens = (index: number): number => {
    const entry = talk.entries[index];
    return entry ? entryTokens(entry, shapeOf(context, index)) : 0;
  };
  let kept = 0;
  for (let index = most; index < talk.entries.length; index++) kept += tokens(index);
  let cut = most;
  for (; cut > context.cut + 1; cut--) {
    kept += tokens(cut - 1);
    if (kept > keep) break;
  }
  return Math.max(cut, context.cut + 1);
}

function pieces(text: string, most: number): string[] {
  const whole = bounded(text, most * PIECES);
  const count = Math.ceil(estimateTokens(whole) / most);
  const length = Math.ceil(whole.length / count);
  return Array.from({ length: count }, (_, index) => whole.slice(index * length, (index + 1) * length));
}

function bounded(text: string, most: number): string {
  const all = estimateTokens(text);
  if (all <= most) return text;
  const half = Math.floor((text.length * most) / all / 2);
  return `${text.slice(0, half)}\n\n[… the middle is left out …]\n\n${text.slice(-half)}`;
}
