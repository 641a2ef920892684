/**
 * Running a call, once, and recovering one that was running when the process died.
 *
 * U1. A tool is looked up once: what was compared with the approval's digest is what runs.
 * U2. The use of a standing grant is recorded with the start, so that a revocation in between is seen.
 * U3. What people saw as a diff runs only if it would be the same diff now.
 * U4. After a crash a call is repeated only if its tool is repeatable and policy would not ask for it; else: outcome unknown.
 * U5. A call that asked people something goes on with what became of that. It is still the run that was decided: nothing is compared again.
 */
import type { Call } from "../core/calls.ts";
import type { Event, Result } from "../core/event.ts";
import type { Action } from "../core/next.ts";
import type { Outcome, Tool, Write } from "../core/ports.ts";
import type { State } from "../core/state.ts";
import { callDigest } from "./gate.ts";
import { toolFor, turnHome } from "./home.ts";
import { asked } from "./inquiry.ts";
import { only, type Plan, type Planner, write } from "./plan.ts";
import { wouldDiffer } from "./preview.ts";
import { contextOf, momentOf, type Scene, scrubbed } from "./world.ts";

/** A repeatable call that takes the process down with it is not started for ever. */
const STARTS = 3;

export const run: Planner<Extract<Action, { call: string }>> = async (scene, action) => {
  const call = scene.state.calls.byId[action.call];
  const tool = call && toolFor(await turnHome(scene), call.tool, call.input);
  if (!call?.gate) return { intent: [] };
  if (call.questions.length) return tool ? start(scene, call, tool, []) : finished(scene, call, LOST);
  const changed = unlike(call, tool);
  if (changed || !tool) return finished(scene, call, changed ?? "The tool is gone.");
  const differs = await wouldDiffer(scene, call, tool);
  if (differs) return finished(scene, call, differs);
  const grant = call.gate.grant;
  if (grant && !(await standing(scene, grant.session, grant.id)))
    return finished(scene, call, "Not run: the standing permission for it was revoked.");
  const used: Write[] = grant ? [[grant.session, [{ type: "grant.used", at: scene.world.now(), id: grant.id, call: call.id }]]] : [];
  return start(scene, call, tool, used);
};

export const recover: Planner<Extract<Action, { call: string }>> = async (scene, action) => {
  const call = scene.state.calls.byId[action.call];
  if (!call?.gate) return { intent: [] };
  const tool = toolFor(await turnHome(scene), call.tool, call.input);
  const again = tool?.repeatable && !call.gate.risky && !call.questions.length && call.starts < STARTS;
  return again && !unlike(call, tool) ? start(scene, call, tool, []) : finished(scene, call, LOST);
};
const LOST = "The process was interrupted while this ran: outcome unknown. Check what happened before you try again.";

/** Why what was decided is not what would run now. */
export function unlike(call: Call, tool: Tool | undefined): string | undefined {
  if (!tool) return `Not run: the tool ${call.gate?.label ?? call.tool} is not there any more.`;
  const parsed = tool.parse(call.input);
  if (!parsed.ok) return `Not run, the input is not valid: ${parsed.error}`;
  if (callDigest(tool, parsed.input) === call.gate?.digest) return undefined;
  return "Not run: the tool or its server has changed since this was decided. Call it again if it is still needed.";
}

async function standing({ journal, session }: Scene, where: string, id: string): Promise<boolean> {
  const grants = await journal.grants(session);
  return grants.some((it) => it.session === where && it.grant.id === id);
}

const finished = ({ session, world }: Scene, call: Call, content: string): Plan =>
  only(session, { type: "call.finished", at: world.now(), call: call.id, content, failed: true });

function start(scene: Scene, call: Call, tool: Tool, used: Write[]): Plan {
  const started: Event = { type: "call.started", at: scene.world.now(), call: call.id, digest: call.gate?.digest ?? "" };
  const reads = tool.reads === true && !call.gate?.risky && call.questions.length === 0;
  return { intent: [...write(scene.session, started), ...used], act: () => perform(scene, call, tool), reads };
}

async function perform(scene: Scene, call: Call, tool: Tool): Promise<Write[]> {
  const { world, session } = scene;
  const parsed = call.questions.length ? { ok: true as const, input: call.input } : tool.parse(call.input);
  const outcome: Outcome = parsed.ok ? await ranSafely(scene, call, tool, parsed.input) : { content: parsed.error, failed: true };
  const events = scrubbed(outcome.events ?? [], world.scrub);
  if (outcome.asks) return write(session, await asked(scene, call, outcome.asks), ...events);
  const result = await afterwards(scene, call, tool, { content: scrubbed(outcome.content, world.scrub), failed: outcome.failed });
  const undoable = outcome.undoable ? { undoable: true as const } : {};
  const file = outcome.file && !result.failed ? { file: scrubbed(outcome.file, world.scrub) } : {};
  const at = world.now();
  const ends = outcome.ends && !outcome.failed && isAlone(call, scene.state);
  const over: Event[] = ends ? [{ type: "turn.ended", at, turn: call.turn, how: "silent", text: "", cuts: [] }] : [];
  return write(session, { type: "call.finished", at, call: call.id, ...result, ...undoable, ...file }, ...events, ...over);
}

/** Nothing else was called with it: then nobody waits for another answer of the model. */
const isAlone = ({ turn, step, id }: Call, { calls }: State): boolean =>
  !Object.values(calls.byId).some((other) => other.turn === turn && other.step === step && other.id !== id);

async function ranSafely(scene: Scene, call: Call, tool: Tool, input: Call["input"]): Promise<Outcome> {
  const { world, session } = scene;
  try {
    const answer = call.questions.at(-1)?.answered;
    return await tool.run(input, { ...contextOf(scene, call.id), ...(answer ? { answer } : {}) });
  } catch (error) {
    world.log.error({ tool: tool.label, session, call: call.id, err: error }, "a tool failed unexpectedly");
    return { content: `${tool.label} failed: ${error instanceof Error ? error.message : String(error)}`, failed: true };
  }
}

async function afterwards(scene: Scene, call: Call, tool: Tool, result: Result): Promise<Result> {
  let now = result;
  for (const hook of scene.world.hooks) {
    try {
      now = (await hook.postActing?.(momentOf(scene), tool, call.id, now)) ?? now;
    } catch (error) {
      scene.world.log.error({ hook: hook.name, err: error }, "a hook failed");
    }
  }
  return now;
}
