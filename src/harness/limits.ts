/** The limits of a turn: the home's, else the operator's, else what the model takes. */
import { LIMITS, type Limits } from "../core/next.ts";
import type { Rules } from "../core/ports.ts";
import type { World } from "./world.ts";

export const windowOf = (world: World, rules: Rules): number =>
  world.window ?? world.model.window(rules.model ?? world.modelName) ?? LIMITS.window;

export const limitsOf = (world: World, rules: Rules, paused: boolean): Limits => ({
  ...LIMITS,
  steps: rules.stepsPerTurn,
  window: windowOf(world, rules),
  paused,
});
