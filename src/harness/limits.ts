/** The limits of a session's turn: the home's, and the operator's, else what its model takes. */
import { LIMITS, type Limits } from "../core/next.ts";
import type { Rules } from "../core/ports.ts";
import type { State } from "../core/state.ts";
import type { World } from "./world.ts";

/** Undefined where nobody knows. */
export const knownWindow = (world: World, model: string): number | undefined => world.window ?? world.model.window(model);
const windowOf = (world: World, model: string): number => knownWindow(world, model) ?? LIMITS.window;

/** For each session by itself: a helper may have another model than its home. */
export type LimitsOf = (state: Pick<State, "context">) => Limits;

export const limitsOf =
  (world: World, rules: Rules, paused: boolean): LimitsOf =>
  ({ context }) => ({
    ...LIMITS,
    steps: rules.stepsPerTurn,
    window: windowOf(world, context.model ?? rules.model ?? world.modelName),
    paused,
  });
