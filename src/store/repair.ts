/**
 * Mends a journal whose tail is torn: a new file is made from all events up to the first that cannot be read.
 *
 * R1. The damaged file is kept beside the new one, untouched, and so is its log. What was dropped is told.
 * R2. What is behind a tear is not kept even where it can be read: nobody knows what it built upon.
 * R3. A file of which nothing can be read stays as it is: a journal begun anew would answer old messages again.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { type Event, upcast, VERSION } from "../core/event.ts";
import type { SessionId } from "../core/id.ts";
import { reduce } from "../core/state.ts";
import { type CarvedRow, carve } from "./carve.ts";
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
    const done = reading(path, (old) => salvage(old, path, draft));
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

function salvage(old: Connection, path: string, draft: string): Omit<Repaired, "copy"> {
  const found = rowsOf(old, path);
  const made = connect(draft);
  try {
    const ledger = new Ledger(made, draft, 500, Date.now);
    let [kept, upTo, because] = [0, null as number | null, ""];
    let batch: Found[] = [];
    const write = (): void => {
      ledger.transact(() => {
        for (const { session, event } of batch) ledger.append(session, event, reduce(ledger.state(session), event));
      });
      kept += batch.length;
      upTo = batch.at(-1)?.event.at ?? upTo;
      batch = [];
    };
    for (let seq = 1; seq <= found.last && !because; seq++) {
      try {
        const row = found.events.get(seq);
        if (!row) throw new Error(`event ${seq} cannot be read`);
        batch.push(understood(row, found.names));
      } catch (error) {
        because = wordsOf(error);
      }
      if (batch.length >= TOGETHER) write();
    }
    write();
    remember(ledger, found);
    for (const table of OWN) copyRows(old, made, table);
    made.pragma("wal_checkpoint(TRUNCATE)");
    made.pragma("journal_mode = DELETE");
    return { kept, upTo, dropped: behind(found, kept), because: because || found.trouble };
  } finally {
    made.close();
  }
}

interface Rows {
  events: Map<number, Row>;
  last: number;
  /** Names of sessions by their numbers. */
  names: Map<number, SessionId>;
  keys: { root: number; key: string }[];
  trouble: string;
}

/** All that can be read: as the database tells it, and where it cannot, from the pages themselves. */
function rowsOf(db: Connection, path: string): Rows {
  const rows: Rows = { events: new Map(), last: 0, names: new Map(), keys: [], trouble: "" };
  const each = <T>(sql: string, take: (row: T) => void): void => {
    try {
      for (const row of db.prepare<[], T>(sql).iterate()) take(row);
    } catch (error) {
      rows.trouble ||= wordsOf(error);
    }
  };
  each<Row>("SELECT seq, session, version, body FROM event ORDER BY seq", (row) => rows.events.set(row.seq, row));
  each<{ id: number; name: SessionId }>("SELECT id, name FROM session ORDER BY id", ({ id, name }) => rows.names.set(id, name));
  each<{ root: number; key: string }>("SELECT root, key FROM received", (row) => rows.keys.push(row));
  if (rows.trouble) for (const row of carve(readFileSync(path))) carved(row, rows);
  for (const { session, body } of rows.events.values()) if (!rows.names.has(session)) name(rows, session, body);
  rows.last = [...rows.events.keys()].reduce((a, b) => Math.max(a, b), 0);
  return rows;
}

function carved({ rowid, values }: CarvedRow, { events, names, keys }: Rows): void {
  const [, second, version, body] = values;
  if (rowid === null) {
    const [root, key] = values;
    if (values.length === 2 && typeof root === "number" && typeof key === "string") keys.push({ root, key });
  } else if (
    values.length === 4 &&
    typeof second === "number" &&
    typeof version === "number" &&
    typeof body === "string" &&
    body.startsWith("{")
  ) {
    if (!events.has(rowid)) events.set(rowid, { seq: rowid, session: second, version, body });
  } else if (values.length === 10 && typeof second === "string" && !names.has(rowid)) names.set(rowid, second);
}

/** A session whose name is lost tells it itself where it was opened. */
function name({ names }: Rows, session: number, body: string): void {
  try {
    const event = JSON.parse(body) as Event;
    if (event.type !== "session.opened" || event.parent) return;
    const { platform, team, channel, thread } = event.place;
    names.set(session, `${platform}:${team}:${channel}:${thread}`);
  } catch {
    // Then it stays unknown, and the journal ends before it.
  }
}

/** Throws in words if the row is no event of ours. */
function understood({ seq, session, version, body }: Row, names: ReadonlyMap<number, SessionId>): Found {
  const name = names.get(session);
  if (name === undefined) throw new Error(`event ${seq} belongs to a session that cannot be read`);
  if (version > VERSION) throw new Error(`event ${seq} was written by a newer version`);
  return { session: name, event: upcast(version, JSON.parse(body)) };
}

function behind({ events, names }: Rows, kept: number): Repaired["dropped"] {
  return [...events.values()]
    .filter(({ seq }) => seq > kept)
    .sort((a, b) => a.seq - b.seq)
    .flatMap(({ session, body }) => {
      try {
        const { at, type } = JSON.parse(body) as { at: number; type: string };
        return [{ at, session: names.get(session) ?? `session ${session}`, type }];
      } catch {
        return [];
      }
    });
}

/** What was received is known by its key, so that nothing that is delivered again is taken again. */
function remember(ledger: Ledger, { keys, names }: Rows): void {
  ledger.transact(() => {
    for (const { root, key } of keys) {
      const session = names.get(root);
      if (session !== undefined && !ledger.seen(session, key)) ledger.remember(session, key);
    }
  });
}

function firstUnread(db: Connection): { seq: number; why: string } | undefined {
  const names = new Map(
    db
      .prepare<[], { id: number; name: SessionId }>("SELECT id, name FROM session")
      .all()
      .map(({ id, name }) => [id, name]),
  );
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

function copyRows(old: Connection, made: Connection, table: string): void {
  try {
    const columns = (made.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => `"${name}"`);
    const insert = made.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`);
    for (const row of old
      .prepare(`SELECT ${columns.join(", ")} FROM ${table}`)
      .raw()
      .iterate())
      insert.run(...(row as unknown[]));
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
