/**
 * What the operator sees: without a token only the home `console`; with it all homes. What was said in private is opened by asking
 * for it, and each opening is a line in the log that names who opened what.
 */
import type { Context } from "hono";
import type { Log, Operator } from "../../../src/core/ports.ts";
import { idOf, OPERATOR } from "../people.ts";
import { PLATFORM } from "../posts.ts";
import { ROOMS, type Room, type Standing } from "./room.tsx";

export interface Sight {
  homes(): Promise<string[]>;
  /** Where a page stands. Its home is the one that was asked for, or the first. */
  at(c: Context, room: Room): Promise<Standing>;
  /** Whether what was said in private was asked for. Logs it if so. */
  opened(c: Context, what: Record<string, string | undefined>): boolean;
}

/** The same opening is logged again after so long. */
const AGAIN = 10 * 60_000;
const TOLD = 500;

export function sight(operator: Operator, all: boolean, log: Log): Sight {
  const homes = async () => (await operator.names()).filter((home) => all || home === PLATFORM);
  const told = new Map<string, number>();
  const rooms = (Object.keys(ROOMS) as Room[]).filter((room) => {
    if (room === "memory") return operator.memory !== undefined;
    return room !== "why" || operator.why !== undefined;
  });
  return {
    homes,
    async at(c, room) {
      const visible = await homes();
      const asked = c.req.query("home") ?? "";
      const counts = await Promise.all(visible.map((home) => operator.waiting(home)));
      return {
        room,
        rooms,
        homes: visible,
        home: visible.includes(asked) ? asked : (visible[0] ?? ""),
        waiting: counts.reduce((sum, count) => sum + count, 0),
        signedIn: all,
      };
    },
    opened(c, what) {
      if (c.req.query("open") !== "1") return false;
      // A page that is being followed is opened once, not with everything that happens in it.
      const key = JSON.stringify(what);
      const now = Date.now();
      if (now - (told.get(key) ?? 0) < AGAIN) return true;
      told.delete(key);
      told.set(key, now);
      for (const oldest of told.keys()) if (told.size > TOLD) told.delete(oldest);
      log.warn({ by: idOf(OPERATOR), page: c.req.path, ...what }, "the operator opened what was said in private");
      return true;
    },
  };
}

/** A whole number of a query, 0 if it is none. */
export function numberOf(c: Context, name: string): number {
  const value = Number(c.req.query(name) ?? "0");
  return Number.isSafeInteger(value) && value > 0 && value < 1_000_000 ? value : 0;
}
