/**
 * Behind a turn: which facts its answer used. What was used last is first in the prompt where not all of it has room.
 * What the turn's people said is learned from at night, or through `remember`; never here.
 */
import type { Hook, Moment } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import type { Memory } from "../memory/memory.ts";

export interface MaintenanceOptions {
  memoryFor(home: string): Pick<Memory, "answered">;
  /** The scopes the session sees. */
  seen(moment: Moment): Promise<Scope[]>;
}

export function memoryMaintenance({ memoryFor, seen }: MaintenanceOptions): Hook {
  return {
    name: "memory-maintenance",
    async postCall(moment) {
      const { ending } = moment.state.talk;
      if (ending?.how === "answered") await memoryFor(moment.home).answered(ending.text, await seen(moment), moment.now);
      return undefined;
    },
  };
}
