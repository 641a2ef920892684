/** What a tool, a hook or an action is given, without a house around it. */
import type { Journal, Model, Platform, ToolContext } from "../../src/core/ports.ts";
import { INITIAL, type State } from "../../src/core/state.ts";
import { type Scene, told } from "../../src/harness/world.ts";
import { ANN, HOME, opening, sessionOf } from "./history.ts";

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const session = sessionOf("t");

export const momentHere = (): ToolContext => ({
  home: HOME,
  session,
  call: "1.1.0",
  scope: "team",
  place: opening("t").place,
  by: ANN,
  state: INITIAL,
  now: Date.now(),
  signal: new AbortController().signal,
});

const absent = (): never => {
  throw new Error("there is none in this measurement");
};
const JOURNAL = new Proxy({} as Journal, { get: absent });
const PLATFORM = new Proxy({} as Platform, { get: absent });

/** A session in a state, in the hands of the loop, with a window of so many tokens. */
export function sceneOf(state: State, model: Model, window: number): Scene {
  if (!state.opened) throw new Error("the session was never opened");
  const rules = {
    may: () => true,
    who: () => "",
    followUps: "participants" as const,
    stepsPerTurn: 50,
    model: undefined,
    timezone: "UTC",
    broken: undefined,
  };
  const world = {
    journal: async () => JOURNAL,
    homes: { find: absent, rules: async () => rules },
    platforms: new Map(),
    model,
    modelName: model.name,
    window,
    hooks: [],
    now: Date.now,
    patience: 1,
    scrub: (text: string) => text,
    log: QUIET,
    told: told(),
  };
  const { signal } = new AbortController();
  return { world, home: HOME, journal: JOURNAL, session, state, opened: state.opened, platform: PLATFORM, signal, draft: () => {} };
}
