/**
 * What nights learned, changed and retired, told to those who may see it and want to know: the team's to the channel that policy names,
 * a person's to themselves, in their direct messages.
 *
 * D1. Of each scope by itself: the team's digest holds nothing of another scope, and a private place's is told nowhere.
 * D2. Each change is told once: a digest is a session named by its first change, and a later one begins behind its last. After a crash at
 *     any point the next look goes on.
 * D3. What nobody wants to be told is passed over, so that whoever asks for it later begins with the next night.
 */
import { randomBytes } from "node:crypto";
import type { DigestLine, Place } from "../core/event.ts";
import { DIGEST, type SessionId } from "../core/id.ts";
import type { FactEdit, Journal, Log, MemoryChange, Platform } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { type Fact, factsIn, placeOf } from "./facts.ts";
import { BY_HAND } from "./night.ts";

export interface DigestOn {
  journal(home: string): Promise<Journal>;
  platforms: ReadonlyMap<string, Platform>;
  /** Where the team's digest goes, platform-qualified, and who is told privately. */
  wants(home: string): Promise<{ announce?: string; tells(person: string, place: Place): Promise<boolean> }>;
  /** When the next morning is. */
  morning(home: string, after: number): Promise<number>;
  wake(home: string, session: SessionId): void;
  now(): number;
  log: Log;
}

/** Tells what was not told yet. Returns how many digests were begun. */
export async function tellNights(on: DigestOn, home: string): Promise<number> {
  const journal = await on.journal(home);
  const changes = await journal.memory.untold();
  const last = changes.at(-1)?.n;
  if (last === undefined) return 0;
  let told = 0;
  for (const scope of new Set(changes.map((change) => change.scope))) {
    const own = changes.filter((change) => change.scope === scope);
    const place = await placeFor(on, home, journal, scope);
    if (place && (await tell(on, home, journal, scope, place, own))) told++;
  }
  await journal.memory.told(last);
  return told;
}

async function tell(on: DigestOn, home: string, journal: Journal, scope: Scope, place: Place, changes: MemoryChange[]): Promise<boolean> {
  const [first, ...others] = changes;
  if (!first) return false;
  const session = `${DIGEST}${first.n}`;
  const { digest } = await journal.state(session);
  if (digest) {
    // Begun by a life that died before it said so.
    const upTo = Math.max(...digest.lines.map(({ n }) => n));
    on.wake(home, session);
    return tell(
      on,
      home,
      journal,
      scope,
      place,
      others.filter(({ n }) => n > upTo),
    );
  }
  const at = on.now();
  const due = changes.some(({ by }) => by === BY_HAND) ? at : await on.morning(home, at);
  const lines = changes.flatMap((change) => linesOf(change, on.platforms));
  const code = randomBytes(12).toString("base64url");
  const title = scope === "team" ? "What I learned at night" : "What I learned from our direct messages";
  const event = { type: "digest.told" as const, at, due, title, lines };
  const { fresh } = await journal.receive(session, "digest", event, { home, scope, place, code });
  on.wake(home, session);
  return fresh;
}

function linesOf({ n, edits }: MemoryChange, platforms: DigestOn["platforms"]): DigestLine[] {
  return edits.map((edit, index) => {
    const link = linkOf(edit, platforms);
    return { n, edit: index, text: inWords(edit), ...(link ? { link } : {}) };
  });
}

/** An edit of memory as people read it. */
function inWords({ before, after, why }: FactEdit): string {
  const [old, now] = [before, after].map((line) => (line === null ? undefined : factOf(line)));
  const reason = why ? ` ${why}` : "";
  if (!old) return `Learned: ${now?.text ?? after} (${[now?.by, now?.at].filter(Boolean).join(", ")})${reason}`;
  if (!now) return `Retired: ${old.text}${reason ? `.${reason}` : ""}`;
  return `Changed: ${old.text} → ${now.text}${reason}`;
}

const factOf = (line: string): Fact | undefined => factsIn(line)[0]?.fact;

function linkOf({ before, after }: FactEdit, platforms: DigestOn["platforms"]): string | undefined {
  const fact = factOf(after ?? before ?? "");
  const message = fact?.messages?.[0];
  const at = fact && placeOf(fact);
  return at && message ? platforms.get(at.platform)?.link(at, message) : undefined;
}

async function placeFor(on: DigestOn, home: string, journal: Journal, scope: Scope): Promise<Place | undefined> {
  const wants = await on.wants(home);
  if (scope === "team") return wants.announce === undefined ? undefined : channelPlace(on, journal, wants.announce);
  if (!scope.startsWith("person:")) return undefined;
  const [row] = await journal.sessions({ scopes: [scope], limit: 1 });
  if (!row || !on.platforms.has(row.place.platform)) return undefined;
  const place = { ...row.place, thread: null };
  return (await wants.tells(scope.slice("person:".length), place)) ? place : undefined;
}

/** A channel is named without its team: it is that of what was said there, or else on its platform. */
async function channelPlace({ platforms, log }: DigestOn, journal: Journal, announce: string): Promise<Place | undefined> {
  const at = announce.indexOf(":");
  const [platform, channel] = [announce.slice(0, at), announce.slice(at + 1)];
  const rows = (await journal.sessions({ scopes: ["team"], limit: 500 })).filter(({ place }) => place.platform === platform);
  const team = (rows.find(({ place }) => place.channel === channel) ?? rows[0])?.place.team;
  if (platforms.has(platform) && team !== undefined) return { platform, team, channel, thread: null };
  log.warn({ announce }, "consolidation.announce names a channel of a platform that is not connected to this home");
  return undefined;
}
