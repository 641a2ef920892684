/**
 * Mends a journal whose tail is torn: a new file is made from all events up to the first that cannot be read.
 *
 * R1. The damaged file is kept beside the new one, untouched, and so is its log. What was dropped is told.
 * R2. What is behind a tear is not kept even where it can be read: nobody knows what it built upon.
 * R3. A file of which nothing can be read stays as it is: a journal begun anew would answer old messages again.
 */
import { copyFileSync, existsSync, renameSync, rmSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { type Event, upcast, VERSION } from "../core/event.ts";
import type { SessionId } from "../core/id.ts";
import { reduce } from "../core/state.ts";
import { type Connection, connect } from "./file.ts";
import { Ledger } from "./ledger.ts";
import { FORMAT } from "./schema.ts";

export interface Repaired {
  /** Events in the new file, and the time of the last. */
  kept: number;
  upTo: number | null;
  /** Events behind the tear that could still be read, oldest first: what they were, without what was said. */
  dropped: { at: number; session: SessionId; type: string }[];
  /** Why it went no further. */
  because: string;
  /** Where the damaged file is kept. */
  copy: string;
}

interface Row {
  seq: number;
  session: number;
  version: number;
  body: string;
}
interface Found {
  session: SessionId;
  event: Event;
}
/** Behind a tear only so far is looked for what it cost. */
const LOOKED = 5_000;
const TOGETHER = 500;
/** Tables whose rows nothing else can make again. */
const OWN = ["memory", "tombstone", "night"];

/** What is wrong with a journal's file, in words; undefined: nothing, or there is none. */
export function examine(path: string): string | undefined {
  if (!existsSync(path) || statSync(path).size === 0) return undefined;
  try {
    return reading(path, (db) => {
      const format = Number(db.pragma("user_version", { simple: true }));
      if (format > FORMAT) return `it was written by a newer version (format ${format}; this one reads up to ${FORMAT})`;
      const check = String(db.pragma("quick_check(1)", { simple: true }));
      if (check !== "ok") return check.replaceAll("\n", " ");
      const bad = firstUnread(db);
      return bad && `event ${bad.seq}: ${bad.why}`;
    });
  } catch (error) {
    return wordsOf(error);
  }
}

/** `now` names the copy. Gives a sentence where nothing can be mended. */
export function repair(path: string, now: Date): Repaired | { error: string } {
  const copy = `${path}.damaged-${now.toISOString().replace(/[:.]/g, "-")}`;
  for (const tail of ["", "-wal"]) if (existsSync(path + tail)) copyFileSync(path + tail, copy + tail);
  const draft = `${path}.mending`;
  for (const tail of ["", "-wal", "-shm"]) rmSync(draft + tail, { force: true });
  try {
    const done = reading(path, (old) => salvage(old, draft));
    if (done.kept === 0) return { error: `Nothing of it can be read (${done.because}). It stays as it is; restore it from a backup.` };
    // Without the old log, which the new file must never be read with.
    for (const tail of ["-wal", "-shm"]) rmSync(path + tail, { force: true });
    renameSync(draft, path);
    return { ...done, copy };
  } catch (error) {
    return { error: `It cannot be read at all (${wordsOf(error)}). It stays as it is; restore it from a backup.` };
  } finally {
    for (const tail of ["", "-wal", "-shm"]) rmSync(draft + tail, { force: true });
  }
}

function salvage(old: Connection, draft: string): Omit<Repaired, "copy"> {
  const names = namesIn(old);
  const events = old.prepare<[number], Row>("SELECT seq, session, version, body FROM event WHERE seq > ? ORDER BY seq");
  const made = connect(draft);
  try {
    const ledger = new Ledger(made, draft, 500, Date.now);
    let [kept, upTo, last, because] = [0, null as number | null, 0, ""];
    let batch: Found[] = [];
    const write = (): void => {
      ledger.transact(() => {
        for (const { session, event } of batch) ledger.append(session, event, reduce(ledger.state(session), event));
      });
      kept += batch.length;
      upTo = batch.at(-1)?.event.at ?? upTo;
      batch = [];
    };
    try {
      for (const row of events.iterate(0)) {
        batch.push(understood(row, names));
        last = row.seq;
        if (batch.length >= TOGETHER) write();
      }
    } catch (error) {
      because = wordsOf(error);
    }
    write();
    keys(old, names, ledger);
    for (const table of OWN) copyRows(old, made, table);
    made.pragma("wal_checkpoint(TRUNCATE)");
    made.pragma("journal_mode = DELETE");
    return { kept, upTo, dropped: because ? behind(old, last, names) : [], because };
  } finally {
    made.close();
  }
}

/** Names of sessions by their numbers, as far as they can be read. */
function namesIn(db: Connection): Map<number, SessionId> {
  const names = new Map<number, SessionId>();
  try {
    for (const { id, name } of db.prepare<[], { id: number; name: SessionId }>("SELECT id, name FROM session ORDER BY id").iterate()) names.set(id, name);
  } catch {
    return names;
  }
  return names;
}

/** Throws in words if the row is no event of ours. */
function understood({ seq, session, version, body }: Row, names: ReadonlyMap<number, SessionId>): Found {
  const name = names.get(session);
  if (name === undefined) throw new Error(`event ${seq} belongs to a session that cannot be read`);
  if (version > VERSION) throw new Error(`event ${seq} was written by a newer version`);
  return { session: name, event: upcast(version, JSON.parse(body)) };
}

function firstUnread(db: Connection): { seq: number; why: string } | undefined {
  const names = namesIn(db);
  let seq = 0;
  try {
    for (const row of db.prepare<[], Row>("SELECT seq, session, version, body FROM event ORDER BY seq").iterate()) {
      seq = row.seq;
      understood(row, names);
    }
  } catch (error) {
    return { seq, why: wordsOf(error) };
  }
  return undefined;
}

/** One by one, since any of them may be what is torn. */
function behind(db: Connection, last: number, names: ReadonlyMap<number, SessionId>): Repaired["dropped"] {
  const one = db.prepare<[number], Row>("SELECT seq, session, version, body FROM event WHERE seq = ?");
  const found: Repaired["dropped"] = [];
  for (let seq = last + 1; seq <= last + LOOKED; seq++) {
    try {
      const row = one.get(seq);
      if (!row) continue;
      const event = JSON.parse(row.body) as { at: number; type: string };
      found.push({ at: event.at, session: names.get(row.session) ?? `session ${row.session}`, type: event.type });
    } catch {
      // Nothing can be said about this one.
    }
  }
  return found;
}

/** What was received is known by its key, so that nothing that is delivered again is taken again. */
function keys(old: Connection, names: ReadonlyMap<number, SessionId>, ledger: Ledger): void {
  const rows: { root: number; key: string }[] = [];
  try {
    for (const row of old.prepare<[], { root: number; key: string }>("SELECT root, key FROM received").iterate()) rows.push(row);
  } catch {
    // As far as they go.
  }
  ledger.transact(() => {
    for (const { root, key } of rows) {
      const name = names.get(root);
      if (name !== undefined && !ledger.seen(name, key)) ledger.remember(name, key);
    }
  });
}

function copyRows(old: Connection, made: Connection, table: string): void {
  try {
    const columns = (made.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => `"${name}"`);
    const insert = made.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`);
    for (const row of old.prepare(`SELECT ${columns.join(", ")} FROM ${table}`).raw().iterate()) insert.run(...(row as unknown[]));
  } catch {
    // As far as they go; an older form of the file has none.
  }
}

function reading<T>(path: string, work: (db: Connection) => T): T {
  const db = new Database(path, { readonly: true, timeout: 2_000 });
  try {
    // Else a file that is shorter than it says is not even opened.
    db.unsafeMode();
    db.pragma("writable_schema = ON");
    return work(db);
  } finally {
    db.close();
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
