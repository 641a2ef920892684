/**
 * What goes on at this moment, told to the platform beside the journal: best effort, throttled there, never waited for.
 */

import { wanted } from "../core/attached.ts";
import { type Call, openCalls, openDecisions } from "../core/calls.ts";
import { type CallId, childOf, type SessionId } from "../core/id.ts";
import { rest } from "../core/next.ts";
import type { Live as Told } from "../core/ports.ts";
import { helperName, progressView, slots } from "../core/slots.ts";
import type { State } from "../core/state.ts";
import { isOpen, mustAnswer } from "../core/talk.ts";
import type { World } from "./world.ts";

/** A root and its helpers. */
type Family = ReadonlyMap<SessionId, State>;
/** What a running call last said it is at, by session and call. */
type Words = ReadonlyMap<string, string>;

const LONGEST = 80;
/** What rests no longer than that (a limit of the platform, a model that is tried again) still goes on for those who watch. */
const SOON = 60_000;

export class Live {
  readonly #world: World;
  readonly #session: SessionId;
  readonly #said = new Map<string, string>();
  #draft = "";
  #step = "";
  #family: Family = new Map();
  #busy = false;
  /** Made when a state or what a call says changes, and not for each piece of a draft. */
  #progress: Pick<Told, "progress"> | undefined;

  constructor(world: World, session: SessionId) {
    this.#world = world;
    this.#session = session;
  }

  draft(text: string): void {
    this.#draft = text;
    const state = this.#family.get(this.#session);
    if (state?.opened) this.#tell(state, this.#phaseOf(state, true), text);
  }

  /** What a running call is at, in its own words: one short line, without secrets. */
  said(session: SessionId, call: CallId, text: string): void {
    const words = this.#world
      .scrub(text)
      .replace(/[\p{C}\s]+/gu, " ")
      .trim();
    this.#said.set(`${session} ${call}`, words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words);
    const state = this.#family.get(this.#session);
    if (!state?.opened) return;
    this.#progress = this.#progressOf(state);
    this.#tell(state, this.#phaseOf(state, this.#busy), this.#draft);
  }

  /** Called after every change of a state and every piece of a draft. */
  show(family: Family, busy: boolean): void {
    const state = family.get(this.#session);
    if (!state?.opened || this.#isTold(family, busy)) return;
    const step = `${state.talk.turn}.${state.talk.step}.${state.talk.phase}`;
    if (step !== this.#step) this.#draft = "";
    this.#step = step;
    this.#family = family;
    this.#busy = busy;
    this.#progress = this.#progressOf(state);
    this.#tell(state, this.#phaseOf(state, busy), this.#draft);
  }

  /** States are replaced, never changed: the same ones have been told. */
  #isTold(family: Family, busy: boolean): boolean {
    if (busy !== this.#busy || family.size !== this.#family.size) return false;
    return [...family].every(([session, state]) => this.#family.get(session) === state);
  }

  /** Nothing runs now. `over`: and nothing will, here. */
  end(over: boolean): void {
    const state = this.#family.get(this.#session);
    if (state) this.#tell(state, over ? "idle" : this.#phaseOf(state, false), "");
  }

  #phaseOf(state: State, busy: boolean): Told["phase"] {
    if (openDecisions(state.calls).length) return "waiting";
    if (!busy && rests(state, this.#world.now())) return "idle";
    switch (state.talk.phase) {
      case "acting":
        return "working";
      case "idle":
        if (!busy || !mustAnswer(state.talk)) return "idle";
        return wanted(state.attached).length ? "working" : "thinking";
      default:
        // An answer that is not shown yet is still awaited.
        return "thinking";
    }
  }

  #tell(state: State, phase: Told["phase"], draft: string): void {
    const place = state.opened?.place;
    const platform = place && this.#world.platforms.get(place.platform);
    if (place) platform?.live(this.#session, place, { phase, draft, ...this.#progress });
  }

  readonly #doing = (call: Call): string | undefined => doing(this.#family, this.#said, this.#session, call);

  #progressOf(state: State): Pick<Told, "progress"> | undefined {
    const slot = isOpen(state.talk) ? slots(state).find(({ kind, final }) => kind === "progress" && !final) : undefined;
    const ref = slot && state.posts[slot.key]?.ref;
    if (!ref) return undefined;
    return { progress: { view: progressView(state, state.talk.turn, true, this.#doing), ref } };
  }
}

/** Nothing is ready, and nothing will be soon. */
function rests(state: State, now: number): boolean {
  const { settled, wakeAt } = rest(state, now);
  return settled && (wakeAt ?? Number.POSITIVE_INFINITY) > now + SOON;
}

/** What a helper is at: `auditor: step 3, deploy`; and what its own helper is at behind that. */
function doing(family: Family, said: Words, session: SessionId, call: Call): string | undefined {
  const words = call.status === "started" ? said.get(`${session} ${call.id}`) : undefined;
  if (words) return `${call.gate?.label ?? call.tool}: ${words}`;
  const helper = childOf(session, call.id);
  const state = call.status === "waiting" ? family.get(helper) : undefined;
  if (!state) return undefined;
  const open = openCalls(state.calls);
  const at = open.map((own) => doing(family, said, helper, own) ?? own.gate?.label ?? own.tool);
  return [`${helperName(call)}: step ${Math.max(state.talk.step, 1)}`, ...at.slice(0, 3)].join(", ");
}
