/** How each action is performed, and what is recorded when it fails by a bug: the table of the actions. */
import type { Event } from "../core/event.ts";
import type { Action } from "../core/next.ts";
import { compact } from "./compact.ts";
import { failureText } from "./failure.ts";
import { discardFile, fetchFile } from "./fetch-file.ts";
import { gate } from "./gate.ts";
import { close, spawn } from "./helper.ts";
import { only, type Plan } from "./plan.ts";
import { recover, run } from "./run.ts";
import { show } from "./show.ts";
import { step } from "./step.ts";
import type { Scene } from "./world.ts";

/** Undefined: nothing can be said about it, and the loop ends. */
export function failedEvent(action: Action, at: number, id: string): Event | undefined {
  const text = `Something went wrong inside me (error ${id}). An operator finds it in the log.`;
  switch (action.do) {
    case "step":
      return { type: "turn.ended", at, turn: action.turn, how: "failed", text, cuts: [] };
    case "compact":
      return { type: "context.kept", at, until: at + 60_000, reason: `error ${id}` };
    case "run":
    case "recover":
    case "spawn":
      return { type: "call.finished", at, call: action.call, content: text, failed: true };
    case "fetch":
      return { type: "file.fetched", at, file: action.file, problem: `something went wrong inside me (error ${id})` };
    case "show":
      return { type: "post.failed", at, slot: action.slot, unsure: true, until: at + 5_000, reason: `error ${id}` };
    default:
      return undefined;
  }
}

/** One small file per action. */
export async function planFor(scene: Scene, action: Action): Promise<Plan> {
  const at = scene.world.now();
  switch (action.do) {
    case "step":
      return step(scene, action);
    case "compact":
      return compact(scene, action);
    case "trim":
      return only(scene.session, { type: "context.trimmed", at, upTo: action.upTo });
    case "clip":
      return only(scene.session, { type: "context.clipped", at, upTo: action.upTo, share: action.share });
    case "gate":
      return gate(scene, action);
    case "run":
      return run(scene, action);
    case "recover":
      return recover(scene, action);
    case "spawn":
      return spawn(scene, action);
    case "close":
      return close(scene, action);
    case "fetch":
      return fetchFile(scene, action);
    case "discard":
      return discardFile(scene, action);
    case "show":
      return show(scene, action);
    case "expire":
      return only(scene.session, { type: "approval.expired", at, call: action.call });
    case "fire":
      return only(scene.session, { type: "timer.fired", at, id: action.timer });
    case "end": {
      const how = action.why === "steps" ? "limit" : "failed";
      return only(scene.session, { type: "turn.ended", at, turn: action.turn, how, text: failureText(action.why, ""), cuts: [] });
    }
  }
}
