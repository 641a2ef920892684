/**
 * Helpers: sessions of their own below the one that called them, with its place and scope.
 *
 * L1. Both sessions are written in one record when a helper begins; nothing is held in memory while it works.
 * L2. Closing it writes both, or only its own if the parent no longer waits.
 * L3. However a helper ends, its parent is given a text: the report, or why there is none and what was said last.
 * L4. It works for the person its root's turn is for, with that person's rights and no others.
 */
import type { Block, Event, Parent, Speaker } from "../core/event.ts";
import { childOf } from "../core/id.ts";
import type { Action } from "../core/next.ts";
import { helperName } from "../core/slots.ts";
import type { Ending, Entry } from "../core/talk.ts";
import { newCode } from "./gate.ts";
import { turnHome } from "./home.ts";
import { only, type Plan, type Planner, write } from "./plan.ts";
import { unlike } from "./run.ts";
import { momentOf, type Scene, whoFor } from "./world.ts";

export const spawn: Planner<Extract<Action, { call: string }>> = async (scene, action) => {
  const { world, session, opened, state } = scene;
  const call = state.calls.byId[action.call];
  if (!call) return { intent: [] };
  const at = world.now();
  const tool = (await turnHome(scene)).tools.get(call.tool);
  const changed = unlike(call, tool);
  if (changed) return only(session, { type: "call.finished", at, call: call.id, content: changed, failed: true });
  // As the tool reads it: whom the model meant by another name of the field is who is called, with the tools of that helper.
  const parsed = tool?.parse(call.input);
  const input = parsed?.ok ? parsed.input : call.input;
  const child = childOf(session, call.id);
  const { home, scope, place } = opened;
  const by = whoFor(opened, state);
  const parent: Parent = { session, call: call.id, agent: helperName({ input }), ...(by ? { by } : {}) };
  const asker: Speaker = { id: session, name: "the agent", kind: "system" };
  const begun: Event[] = [
    { type: "session.opened", at, home, scope, place, code: newCode(), parent },
    { type: "message.received", at, id: call.id, by: asker, text: String(input.description ?? ""), heard: false },
  ];
  return { intent: [...write(session, { type: "call.waiting", at, call: call.id }), ...write(child, ...begun)] };
};

/** Closes a turn. A helper's report goes to the call that waits for it. */
export const close: Planner<Extract<Action, { do: "close" }>> = async (scene, action) => {
  const closed: Event = { type: "turn.closed", at: scene.world.now(), turn: action.turn };
  const parent = scene.opened.parent;
  if (!parent) return { intent: write(scene.session, closed), act: () => postCall(scene) };
  const waiting = (await scene.journal.state(parent.session)).calls.byId[parent.call]?.status === "waiting";
  return waiting ? { intent: [...write(scene.session, closed), ...report(scene, parent)] } : only(scene.session, closed);
};

function report({ world, state }: Scene, parent: Parent): Plan["intent"] {
  const { ending, entries } = state.talk;
  const failed = ending?.how !== "answered";
  const content = failed ? noReport(parent.agent, ending, entries) : ending.text;
  const undoable = Object.values(state.calls.byId).some((call) => call.undoable) ? { undoable: true as const } : {};
  return write(parent.session, { type: "call.finished", at: world.now(), call: parent.call, content, failed, ...undoable });
}

function noReport(agent: string, ending: Ending | null, entries: readonly Entry[]): string {
  const why = ending?.how === "limit" ? "it used up its steps." : (ending?.text ?? "");
  const said = entries.map((entry) => (entry.as === "answer" ? wordsOf(entry.content) : "")).findLast(Boolean);
  return [`The helper ${agent} ended without a report: ${why}`, ...(said ? [`What it said last:\n\n${said}`] : [])].join("\n\n");
}
const wordsOf = (content: readonly Block[]): string =>
  content
    .flatMap((block) => (block.type === "text" ? [String(block.text)] : []))
    .join("\n")
    .trim();

async function postCall(scene: Scene): Promise<Plan["intent"]> {
  const { world, session, journal } = scene;
  const state = await journal.state(session);
  const notes: Event[] = [];
  const spent: Plan["intent"] = [];
  for (const hook of world.hooks) {
    try {
      const given = await hook.postCall?.(momentOf({ ...scene, state }));
      for (const { session: at, ...used } of given?.spent ?? []) spent.push([at, [{ type: "tokens.spent", at: world.now(), ...used }]]);
      for (const text of given?.notes ?? []) notes.push({ type: "noted", at: world.now(), text });
    } catch (error) {
      world.log.error({ hook: hook.name, err: error }, "a hook failed");
    }
  }
  return [...write(session, ...notes), ...spent];
}
