/**
 * The statements on what is the truth of a journal: events, the keys of what was received, and snapshots as a short cut to their fold.
 * Nothing here decides anything.
 */
import { type Event, upcast, VERSION } from "../core/event.ts";
import type { SessionId } from "../core/id.ts";
import { INITIAL, REDUCER, type State } from "../core/state.ts";
import { damaged, newer } from "./fault.ts";
import type { Connection } from "./file.ts";
import { pack, unpack } from "./pack.ts";

/** Where a session has events is kept by blocks of the log: an index of each event would double the pages a commit writes. */
export const BLOCK = 32;
export const blockOf = (seq: number): number => Math.floor(seq / BLOCK);

interface Written {
  seq: number;
  name: SessionId;
  version: number;
  body: string;
}
interface Stored {
  seq: number;
  events: number;
  body: Buffer;
}
interface Snapshot {
  seq: number;
  events: number;
  state: State;
}

export class Log {
  readonly #path: string;
  readonly #last;
  readonly #since;
  readonly #of;
  readonly #span;
  readonly #append;
  readonly #seen;
  readonly #remember;
  readonly #snapshot;
  readonly #keep;
  /** The last span this transaction wrote. */
  #spanned = { session: -1, block: -1 };

  constructor(db: Connection, path: string) {
    this.#path = path;
    this.#last = db.prepare<[], { seq: number | null }>("SELECT max(seq) AS seq FROM event");
    this.#since = db.prepare<[number], Written>(
      "SELECT seq, name, version, body FROM event JOIN session ON session.id = event.session WHERE seq > ? ORDER BY seq",
    );
    this.#of = db.prepare<[number, number, number, number], Written>(
      `SELECT seq, version, body FROM span CROSS JOIN event ON seq BETWEEN block * ${BLOCK} AND block * ${BLOCK} + ${BLOCK - 1}
       WHERE span.session = ? AND block >= ? AND event.session = span.session AND +seq > ? AND +seq <= ? ORDER BY block, seq`,
    );
    this.#span = db.prepare<[number, number]>("INSERT OR IGNORE INTO span (session, block) VALUES (?, ?)");
    this.#append = db.prepare<[number, number, number, string]>("INSERT INTO event (seq, session, version, body) VALUES (?, ?, ?, ?)");
    this.#seen = db.prepare<[SessionId, string], { key: string }>(
      "SELECT key FROM received WHERE root = (SELECT id FROM session WHERE name = ?) AND key = ?",
    );
    this.#remember = db.prepare<[number, string]>("INSERT INTO received (root, key) VALUES (?, ?)");
    this.#snapshot = db.prepare<[number, number, number, number], Stored>(
      "SELECT seq, events, body FROM snapshot WHERE session = ? AND reducer = ? AND version = ? AND seq <= ?",
    );
    this.#keep = db.prepare<[number, number, number, number, number, Buffer]>(
      "INSERT OR REPLACE INTO snapshot (session, seq, events, reducer, version, body) VALUES (?, ?, ?, ?, ?, ?)",
    );
  }

  last(): number {
    return this.#last.get()?.seq ?? 0;
  }

  /** What was written to any session behind a position. */
  since(seq: number): Written[] {
    return this.#since.all(seq);
  }

  /** The events of one session behind one position, up to another. */
  of(session: number, after: number, upTo: number): { seq: number; event: Event }[] {
    return this.#of.all(session, blockOf(after), after, upTo).map((row) => ({ seq: row.seq, event: this.event(row) }));
  }

  event({ seq, version, body }: Pick<Written, "seq" | "version" | "body">): Event {
    if (version > VERSION) throw newer(this.#path, `event ${seq} has version ${version}; this one reads up to ${VERSION}`);
    let parsed: unknown;
    try {
      parsed = JSON.parse(body);
    } catch {
      throw damaged(this.#path, `event ${seq} cannot be read`);
    }
    return upcast(version, parsed);
  }

  /** A transaction begins: what the one before wrote may have been taken back. */
  begin(): void {
    this.#spanned = { session: -1, block: -1 };
  }

  append(seq: number, session: number, event: Event): void {
    this.#append.run(seq, session, VERSION, JSON.stringify(event));
    const block = blockOf(seq);
    if (session === this.#spanned.session && block === this.#spanned.block) return;
    this.#span.run(session, block);
    this.#spanned = { session, block };
  }

  seen(root: SessionId, key: string): boolean {
    return this.#seen.get(root, key) !== undefined;
  }

  remember(root: number, key: string): void {
    this.#remember.run(root, key);
  }

  /** Undefined if there is none that this version made and can read: then the events are folded from the first. */
  snapshot(session: number, upTo: number): Snapshot | undefined {
    const row = this.#snapshot.get(session, REDUCER, VERSION, upTo);
    if (!row) return undefined;
    try {
      return { seq: row.seq, events: row.events, state: { ...INITIAL, ...unpack(row.body) } };
    } catch {
      return undefined;
    }
  }

  keep(session: number, { seq, events, state }: Snapshot): void {
    this.#keep.run(session, seq, events, REDUCER, VERSION, pack(state));
  }
}
