/**
 * The only loop: performs what is ready in a root session and its helpers, side by side, until nothing is. Resuming after a crash is
 * the same loop with nothing running.
 *
 * A1. Under the root's lease. Record the intent; refused? leave it; act; record the outcome.
 * A2. What has been overtaken (a stop) is aborted and gives up its subject at once; its late outcome is recorded only if it still applies.
 * A3. A bug in an action closes the turn or the call as failed, with an id that is in the log.
 * A4. The loop is never left while something of it still runs: whoever takes the session next would take that for dead.
 */
import { randomBytes } from "node:crypto";
import type { Event } from "../core/event.ts";
import { HOME_SESSION, type SessionId } from "../core/id.ts";
import { type Action, next, rest, type Subject, stale, wakeAt } from "../core/next.ts";
import type { Journal, Lease, Write } from "../core/ports.ts";
import type { State } from "../core/state.ts";
import { compact } from "./compact.ts";
import { failureText } from "./failure.ts";
import { gate } from "./gate.ts";
import { close, spawn } from "./helper.ts";
import { limitsOf } from "./limits.ts";
import { Live } from "./live.ts";
import { only, type Plan, write } from "./plan.ts";
import { recover, run } from "./run.ts";
import { show } from "./show.ts";
import { step } from "./step.ts";
import type { Scene, World } from "./world.ts";

const PAUSED = 10_000;

interface Job {
  session: SessionId;
  action: Action;
  controller: AbortController;
  done: Promise<void>;
}

/** Wakes the loop from outside: resolves `woken` once, then is renewed. */
export interface Bell {
  rung(): Promise<void>;
}

export interface Advance {
  world: World;
  home: string;
  root: SessionId;
  bell: Bell;
  /** Aborted when the process stops: nothing new is begun, model calls are given up, tools may finish. */
  closing: AbortSignal;
}

/** Resolves when nothing is ready: with the time to look again, or null. `held` if another process has the session. Rejects if it cannot go on now. */
export async function advance(on: Advance): Promise<{ wakeAt: number | null } | "held"> {
  const journal = await on.world.journal(on.home);
  const lease = await journal.lease(on.root);
  if (!lease) return "held";
  const loop = new Loop(on, journal, lease);
  try {
    return await loop.run();
  } finally {
    await loop.leave();
    await journal.release(lease);
  }
}

class Loop {
  readonly #on: Advance;
  readonly #journal: Journal;
  readonly #lease: Lease;
  readonly #jobs = new Map<string, Job>();
  readonly #live: Live;
  /** Why the loop cannot go on: an error, or the lease that was lost. */
  #end: { error: unknown } | "held" | undefined;

  constructor(on: Advance, journal: Journal, lease: Lease) {
    this.#on = on;
    this.#journal = journal;
    this.#lease = lease;
    this.#live = new Live(on.world, on.root);
  }

  async run(): Promise<{ wakeAt: number | null } | "held"> {
    const { world, bell, closing } = this.#on;
    for (;;) {
      if (this.#end === "held") return "held";
      if (this.#end) throw this.#end.error;
      const rung = bell.rung();
      const family = await this.#states();
      this.#abortStale(family);
      const { paused } = await this.#journal.state(HOME_SESSION);
      if (!closing.aborted) await this.#begin(family, paused !== null);
      this.#live.show(family, this.#jobs.size > 0);
      const now = world.now();
      const times = [...family.values()].flatMap((state) => wakeAt(state, now) ?? []);
      // Whoever resumes the home may be another process, which wakes nobody here.
      if (paused && [...family.values()].some((state) => !rest(state, now).settled)) times.push(now + PAUSED);
      const wake = times.length ? Math.min(...times) : null;
      if (this.#jobs.size === 0) return { wakeAt: wake };
      await this.#wait(rung, wake);
    }
  }

  async leave(): Promise<void> {
    for (const { controller } of this.#jobs.values()) controller.abort();
    await Promise.allSettled([...this.#jobs.values()].map(({ done }) => done));
    this.#live.end();
  }

  async #states(): Promise<Map<SessionId, State>> {
    const ids = await this.#journal.family(this.#on.root);
    const states = await Promise.all(ids.map((id) => this.#journal.state(id)));
    return new Map(ids.flatMap((id, index) => (states[index] ? [[id, states[index]] as const] : [])));
  }

  #abortStale(family: ReadonlyMap<SessionId, State>): void {
    for (const [key, job] of this.#jobs) {
      const state = family.get(job.session);
      if (!state || !stale(state, job.action)) continue;
      job.controller.abort();
      this.#jobs.delete(key);
    }
  }

  async #begin(family: ReadonlyMap<SessionId, State>, paused: boolean): Promise<void> {
    const { world, home } = this.#on;
    const limits = limitsOf(world, await world.homes.rules(home), paused);
    for (const [session, state] of family) {
      const running = new Set([...this.#jobs.values()].filter((job) => job.session === session).map((job): Subject => job.action.subject));
      for (const action of next(state, world.now(), running, limits)) this.#start(session, state, action);
    }
  }

  #start(session: SessionId, state: State, action: Action): void {
    const key = `${session} ${action.subject}`;
    const controller = new AbortController();
    const job: Job = { session, action, controller, done: Promise.resolve() };
    job.done = this.#perform(job, state).finally(() => {
      if (this.#jobs.get(key) === job) this.#jobs.delete(key);
    });
    this.#jobs.set(key, job);
  }

  async #perform({ session, action, controller }: Job, state: State): Promise<void> {
    const scene = this.#scene(session, state, action, controller.signal);
    if (!scene) return;
    try {
      const plan = await planFor(scene, action);
      if (plan.intent.length && !(await this.#record(plan.intent))) return;
      const outcome = (await plan.act?.()) ?? [];
      if (outcome.length) await this.#record(outcome);
    } catch (error) {
      await this.#failed(scene, action, error);
    }
  }

  /** False: refused, because something was received meanwhile, or because the session is another process's now. */
  async #record(writes: Write[]): Promise<boolean> {
    const recorded = await this.#journal.record(this.#lease, writes);
    if (!recorded && !(await this.#journal.lease(this.#on.root))) this.#end = "held";
    return recorded;
  }

  #scene(session: SessionId, state: State, action: Action, signal: AbortSignal): Scene | undefined {
    const { world, home, closing } = this.#on;
    const { opened } = state;
    const platform = opened && world.platforms.get(opened.place.platform);
    if (!opened || !platform) return undefined;
    const ends = action.do === "step" || action.do === "compact";
    const draft = (text: string) => {
      if (session === this.#on.root) this.#live.draft(text);
    };
    const both = ends ? AbortSignal.any([signal, closing]) : signal;
    return { world, home, journal: this.#journal, session, state, opened, platform, signal: both, draft };
  }

  /** A bug closes what it was in. What cannot be closed, or a journal that cannot write, ends the loop: it is tried again later. */
  async #failed({ world, session }: Scene, action: Action, error: unknown): Promise<void> {
    const id = randomBytes(4).toString("hex");
    world.log.error({ session, action: action.do, subject: action.subject, id, err: error }, "an action failed unexpectedly");
    const event = failedEvent(action, world.now(), id);
    try {
      if (!event || !(await this.#record(write(session, event)))) this.#end ??= { error };
    } catch (worse) {
      this.#end ??= { error: worse };
    }
  }

  async #wait(rung: Promise<void>, wake: number | null): Promise<void> {
    const delay = wake === null ? null : Math.min(Math.max(wake - this.#on.world.now(), 1), 60_000);
    let timer: NodeJS.Timeout | undefined;
    const late = delay === null ? [] : [new Promise<void>((done) => (timer = setTimeout(done, delay)))];
    await Promise.race([rung, ...late, ...[...this.#jobs.values()].map((job) => job.done)]);
    clearTimeout(timer);
  }
}

function failedEvent(action: Action, at: number, id: string): Event | undefined {
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
    case "show":
      return { type: "post.failed", at, slot: action.slot, unsure: true, until: at + 5_000, reason: `error ${id}` };
    default:
      return undefined;
  }
}

/** One small file per action; this is their table. */
async function planFor(scene: Scene, action: Action): Promise<Plan> {
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
