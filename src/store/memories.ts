/**
 * The home's memory as the journal's file keeps it: its changes, its tombstones, and how far the nights have read.
 * Nothing here decides anything; whoever writes does so inside a transaction of the journal.
 */
import type { Event, Usage } from "../core/event.ts";
import type { SessionId } from "../core/id.ts";
import { type FactEdit, type MemoryChange, NIGHT, type PlannedChange, type Tombstone } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import type { Connection } from "./file.ts";
import { BLOCK, blockOf, type Log } from "./log.ts";

interface Row {
  n: number;
  scope: Scope;
  at: number;
  cause: MemoryChange["cause"];
  by: string;
  edits: string;
}
interface News {
  seq: number;
  name: SessionId;
  version: number;
  body: string;
}
const COLUMNS = "n, scope, at, cause, by, edits FROM memory";
/** Of the whole home: when the last night was, and up to which change people were told. No scope is called so. */
const HOME = "home";
const TOLD = "told";
const SAID = `('message.received', 'message.edited', 'message.deleted', 'message.withdrawn', 'approval.decided')`;

export class Memories {
  readonly #log: Log;
  readonly #plan;
  readonly #made;
  readonly #unmade;
  readonly #changes;
  readonly #bury;
  readonly #lift;
  readonly #tombstones;
  readonly #scopes;
  readonly #news;
  readonly #night;
  readonly #setNight;
  readonly #untold;
  readonly #charge;
  readonly #used;
  readonly #use;

  constructor(db: Connection, log: Log) {
    this.#log = log;
    this.#plan = db.prepare<[Scope, string, number, string, string, string]>(
      "INSERT INTO memory (scope, key, at, cause, by, edits, made) VALUES (?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING",
    );
    this.#made = db.prepare<[number]>("UPDATE memory SET made = 1 WHERE n = ?");
    this.#unmade = db.prepare<[Scope], Row>(`SELECT ${COLUMNS} WHERE scope = ? AND made = 0 ORDER BY n`);
    this.#changes = db.prepare<[string, number], Row>(
      `SELECT ${COLUMNS} WHERE scope IN (SELECT value FROM json_each(?)) ORDER BY n DESC LIMIT ?`,
    );
    this.#bury = db.prepare<[Scope, string, string, string]>(
      "INSERT OR REPLACE INTO tombstone (scope, mark, by, messages) VALUES (?, ?, ?, ?)",
    );
    this.#lift = db.prepare<[Scope, string]>("DELETE FROM tombstone WHERE scope = ? AND mark = ?");
    this.#tombstones = db.prepare<[Scope], { mark: string; by: string; messages: string }>(
      "SELECT mark, by, messages FROM tombstone WHERE scope = ?",
    );
    this.#scopes = db.prepare<[], { scope: Scope }>("SELECT DISTINCT scope FROM session WHERE scope IS NOT NULL ORDER BY scope");
    this.#news = db.prepare<[number, Scope, number], News>(
      `SELECT seq, name, version, body
       FROM session CROSS JOIN span ON span.session = session.id AND block >= ?
       CROSS JOIN event ON seq BETWEEN block * ${BLOCK} AND block * ${BLOCK} + ${BLOCK - 1}
       WHERE scope = ? AND name = root AND event.session = session.id AND +seq > ? AND json_extract(body, '$.type') IN ${SAID}
       ORDER BY seq`,
    );
    this.#night = db.prepare<[string], { at: number }>("SELECT at FROM night WHERE scope = ?");
    this.#setNight = db.prepare<[string, number]>(
      "INSERT INTO night (scope, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)",
    );
    this.#untold = db.prepare<[number], Row>(`SELECT ${COLUMNS} WHERE n > ? AND cause = 'night' ORDER BY n`);
    this.#charge = db.prepare<[string, string, string, number, number, number, number]>(
      `INSERT INTO usage (day, person, model, channel, input, output, cacheRead, cacheWrite) VALUES (?, ?, ?, '', ?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET input = input + excluded.input, output = output + excluded.output,
       cacheRead = cacheRead + excluded.cacheRead, cacheWrite = cacheWrite + excluded.cacheWrite`,
    );
    this.#used = db.prepare<[Scope], { fact: string; at: number }>("SELECT fact, at FROM used WHERE scope = ?");
    this.#use = db.prepare<[Scope, string, number]>("INSERT OR REPLACE INTO used (scope, fact, at) VALUES (?, ?, ?)");
  }

  /** The change's number; undefined if its key is there. */
  plan({ scope, key, at, cause, by, edits, bury = [], lift = [], readTo }: PlannedChange): number | undefined {
    const added = this.#plan.run(scope, key, at, cause, by, JSON.stringify(edits));
    if (added.changes === 0) return undefined;
    for (const mark of lift) this.#lift.run(scope, mark);
    for (const { mark, by: who, messages } of bury) this.#bury.run(scope, mark, who, JSON.stringify(messages));
    if (readTo !== undefined) this.readTo(scope, readTo);
    return Number(added.lastInsertRowid);
  }

  made(n: number): void {
    this.#made.run(n);
  }

  unmade(scope: Scope): MemoryChange[] {
    return this.#unmade.all(scope).map(shaped);
  }

  changes(scopes: readonly Scope[], limit: number): MemoryChange[] {
    return this.#changes.all(JSON.stringify(scopes), limit).map(shaped);
  }

  tombstones(scope: Scope): Tombstone[] {
    return this.#tombstones.all(scope).map((row) => ({ ...row, scope, messages: JSON.parse(row.messages) as string[] }));
  }

  scopes(): Scope[] {
    return this.#scopes.all().map(({ scope }) => scope);
  }

  news(scope: Scope): { events: { seq: number; session: SessionId; event: Event }[]; upTo: number } {
    const from = this.#night.get(scope)?.at ?? 0;
    const rows = this.#news.all(blockOf(from), scope, from);
    return { events: rows.map((row) => ({ seq: row.seq, session: row.name, event: this.#log.event(row) })), upTo: this.#log.last() };
  }

  readTo(scope: string, seq: number): void {
    this.#setNight.run(scope, seq);
  }

  lastNight(): number | null {
    return this.#night.get(HOME)?.at ?? null;
  }

  nightWas(at: number): void {
    this.#setNight.run(HOME, at);
  }

  untold(): MemoryChange[] {
    return this.#untold.all(this.#night.get(TOLD)?.at ?? 0).map(shaped);
  }

  told(n: number): void {
    this.#setNight.run(TOLD, n);
  }

  charge(at: number, { model, input, output, cacheRead, cacheWrite }: Usage): void {
    const day = new Date(at).toISOString().slice(0, 10);
    this.#charge.run(day, NIGHT, model, input + cacheRead + cacheWrite, output, cacheRead, cacheWrite);
  }

  used(scope: Scope): ReadonlyMap<string, number> {
    return new Map(this.#used.all(scope).map(({ fact, at }) => [fact, at]));
  }

  use(scope: Scope, facts: readonly string[], at: number): void {
    for (const fact of facts) this.#use.run(scope, fact, at);
  }
}

const shaped = ({ edits, ...row }: Row): MemoryChange => ({ ...row, edits: JSON.parse(edits) as FactEdit[] });
