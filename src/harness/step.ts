/**
 * One step of reasoning: opens it (taking the queue), asks the model, and turns what came into facts.
 *
 * R1. A partial answer is discarded: nothing of it is recorded, shown as final, or run.
 * R2. A call cut off inside its input is recorded as broken and never runs.
 * R3. What the model writes is scrubbed before it is kept or shown.
 */
import type { Block, Event } from "../core/event.ts";
import { callId } from "../core/id.ts";
import type { Action } from "../core/next.ts";
import { beginning, cut } from "../core/parts.ts";
import type { Answer, Platform, ToolSpec } from "../core/ports.ts";
import { reduce } from "../core/state.ts";
import { transcript } from "../core/transcript.ts";
import { say } from "../core/view.ts";
import { usedUp } from "./budget.ts";
import { failureText, retryDelay } from "./failure.ts";
import { gated } from "./gate.ts";
import { type TurnHome, turnHome } from "./home.ts";
import { answerOf } from "./limits.ts";
import { only, type Planner, write } from "./plan.ts";
import { momentOf, type Scene, scrubbed } from "./world.ts";

type Step = Extract<Action, { do: "step" }>;

export const step: Planner<Step> = async (scene, action) => {
  const { turn, step, upTo } = action;
  const at = scene.world.now();
  const opened: Event = { type: "step.opened", at, turn, step, upTo };
  const text = await usedUp(scene);
  if (text) return only(scene.session, opened, { type: "turn.ended", at, turn, how: "limit", text, cuts: [] });
  return { intent: write(scene.session, opened), act: async () => write(scene.session, ...(await think(scene, action))) };
};

async function think(scene: Scene, action: Step): Promise<Event[]> {
  const { world, session, journal, signal } = scene;
  const state = await journal.state(session);
  const now: Scene = { ...scene, state };
  const notes = action.step === 1 && action.attempt === 1 ? await preCall(now) : [];
  const home = await turnHome(now);
  if (action.step > home.steps)
    return [{ type: "turn.ended", at: world.now(), turn: action.turn, how: "limit", text: failureText("steps", ""), cuts: [] }];
  // A helper talks with nobody: what is wrong in the home is told by its root.
  const news = now.opened.parent ? [] : world.told(now.home, home.warnings);
  if (news.length) void warn(now, news);
  if (!now.opened.parent) void ask(now, home.asks);
  const request = {
    model: home.model,
    system: home.system,
    messages: transcript(state),
    tools: specs(home.tools.values()),
    maxTokens: answerOf(world, home.model),
  };
  world.sent?.(now.home, session, action, request);
  let draft = "";
  const answer = await world.model.answer(
    request,
    (delta) => {
      if (delta.kind !== "text") return;
      draft += delta.text;
      scene.draft(draft);
    },
    signal,
  );
  const came = await withVerdicts(now, home, outcome(now, action, answer));
  // Nothing came of what was given up: the same attempt begins anew.
  return came.length ? [...notes, ...came] : [];
}

/** The gate's verdicts go into the same record as the answer: one commit less before a call runs. Not at all is as good: then they are an action. */
async function withVerdicts(scene: Scene, home: TurnHome, came: Event[]): Promise<Event[]> {
  const answered = came.find((event) => event.type === "model.answered");
  if (!answered?.calls.length) return came;
  try {
    const after = reduce(scene.state, answered);
    const ids = answered.calls.map((_, index) => callId(answered.turn, answered.step, index));
    return [...came, ...(await gated({ ...scene, state: after }, home, ids))];
  } catch (error) {
    scene.world.log.warn({ session: scene.session, err: error }, "calls could not be judged with their answer");
    return came;
  }
}

/** In one order, so that the prefix is the same whatever order the hooks answered in. */
export const specs = (tools: Iterable<ToolSpec>): ToolSpec[] =>
  [...tools].map(({ name, description, schema }) => ({ name, description, schema })).sort((a, b) => (a.name < b.name ? -1 : 1));

async function preCall(scene: Scene): Promise<Event[]> {
  const { world } = scene;
  const notes: string[] = [];
  for (const hook of world.hooks) {
    try {
      notes.push(...((await hook.preCall?.(momentOf(scene)))?.notes ?? []));
    } catch (error) {
      world.log.error({ hook: hook.name, err: error }, "a hook failed");
    }
  }
  return notes.map((text) => ({ type: "noted", at: world.now(), text }));
}

async function warn({ world, platform, opened, state }: Scene, warnings: string[]): Promise<void> {
  const person = state.talk.by;
  for (const warning of warnings) world.log.warn({ home: opened.home }, warning);
  if (!person) return;
  try {
    await platform.whisper(opened.place, person.id, say(warnings.map((warning) => `⚠️ ${warning}`).join("\n")));
  } catch (error) {
    world.log.warn({ err: error }, "a warning could not be delivered");
  }
}

/** What only the person of the turn can do, told to them alone. */
async function ask({ world, home, platform, opened, state }: Scene, asks: string[]): Promise<void> {
  const person = state.talk.by;
  const news = person ? world.told(`${home} ${person.id}`, asks) : [];
  if (!person || !news.length) return;
  try {
    await platform.whisper(opened.place, person.id, say(news.join("\n")));
  } catch (error) {
    world.log.warn({ err: error }, "what a person has to do could not be told");
  }
}

function outcome(scene: Scene, { turn, step, attempt }: Step, answer: Answer): Event[] {
  const { world } = scene;
  const at = world.now();
  if (!answer.ok) {
    if (answer.kind === "aborted") return [];
    const detail = world.scrub(answer.detail);
    world.log.warn({ session: scene.session, kind: answer.kind, detail, attempt }, "the model did not answer");
    if (answer.kind === "retry")
      return [
        {
          type: "step.failed",
          at,
          turn,
          step,
          reason: detail,
          overflow: false,
          retryAt: at + Math.round(retryDelay(attempt, answer.retryAfter) * world.patience),
        },
      ];
    if (answer.kind === "overflow") return [{ type: "step.failed", at, turn, step, reason: detail, overflow: true, retryAt: at }];
    return [{ type: "turn.ended", at, turn, how: "failed", text: failureText(answer.kind, detail), cuts: [] }];
  }
  if (answer.stop === "overflow")
    return [{ type: "step.failed", at, turn, step, reason: "the context window was exceeded", overflow: true, retryAt: at }];
  if (answer.stop === "refusal")
    return [{ type: "turn.ended", at, turn, how: "failed", text: failureText("refusal", world.scrub(answer.why ?? "")), cuts: [] }];
  const content = masked(answer.content, world.scrub);
  const calls = scrubbed(answer.calls, world.scrub);
  const answered: Event = { type: "model.answered", at, turn, step, content, calls, usage: answer.usage };
  if (calls.length || answer.stop === "paused") return [answered];
  const text = finalText(content, answer.stop === "length");
  if (!text) return [answered, { type: "turn.ended", at, turn, how: "failed", text: failureText("empty", ""), cuts: [] }];
  return [answered, { type: "turn.ended", at, turn, how: "answered", text, ...shownAs(text, scene.platform) }];
}

/** Where an answer is cut into messages, once and for all; one that would take too many is begun, and goes on as a file. */
function shownAs(text: string, { partLimit, mostParts = Number.POSITIVE_INFINITY }: Platform): { cuts: number[]; head?: number } {
  const cuts = cut(text, partLimit);
  return cuts.length < mostParts ? { cuts } : { cuts, head: beginning(text) };
}

/** Thinking is signed: where it would have to be masked it is left out, since changed it would be refused. */
function masked(content: Block[], scrub: (text: string) => string): Block[] {
  return content.flatMap((block) => {
    const clean = scrubbed(block, scrub);
    const signed = block.type === "thinking" || block.type === "redacted_thinking";
    return signed && JSON.stringify(clean) !== JSON.stringify(block) ? [] : [clean];
  });
}

function finalText(content: Block[], short: boolean): string {
  const text = content
    .flatMap((block) => (block.type === "text" ? [String(block.text)] : []))
    .join("")
    .trim();
  return text && short ? `${text}\n\n*(The model's longest answer ends here. Ask it to go on.)*` : text;
}
