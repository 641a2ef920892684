/**
 * What was said, findable by its words: an index in a file of its own beside the journal, made from it and never needed by it.
 *
 * S1. It is built behind the path of a turn, up to a watermark; a search first takes up what is behind the journal.
 * S2. Only what may be seen is looked at: the scope is part of each question. Newest first.
 * S3. A corrected message is found by its last words, a deleted or withdrawn one not at all.
 * S4. A file that is damaged or does not fit the journal is made again.
 */
import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import type { Event } from "../core/event.ts";
import { fingerprint, type SessionId } from "../core/id.ts";
import type { Found } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { isStorage } from "./fault.ts";
import type { Connection } from "./file.ts";
import type { Log } from "./log.ts";
import { BEGINNING, indexed, questions } from "./words.ts";

const FORMAT = 2;
/** Positions of the journal looked through at a time, so that the loop is never held for long. */
const BATCH = 100;
const TABLES = `
  CREATE TABLE mark (seq INTEGER NOT NULL) STRICT;
  INSERT INTO mark VALUES (0);
  CREATE TABLE doc (seq INTEGER PRIMARY KEY, session TEXT NOT NULL, message TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE INDEX doc_message ON doc (session, message);
  CREATE VIRTUAL TABLE words USING fts5(
    scope, text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='${BEGINNING}'
  );
  PRAGMA user_version = ${FORMAT};
`;
const SAID = `('message.received', 'message.edited', 'message.deleted', 'message.withdrawn', 'turn.ended')`;

interface Row {
  seq: number;
  name: SessionId;
  scope: Scope;
  version: number;
  body: string;
}
interface Doc {
  seq: number;
  session: SessionId;
  message: string;
  name: string;
  at: number;
}

export class Search {
  readonly #path: string;
  readonly #log: Log;
  readonly #rows;
  readonly #row;
  #index: Index | undefined;

  constructor(journal: Connection, log: Log) {
    this.#path = journal.memory ? ":memory:" : `${journal.name}.search`;
    this.#log = log;
    this.#rows = journal.prepare<[number, number], Row>(
      `SELECT seq, name, scope, version, body FROM event JOIN session ON session.id = event.session
       WHERE seq > ? AND seq <= ? AND name = root AND scope IS NOT NULL AND body ->> '$.type' IN ${SAID} ORDER BY seq`,
    );
    this.#row = journal.prepare<[number], Row>("SELECT seq, '' AS name, '' AS scope, version, body FROM event WHERE seq = ?");
  }

  /** Takes up a batch of what the index lacks. False: there is nothing left. */
  step(): boolean {
    return this.#whole((index) => {
      const last = this.#log.last();
      const from = index.mark();
      if (from > last) throw new Misfit();
      if (from === last) return false;
      const to = Math.min(from + BATCH, last);
      const rows = this.#rows.all(from, to).map((row) => ({ ...row, event: this.#log.event(row) }));
      index.take(rows, from, to);
      return to < last;
    });
  }

  find(query: string, scopes: readonly Scope[], limit: number): Omit<Found, "place" | "title">[] {
    const docs = this.#whole((index) => index.find(query, scopes, limit));
    return docs.flatMap(({ seq, session, message, name, at }) => {
      const row = this.#row.get(seq);
      const event = row && this.#log.event(row);
      const text = event && "text" in event ? event.text : undefined;
      return text === undefined ? [] : [{ session, at, by: name, text, ...(message ? { message } : {}) }];
    });
  }

  /** What is left in it of deleted words goes with the file; it is made again from the journal. */
  renew(): void {
    this.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(`${this.#path}${end}`, { force: true });
  }

  close(): void {
    this.#index?.close();
    this.#index = undefined;
  }

  #whole<T>(work: (index: Index) => T): T {
    try {
      this.#index ??= new Index(this.#path);
      return work(this.#index);
    } catch (error) {
      if (!isUseless(error)) throw error;
      this.renew();
      this.#index = new Index(this.#path);
      return work(this.#index);
    }
  }
}

class Misfit extends Error {}
const isUseless = (error: unknown): boolean =>
  error instanceof Misfit || (isStorage(error) && /^SQLITE_(?:CORRUPT|NOTADB|ERROR|CONSTRAINT)/.test(error.code));

class Index {
  readonly #db: Connection;
  readonly #mark;
  readonly #setMark;
  readonly #addDoc;
  readonly #addWords;
  readonly #docOf;
  readonly #dropDoc;
  readonly #dropWords;
  readonly #find;

  constructor(path: string) {
    this.#db = new Database(path, { timeout: 5_000 });
    this.#db.pragma("journal_mode = WAL");
    // What a power cut takes from it is taken up again from the journal.
    this.#db.pragma("synchronous = NORMAL");
    const format = Number(this.#db.pragma("user_version", { simple: true }));
    if (format === 0) this.#db.transaction(() => this.#db.exec(TABLES)).immediate();
    else if (format !== FORMAT) throw new Misfit();
    this.#mark = this.#db.prepare<[], { seq: number }>("SELECT seq FROM mark");
    this.#setMark = this.#db.prepare<[number]>("UPDATE mark SET seq = ?");
    this.#addDoc = this.#db.prepare<[number, string, string, string, number]>(
      "INSERT OR REPLACE INTO doc (seq, session, message, name, at) VALUES (?, ?, ?, ?, ?)",
    );
    this.#addWords = this.#db.prepare<[number, string, string]>("INSERT INTO words (rowid, scope, text) VALUES (?, ?, ?)");
    this.#docOf = this.#db.prepare<[string, string], Doc>("SELECT * FROM doc WHERE session = ? AND message = ?");
    this.#dropDoc = this.#db.prepare<[number]>("DELETE FROM doc WHERE seq = ?");
    this.#dropWords = this.#db.prepare<[number]>("DELETE FROM words WHERE rowid = ?");
    this.#find = this.#db.prepare<[string, number], Doc>(
      "SELECT doc.* FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?) AS hit JOIN doc ON doc.seq = hit.rowid ORDER BY doc.seq DESC",
    );
  }

  mark(): number {
    return this.#mark.get()?.seq ?? 0;
  }

  /** Nothing, if another process took it up meanwhile. */
  take(rows: readonly (Row & { event: Event })[], from: number, to: number): void {
    this.#db
      .transaction(() => {
        if (this.mark() !== from) return;
        for (const row of rows) this.#add(row);
        this.#setMark.run(to);
      })
      .immediate();
  }

  #add({ seq, name: session, scope, event }: Row & { event: Event }): void {
    switch (event.type) {
      case "message.received":
        // Its edit may have come before it, or it was told once already as what had been said before.
        this.#drop(session, event.id);
        this.#put({ seq, session, message: event.id, name: event.by.name, at: event.at }, scope, event.text);
        return;
      case "message.edited": {
        const before = this.#drop(session, event.id);
        this.#put({ seq, session, message: event.id, name: before?.name ?? "", at: before?.at ?? event.at }, scope, event.text);
        return;
      }
      case "message.deleted":
      case "message.withdrawn":
        this.#drop(session, event.id);
        return;
      case "turn.ended":
        if (event.how === "answered") this.#put({ seq, session, message: "", name: "", at: event.at }, scope, event.text);
        return;
      default:
        return;
    }
  }

  #put({ seq, session, message, name, at }: Doc, scope: Scope, text: string): void {
    this.#addDoc.run(seq, session, message, name, at);
    this.#addWords.run(seq, token(scope), indexed(`${name} ${text}`));
  }

  #drop(session: SessionId, message: string): Doc | undefined {
    const doc = this.#docOf.get(session, message);
    if (!doc) return undefined;
    this.#dropDoc.run(doc.seq);
    this.#dropWords.run(doc.seq);
    return doc;
  }

  find(query: string, scopes: readonly Scope[], limit: number): Doc[] {
    const seen = scopes.map(token).join(" OR ");
    for (const question of seen ? questions(query) : []) {
      const docs = this.#find.all(`scope : (${seen}) AND text : (${question})`, limit);
      if (docs.length) return docs;
    }
    return [];
  }

  close(): void {
    this.#db.close();
  }
}

/** A scope as one word of the index. */
const token = (scope: Scope): string => `s${fingerprint(scope)}`;
