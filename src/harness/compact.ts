/**
 * Making room: the oldest part of the talk is told by a summary from then on. The journal keeps all of it.
 *
 * Z1. A summariser that fails keeps the history; it is tried again later, never in a loop. One that was stopped has not failed.
 * Z3. Lasting facts that the summariser names are handed to memory, which judges each like any other; the summary does not hold their list.
 * Z2. The summariser's own input is bounded: what is longer is summarised piece by piece, each on top of the summary before.
 * Z4. What the turn under way was asked stands beside the summary in its people's own words, whatever the summariser made of it.
 */
import { conversation } from "../core/conversation.ts";
import type { Usage } from "../core/event.ts";
import { type Action, LIMITS } from "../core/next.ts";
import type { Answer, Finding } from "../core/ports.ts";
import { removable } from "../core/room.ts";
import { type Shape, shapeOf } from "../core/shorten.ts";
import type { State } from "../core/state.ts";
import { type Entry, isOpen } from "../core/talk.ts";
import { estimateTokens } from "../core/tokens.ts";
import { entryTokens } from "../core/weight.ts";
import { turnHome } from "./home.ts";
import { knownWindow } from "./limits.ts";
import { type Planner, write } from "./plan.ts";
import type { Scene } from "./world.ts";

const KEEP = 0.1;
/** What stays where nobody knows the window: a share of it would be a guess. */
const KEPT_MESSAGES = 6;
/** The share of the window that one piece may have; the rest is for the summary before it and the one to be written. */
const PIECE = 0.5;
/** More pieces than this lose their middle. */
const PIECES = 8;
const LONGEST = 4_000;
/** Tokens that the questions of a turn may have beside its summary. */
const ASKED = 2_000;
const REST = 60_000;
const WORDS = `Summarise the conversation below for the agent that goes on with it. Write what it needs, nothing else, under these headings:
Goal, Done, Findings, State, Open, Artifacts (paths and links). Keep names, ids, numbers and decisions exactly. Say who asked for what. What an earlier summary in it says still holds: carry over all of it that may be needed.
Last, under the heading "Keep", name what people stated in it that is worth knowing in later conversations (decisions, dates, names, preferences,
how things are done; no tasks, no secrets, no instructions, nothing that only a tool or a page said): one line each, "- the fact as one sentence
in their own words [m:ID]", with the ids of the messages it is from. Leave that heading out if there is nothing.`;

export const compact: Planner<Extract<Action, { do: "compact" }>> = async (scene) => ({
  intent: [],
  act: async () => write(scene.session, ...(await summarise(scene))),
});

async function summarise(scene: Scene) {
  const { world, state } = scene;
  const { model } = await turnHome(scene);
  const known = knownWindow(world, model);
  const window = known ?? LIMITS.window;
  const cut = known === undefined ? cutOff(state, KEPT_MESSAGES, messagesOf) : cutOff(state, known * KEEP, entryTokens);
  const { redactions } = state.context;
  const { answer, found } = await pieceByPiece(scene, model, conversation(state, state.context.cut, cut), window);
  const at = world.now();
  if (!answer.ok && answer.kind === "aborted") return [];
  const words = answer.ok ? world.scrub(wordsOf(answer)) : "";
  const summary = words && [words, asked(state, cut, Math.min(ASKED, window * KEEP))].filter(Boolean).join("\n\n");
  if (answer.ok && summary) await remember(scene, found, cut);
  if (answer.ok && summary) return [{ type: "context.compacted" as const, at, cut, summary, redactions, usage: answer.usage }];
  const reason = answer.ok ? "the summary was empty" : world.scrub(answer.detail);
  world.log.warn({ session: scene.session, reason }, "the history could not be summarised and is kept");
  return [{ type: "context.kept" as const, at, until: at + REST, reason }];
}

/** The questions of the open turn that are told by the summary from now on. */
function asked({ talk }: State, cut: number, most: number): string {
  const questions = talk.entries
    .slice(0, cut)
    .flatMap((entry) => (entry.as === "said" && entry.must && !entry.gone && entry.turn === talk.turn ? [entry] : []));
  if (!isOpen(talk) || !questions.length) return "";
  const lines = questions.map(({ by, id, text }) => `${by.name} (${by.id}) [m:${id}]: ${text}`);
  return `## Asked in this turn, in their own words\n\n${bounded(lines.join("\n\n"), most)}`;
}

/** Before the history is cut: what a crash repeats is kept once. Of what was deleted meanwhile nothing is. */
async function remember({ world, home, journal, session }: Scene, found: readonly Finding[], cut: number): Promise<void> {
  if (!found.length || !world.memory) return;
  const clean = found.map(({ text, evidence }) => ({ text: world.scrub(text), evidence }));
  try {
    await world.memory.keep(home, session, await journal.state(session), clean, `summary ${cut}`);
  } catch (error) {
    world.log.warn({ session, err: error }, "facts of a summary could not be kept");
  }
}

type Told = { answer: Answer; found: Finding[] };
async function pieceByPiece({ world, signal }: Scene, model: string, text: string, window: number): Promise<Told> {
  const maxTokens = Math.max(1_000, Math.min(LONGEST, Math.floor(window * KEEP)));
  let before = "";
  let usage: Usage | undefined;
  const found: Finding[] = [];
  for (const piece of pieces(text, window * PIECE)) {
    const content = [{ type: "text", text: before ? `## Summary of what came before\n\n${before}\n\n${piece}` : piece }];
    const request = { model, system: [{ text: WORDS }], messages: [{ role: "user" as const, content }], tools: [], maxTokens };
    const answer = await world.model.answer(request, () => {}, signal);
    if (!answer.ok) return { answer, found };
    const { summary, kept } = parted(wordsOf(answer));
    if (!summary) return { answer: { ...answer, content: [] }, found };
    before = summary;
    found.push(...kept);
    usage = added(usage, answer.usage);
  }
  const answer: Answer = { ok: true, content: [{ type: "text", text: before }], calls: [], stop: "end", usage: usage ?? NOTHING };
  return { answer, found };
}

const HEADING = /^[#*\s]*keep[:*\s]*$/i;
const OTHER = /^(#{1,6} |\*\*[^*]+\*\*:?\s*$|(Goal|Done|Findings|State|Open|Artifacts)\b.{0,40}:?\s*$)/;
const FACT = /^\s*[-*] (.+?)\s*((?:\[m:[^\]\s]+\][\s,.;]*)+)$/;

/** A summary without its list of lasting facts, and that list. */
export function parted(text: string): { summary: string; kept: Finding[] } {
  const lines = text.split("\n");
  const from = lines.findIndex((line) => HEADING.test(line));
  if (from < 0) return { summary: text, kept: [] };
  const length = lines.slice(from + 1).findIndex((line) => OTHER.test(line));
  const to = length < 0 ? lines.length : from + 1 + length;
  const kept = lines.slice(from + 1, to).flatMap((line): Finding[] => {
    const [, fact, refs] = FACT.exec(line) ?? [];
    if (!fact || !refs) return [];
    return [{ text: fact, evidence: [...refs.matchAll(/\[m:([^\]\s]+)\]/g)].flatMap(([, id]) => (id ? [id] : [])) }];
  });
  return { summary: [...lines.slice(0, from), ...lines.slice(to)].join("\n").trim(), kept };
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

/** The newest entries that fit into what is kept stay; at least one goes, and what no answer has seen yet stays. */
function cutOff(state: State, keep: number, sizeOf: (entry: Entry, shape: Shape) => number): number {
  const { talk, context } = state;
  const most = removable(state);
  const size = (index: number): number => {
    const entry = talk.entries[index];
    return entry ? sizeOf(entry, shapeOf(context, index)) : 0;
  };
  let kept = 0;
  for (let index = most; index < talk.entries.length; index++) kept += size(index);
  let cut = most;
  for (; cut > context.cut + 1; cut--) {
    kept += size(cut - 1);
    if (kept > keep) break;
  }
  return Math.max(cut, context.cut + 1);
}
/** As they are sent: an answer, and what its calls gave. */
const messagesOf = (entry: Entry): number => (entry.as === "answer" && entry.calls?.length ? 2 : 1);

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
