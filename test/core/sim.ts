/**
 * Processes that advance the sessions of a world, one boundary at a time, and can die or be replaced at any of them.
 */
import { decisionOf, openQuestion } from "../../src/core/calls.ts";
import { rootOf, type SessionId } from "../../src/core/id.ts";
import { type Action, next, rest, type Subject, stale, wakeAt } from "../../src/core/next.ts";
import { type Act, perform } from "./perform.ts";
import { person, receive, sessionsOf, stateOf, type World } from "./world.ts";

export interface Task {
  holder: string;
  session: SessionId;
  action: Action;
  act: Act;
  /** Overtaken: its subject is free again, though what it does may still come to an end. */
  overtaken: boolean;
}
export interface Sim {
  world: World;
  tasks: Task[];
  processes: number;
}
export const newSim = (world: World): Sim => ({ world, tasks: [], processes: 0 });

/** The holder of a root; the first to ask gets it. */
function holderOf(sim: Sim, root: SessionId): string {
  const held = sim.world.holders.get(root);
  if (held) return held;
  const fresh = `p${++sim.processes}`;
  sim.world.holders.set(root, fresh);
  return fresh;
}
const isLive = (sim: Sim, task: Task): boolean => !task.overtaken && sim.world.holders.get(rootOf(task.session)) === task.holder;

/** Begins all that is ready and lets go of what was overtaken. */
export function begin(sim: Sim): void {
  const { world } = sim;
  for (const task of sim.tasks) if (stale(stateOf(world, task.session), task.action)) task.overtaken = true;
  for (const session of sessionsOf(world)) {
    const holder = holderOf(sim, rootOf(session));
    const running = new Set<Subject>(
      sim.tasks.filter((task) => task.session === session && isLive(sim, task)).map((task) => task.action.subject),
    );
    for (const action of next(stateOf(world, session), world.now, running, world.limits))
      sim.tasks.push({ holder, session, action, act: perform(world, holder, session, action), overtaken: false });
  }
}

/** Takes one task to its next boundary. */
export function resume(sim: Sim, at: number): void {
  const task = sim.tasks[at];
  if (!task) return;
  if (task.act.next().done) sim.tasks = sim.tasks.filter((other) => other !== task);
}

/** The process dies: whatever ran is lost, and another takes its place. */
export function crash(sim: Sim): void {
  sim.tasks = [];
  for (const root of sim.world.holders.keys()) sim.world.holders.set(root, `p${++sim.processes}`);
}

/** Another process takes a root over while the first still runs and does not know it. */
export function takeover(sim: Sim, root: SessionId): void {
  if (sim.world.holders.has(root)) sim.world.holders.set(root, `p${++sim.processes}`);
}

/** Everything to its end, with people who decide what is open; `patient` ones do so only when time alone changes nothing any more. */
export function drain(sim: Sim, before: () => boolean = () => false, patient = false): void {
  for (let turns = 0; turns < 20_000; turns++) {
    if (before()) continue;
    begin(sim);
    const [first, ...others] = sim.tasks;
    if (first) {
      sim.tasks = [...others, first];
      resume(sim, others.length);
    } else if (!(patient && passTime(sim.world)) && !decideOne(sim.world) && !passTime(sim.world)) return;
  }
  throw new Error(`It never came to rest. Last: ${JSON.stringify(sim.world.commits.slice(-6))}`);
}

function decideOne(world: World): boolean {
  for (const session of sessionsOf(world)) {
    const call = Object.values(stateOf(world, session).calls.byId).find((it) => it.status === "asked");
    if (!call?.gate) continue;
    const by = person(`decider${call.votes.length}`);
    const base = { type: "approval.decided", at: world.now, call: call.id, digest: decisionOf(call)?.digest ?? "", by } as const;
    const event =
      call.gate.question || openQuestion(call)
        ? ({ ...base, verdict: "answer", text: "this" } as const)
        : ({ ...base, verdict: "approve" } as const);
    return receive(world, session, `decide ${world.commits.length}`, event);
  }
  return false;
}

function passTime(world: World): boolean {
  const times = sessionsOf(world).flatMap((session) => wakeAt(stateOf(world, session), world.now) ?? []);
  if (times.length === 0) return false;
  world.now = Math.min(...times);
  return true;
}

/** Whether every session says of itself that it rests, for ever. */
export const restless = (world: World): SessionId[] =>
  sessionsOf(world).filter((session) => {
    const { settled, wakeAt: at } = rest(stateOf(world, session), world.now);
    return !settled || at !== null;
  });
