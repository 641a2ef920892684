/**
 * What goes on at this moment, told to the platform beside the journal: best effort, throttled there, never waited for.
 */

import { openDecisions } from "../core/calls.ts";
import type { SessionId } from "../core/id.ts";
import type { Live as Told } from "../core/ports.ts";
import { slots } from "../core/slots.ts";
import type { State } from "../core/state.ts";
import { isOpen } from "../core/talk.ts";
import type { World } from "./world.ts";

export class Live {
  readonly #world: World;
  readonly #session: SessionId;
  #draft = "";
  #step = "";
  #state: State | undefined;

  constructor(world: World, session: SessionId) {
    this.#world = world;
    this.#session = session;
  }

  draft(text: string): void {
    this.#draft = text;
    this.show(this.#state, true);
  }

  /** Called after every change of the state and every piece of a draft. */
  show(state: State | undefined, busy: boolean): void {
    const opened = state?.opened;
    if (!state || !opened) return;
    const step = `${state.talk.turn}.${state.talk.step}.${state.talk.phase}`;
    if (step !== this.#step) this.#draft = "";
    this.#step = step;
    this.#state = state;
    this.#tell({ phase: phaseOf(state, busy), draft: this.#draft, ...progressOf(state) });
  }

  end(): void {
    if (this.#state) this.#tell({ phase: phaseOf(this.#state, false), draft: "", ...progressOf(this.#state) });
  }

  #tell(live: Told): void {
    const place = this.#state?.opened?.place;
    const platform = place && this.#world.platforms.get(place.platform);
    if (place) platform?.live(this.#session, place, live);
  }
}

function phaseOf(state: State, busy: boolean): Told["phase"] {
  if (openDecisions(state.calls).length) return "waiting";
  if (!isOpen(state.talk) || !busy) return "idle";
  return state.talk.phase === "thinking" ? "thinking" : "working";
}

function progressOf(state: State): Pick<Told, "progress"> | undefined {
  const slot = isOpen(state.talk) ? slots(state).find(({ kind, final }) => kind === "progress" && !final) : undefined;
  const ref = slot && state.posts[slot.key]?.ref;
  return slot && ref ? { progress: { view: slot.view, ref } } : undefined;
}
