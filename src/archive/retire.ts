/**
 * What policy says of old conversations (`retention.sessionsDays`): they leave the journal, the search, the readable logs, the kept results
 * and the scratch. What is remembered of them stays.
 *
 * R1. Only what has nothing to do, no decision and no timer open, and had no event for so many days. Without a number nothing is retired,
 *     nor while policy.json cannot be used.
 * R2. Files first, then the journal: killed in between, the next look finds the conversation again and ends it.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { HOME_SESSION, type SessionId } from "../core/id.ts";
import type { Journal } from "../core/ports.ts";
import { leftovers } from "../files/mounts.ts";
import { safeName } from "../files/safe-name.ts";

export interface Retiring {
  /** The home's folder. */
  dir: string;
  journal: Pick<Journal, "sessions" | "family" | "retire" | "approvals">;
  policy(): Promise<{ policy: { retention: { sessionsDays: number | null } }; broken?: unknown }>;
}

const DAY = 24 * 60 * 60_000;
/** Taken out together, so that nobody waits long for the journal. */
const AT_ONCE = 20;

/** Since when a conversation has to be quiet to be retired; undefined: none is. */
export async function endOf({ policy }: Pick<Retiring, "policy">, now: number): Promise<number | undefined> {
  const { policy: found, broken } = await policy();
  const days = found.retention.sessionsDays;
  return days === null || broken ? undefined : now - days * DAY;
}

/** The conversations that are gone. */
export async function retire({ dir, journal, policy }: Retiring, now: number): Promise<SessionId[]> {
  const before = await endOf({ policy }, now);
  if (before === undefined) return [];
  const waiting = new Set((await journal.approvals()).map(({ session }) => session.split("/", 1)[0]));
  const old = (await journal.sessions())
    .filter(
      ({ session, at, settled, wakeAt }) => session !== HOME_SESSION && settled && wakeAt === null && at < before && !waiting.has(session),
    )
    .map(({ session }) => session);
  const gone: SessionId[] = [];
  for (let at = 0; at < old.length; at += AT_ONCE) {
    const some = old.slice(at, at + AT_ONCE);
    for (const session of some) await clear(dir, await journal.family(session), session);
    gone.push(...(await journal.retire(some, before)));
  }
  return gone;
}

/** What a conversation left on the disk beside its record. Logs that it still needs are written anew. */
async function clear(dir: string, family: readonly SessionId[], session: SessionId): Promise<void> {
  const logs = join(dir, "agents", "main", "sessions");
  const known = new Set(await readdir(logs).catch(() => []));
  const names = [...new Set([session, ...family])].map(safeName).filter((name) => known.has(name));
  const folders = [...leftovers(session), ...names.map((name) => join("agents", "main", "sessions", name))];
  for (const folder of folders) await rm(join(dir, folder), { recursive: true, force: true });
}
