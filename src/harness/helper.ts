/**
 * Helpers: sessions of their own below the one that called them, with its place and scope.
 *
 * L1. Both sessions are written in one record when a helper begins; nothing is held in memory while it works.
 * L2. Closing it writes both, or only its own if the parent no longer waits.
 */
import type { Event, Speaker } from "../core/event.ts";
import { childOf } from "../core/id.ts";
import type { Action } from "../core/next.ts";
import { newCode } from "./gate.ts";
import { only, type Plan, type Planner, write } from "./plan.ts";
import { momentOf, type Scene } from "./world.ts";

export const spawn: Planner<Extract<Action, { call: string }>> = async (scene, action) => {
  const { world, session, opened, state } = scene;
  const call = state.calls.byId[action.call];
  if (!call) return { intent: [] };
  const at = world.now();
  const child = childOf(session, call.id);
  const { home, scope, place } = opened;
  const agent = String(call.input.subagent_type ?? "general-purpose");
  const parent = { session, call: call.id, agent };
  const asker: Speaker = { id: session, name: "the agent", kind: "system" };
  const begun: Event[] = [
    { type: "session.opened", at, home, scope, place, code: newCode(), parent },
    { type: "message.received", at, id: call.id, by: asker, text: String(call.input.description ?? ""), heard: false },
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

function report({ world, state }: Scene, parent: { session: string; call: string }): Plan["intent"] {
  const ending = state.talk.ending;
  const failed = ending?.how !== "answered";
  const content = ending?.text || "The helper ended without a report.";
  return write(parent.session, { type: "call.finished", at: world.now(), call: parent.call, content, failed });
}

async function postCall(scene: Scene): Promise<Plan["intent"]> {
  const { world, session, journal } = scene;
  const state = await journal.state(session);
  const notes: Event[] = [];
  for (const hook of world.hooks) {
    try {
      const given = await hook.postCall?.(momentOf({ ...scene, state }));
      for (const text of given?.notes ?? []) notes.push({ type: "noted", at: world.now(), text });
    } catch (error) {
      world.log.error({ hook: hook.name, err: error }, "a hook failed");
    }
  }
  return write(session, ...notes);
}
