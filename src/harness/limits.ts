/** The limits of a session's turn: the home's, and the operator's, else what its model takes. */
import { LIMITS, type Limits } from "../core/next.ts";
import type { Rules } from "../core/ports.ts";
import type { State } from "../core/state.ts";
import type { World } from "./world.ts";

/** Undefined where nobody knows. */
export const knownWindow = (world: World, model: string): number | undefined => world.window ?? world.model.window(model);
/** Tokens of an answer: no more than a request has left of its window, since providers add the two up. Room is made before less is left. */
export const answerOf = (world: World, model: string): number =>
  Math.max(LEAST, Math.min(ANSWER, Math.floor(LEFT * (knownWindow(world, model) ?? Number.POSITIVE_INFINITY))));
const ANSWER = 16_000;
const LEAST = 1_000;
const LEFT = 0.15;

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
