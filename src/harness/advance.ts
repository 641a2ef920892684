/**
 * The only loop: performs what is ready in a root session and its helpers, side by side, until nothing is. Resuming after a crash is
 * the same loop with nothing running.
 *
 * A1. Under the root's lease. Record the intent; refused? leave it; act; record the outcome.
 * A2. What has been overtaken (a stop) is aborted and gives up its subject at once; its late outcome is recorded only if it still applies.
 * A3. A bug in an action closes the turn or the call as failed, with an id that is in the log. What has been overtaken cannot fail any more.
 * A4. What an outcome of the turn makes ready is recorded with that outcome, by the limits of that moment: two commits a step, not four.
 * A5. The loop is never left while something of it still runs: whoever takes the session next would take that for dead.
 * A6. What only reads is begun before its start is recorded. If it ends at once it is recorded with what called it: one commit a step.
 */
import { randomBytes } from "node:crypto";
import { type CallId, HOME_SESSION, type SessionId } from "../core/id.ts";
import { type Action, next, rest, type Subject, stale, wakeAt } from "../core/next.ts";
import type { Journal, Lease, Write } from "../core/ports.ts";
import type { State } from "../core/state.ts";
import { chargesIn, tokensIn } from "./budget.ts";
import { type LimitsOf, limitsOf } from "./limits.ts";
import { Live } from "./live.ts";
import { begin, type Plan, reduced, write } from "./plan.ts";
import { failedEvent, planFor } from "./planned.ts";
import type { Scene, World } from "./world.ts";

const PAUSED = 10_000;

interface Job {
  session: SessionId;
  action: Action;
  controller: AbortController;
  done: Promise<void>;
}

/** What an outcome made ready. */
interface Following {
  scene: Scene;
  action: Action;
  controller: AbortController;
  /** Of what was begun already. */
  plan?: Plan | undefined;
}
interface Read {
  outcome: Write[];
  begun: readonly Following[];
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
  /** What was overtaken and has not ended yet. */
  readonly #late = new Set<Promise<void>>();
  /** Why the loop cannot go on: an error, or the lease that was lost. */
  #end: { error: unknown } | "held" | undefined;
  /** What is unfinished rests until somebody resumes the home. */
  #paused = false;

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
      const { limits, paused } = await this.#bounds();
      this.#paused = paused;
      const family = await this.#states();
      this.#abortStale(family);
      // One moment for both: what becomes due between them would be neither begun nor waited for.
      const now = world.now();
      if (closing.aborted) this.#giveUp();
      else this.#begin(family, limits, now);
      this.#live.show(family, this.#jobs.size > 0);
      const times = [...family.values()].flatMap((state) => wakeAt(state, now) ?? []);
      // Whoever resumes the home may be another process, which wakes nobody here.
      if (paused && [...family.values()].some((state) => !rest(state, now).settled)) times.push(now + PAUSED);
      const wake = times.length ? Math.min(...times) : null;
      // What was overtaken still has a late outcome to tell; a process that stops waits only for what runs.
      if (this.#jobs.size === 0 && (this.#late.size === 0 || closing.aborted)) return { wakeAt: wake };
      await this.#wait(rung, wake);
    }
  }

  async leave(): Promise<void> {
    const over = this.#end !== undefined || this.#on.closing.aborted || this.#paused;
    for (const { controller } of this.#jobs.values()) controller.abort();
    await Promise.allSettled([...this.#jobs.values()].map(({ done }) => done));
    // Whatever ends now has no lease any more, and takes none.
    this.#end ??= "held";
    this.#live.end(over);
  }

  /** As they are at this moment, also where another process changed them. */
  async #bounds(): Promise<{ limits: LimitsOf; paused: boolean }> {
    const { world, home } = this.#on;
    const rules = await world.homes.rules(home);
    const paused = (await this.#journal.state(HOME_SESSION)).paused !== null;
    return { limits: limitsOf(world, rules, paused), paused };
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
      const late = job.done.finally(() => this.#late.delete(late));
      this.#late.add(late);
    }
  }

  /** What only the model works at is begun anew by whoever goes on. */
  #giveUp(): void {
    for (const { action, controller } of this.#jobs.values()) if (action.do === "step" || action.do === "compact") controller.abort();
  }

  #begin(family: ReadonlyMap<SessionId, State>, limits: LimitsOf, now: number): void {
    for (const [session, state] of family) {
      // On a platform that is not connected in this life nothing can be done: it waits for one in which it is.
      if (state.opened && !this.#on.world.platforms.has(state.opened.place.platform)) continue;
      for (const action of next(state, now, this.#running(session), limits(state))) this.#start(session, state, action);
    }
  }

  #start(session: SessionId, state: State, action: Action): void {
    const controller = new AbortController();
    this.#hold({ session, action, controller, done: this.#perform({ session, action, controller }, state) });
  }

  #hold(job: Job): void {
    const key = `${job.session} ${job.action.subject}`;
    const held = { ...job, done: job.done.finally(() => this.#jobs.get(key) === held && this.#jobs.delete(key)) };
    this.#jobs.set(key, held);
  }

  #running(session: SessionId): Set<Subject> {
    return new Set([...this.#jobs.values()].filter((job) => job.session === session).map((job) => job.action.subject));
  }

  async #perform({ session, action, controller }: Omit<Job, "done">, state: State): Promise<void> {
    const scene = this.#scene(session, state, controller.signal);
    if (!scene) return;
    try {
      const plan = await planFor(scene, action);
      if (plan.intent.length && !(await this.#record(plan.intent))) return;
      await this.#act(scene, action, plan);
    } catch (error) {
      await this.#failed(scene, action, error);
    }
  }

  async #act(scene: Scene, action: Action, plan: Plan): Promise<void> {
    const outcome = (await plan.act?.()) ?? [];
    if (!outcome.length) return;
    const follows = action.do === "run" || action.do === "step";
    const read = action.do === "step" ? await this.#read(scene, action, outcome) : { outcome, begun: [] };
    const { limits } = follows ? await this.#bounds() : {};
    const before = follows ? await this.#journal.state(scene.session) : undefined;
    // From here until it is held nothing is awaited, or the loop could begin the same beside it.
    const following = limits && before ? this.#following(scene, action, read, before, limits) : [];
    for (const it of read.begun) if (!following.includes(it)) it.controller.abort();
    const plans = Promise.all(following.map((it) => it.plan ?? planFor(it.scene, it.action)));
    const recorded = this.#together(outcome, read.outcome, plans);
    const made = recorded.then((is) => (is ? plans : [])).catch((): Plan[] => []);
    // Held before it is recorded: what is started and not among the jobs is taken for dead.
    for (const [at, it] of following.entries()) this.#hold({ ...it, session: scene.session, done: this.#follow(it, made, at) });
    await recorded;
  }

  /** Begins what was called if all of it only reads, and waits for it no longer than this turn of the event loop. */
  async #read(scene: Scene, action: Action, outcome: Write[]): Promise<Read> {
    const nothing = { outcome, begun: [] };
    const { limits } = await this.#bounds();
    const called = this.#following(scene, action, nothing, await this.#journal.state(scene.session), limits);
    const plans = await Promise.all(called.map((it) => planFor(it.scene, it.action))).catch(() => []);
    if (!plans.length || !plans.every(({ reads }) => reads)) return nothing;
    const { ended, begun } = await begin(plans);
    if (ended) return { outcome: [...outcome, ...ended], begun: [] };
    return { outcome, begun: called.map((it, at) => ({ ...it, plan: begun[at] })) };
  }

  /** `whole`: with what was read at once. What cannot be planned or is refused is left to the next look: then the outcome stands alone. */
  async #together(outcome: Write[], whole: Write[], plans: Promise<Plan[]>): Promise<boolean> {
    const made = await plans.then((all) => [...whole, ...all.flatMap(({ intent }) => intent)]).catch(() => outcome);
    if (made.length > outcome.length && (await this.#record(made).catch(() => false))) return true;
    return (await this.#came(outcome)) && made.length === outcome.length;
  }

  /** What came of an action. Overtaken by a stop it changes nothing any more, but what it used is charged. */
  async #came(outcome: Write[]): Promise<boolean> {
    if (await this.#record(outcome)) return true;
    const used = chargesIn(outcome);
    if (used.length && used.length < outcome.flatMap(([, events]) => events).length && !this.#end) await this.#record(used);
    return false;
  }

  /** The work of the turn that an outcome makes ready; its intents save a commit for each call and each step. `before`: without the outcome. */
  #following({ session, signal }: Scene, action: Action, { outcome, begun }: Read, before: State, limits: LimitsOf): Following[] {
    const { world, closing } = this.#on;
    if (signal.aborted || closing.aborted || this.#end || outcome.some(([id]) => id !== session)) return [];
    const state = outcome.reduce(reduced, before);
    const running = this.#running(session);
    running.delete(action.subject);
    const ready = next(state, world.now(), running, limits(state)).filter((it) => it.do === "run" || it.do === "step");
    return ready.flatMap((it) => {
      const known = begun.find((other) => other.action.subject === it.subject);
      if (known) return [known];
      const controller = new AbortController();
      const scene = this.#scene(session, state, controller.signal);
      return scene ? [{ scene: { ...scene, unrecorded: tokensIn(outcome) }, action: it, controller }] : [];
    });
  }

  async #follow({ scene, action, controller }: Following, made: Promise<Plan[]>, at: number): Promise<void> {
    const plan = (await made)[at];
    // What was begun and is not recorded is nobody's.
    if (!plan) controller.abort();
    else await this.#act(scene, action, plan).catch((error: unknown) => this.#failed(scene, action, error));
  }

  /** False: refused, because something was received meanwhile, or because the session is another process's now. */
  async #record(writes: Write[]): Promise<boolean> {
    const recorded = await this.#journal.record(this.#lease, writes);
    if (!recorded && !this.#end && !(await this.#journal.lease(this.#on.root))) this.#end = "held";
    return recorded;
  }

  #scene(session: SessionId, state: State, signal: AbortSignal): Scene | undefined {
    const { world, home } = this.#on;
    const { opened } = state;
    const platform = opened && world.platforms.get(opened.place.platform);
    if (!opened || !platform) return undefined;
    const draft = (text: string) => void (session === this.#on.root && this.#live.draft(text));
    const said = (call: CallId, text: string) => this.#live.said(session, call, text);
    return { world, home, journal: this.#journal, session, state, opened, platform, signal, draft, said };
  }

  /** A bug closes what it was in. What cannot be closed, or a journal that cannot write, ends the loop: it is tried again later. */
  async #failed({ world, session, signal }: Scene, action: Action, error: unknown): Promise<void> {
    const id = randomBytes(4).toString("hex");
    world.log.error({ session, action: action.do, subject: action.subject, id, err: error }, "an action failed unexpectedly");
    if (signal.aborted) return;
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
    await Promise.race([rung, ...late, ...[...this.#jobs.values()].map((job) => job.done), ...this.#late]);
    clearTimeout(timer);
  }
}
