/**
 * Keeps the history of the home up to date beside the turns: looks for what people changed in an editor when a turn begins, and for what
 * a command changed when it has run. Nobody waits for it.
 */
import type { Hook } from "../core/ports.ts";
import type { OpenHomes } from "../workspace/homes.ts";
import { causeOf } from "../workspace/keeping.ts";

/** A command may write to the team's files by itself. */
const WRITES = "execute";

export function homeHistory(homes: Pick<OpenHomes, "history">): Hook {
  return {
    name: "home-history",
    preCall: async ({ home }) => {
      void homes.history(home).look();
      return undefined;
    },
    postActing: async (moment, tool, call) => {
      if (tool?.label === WRITES) void homes.history(moment.home).look(causeOf({ ...moment, call }), ["files"]);
      return undefined;
    },
  };
}
