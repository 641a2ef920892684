/**
 * Clears away the scratch and the large results of threads that were idle for longer than the home's policy keeps them.
 * Without `retention.sessionsDays` nothing is ever cleared.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Journal, Log } from "../core/ports.ts";
import { leftovers } from "../files/mounts.ts";
import type { OpenHomes } from "./homes.ts";

const DAY = 24 * 60 * 60_000;

export interface Tidying {
  homes: Pick<OpenHomes, "home" | "list">;
  journal(home: string): Promise<Journal>;
  log: Log;
}

/** Returns the threads of which something was looked for to clear. */
export async function tidy({ homes, journal, log }: Tidying, home: string, now: number): Promise<string[]> {
  const { policy, broken } = await homes.home(home).policy();
  const days = policy.retention.sessionsDays;
  if (days === null || broken) return [];
  const rows = await (await journal(home)).sessions();
  const old = rows.filter(({ at, settled }) => settled && at < now - days * DAY).map(({ session }) => session);
  for (const session of old)
    for (const folder of leftovers(session)) {
      const path = join(homes.home(home).dir, folder);
      await rm(path, { recursive: true, force: true }).catch((error: unknown) =>
        log.warn({ path, err: error }, "old scratch could not be cleared"),
      );
    }
  return old;
}

/** Now and once a day. Returns how to end it. */
export function startTidying(on: Tidying): () => void {
  const round = async (): Promise<void> => {
    for (const home of await on.homes.list())
      await tidy(on, home, Date.now()).catch((error: unknown) => on.log.warn({ home, err: error }, "a home could not be tidied"));
  };
  void round();
  const timer = setInterval(() => void round(), DAY).unref();
  return () => clearInterval(timer);
}
