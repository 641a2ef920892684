/**
 * The journal inside one transaction: states as they are now, and what is being added to them.
 *
 * G1. Every cached state is folded up to `head`, the last event this process knows. What others wrote lies behind it and is folded first,
 *     so whatever is decided in a transaction is decided on the newest state.
 * G2. What a transaction adds is kept apart until it is durable: if it fails, memory says again what the disk says.
 * G3. A session's row is written once per transaction, after its last event.
 * G4. States asked for in one turn of the event loop are of one moment: the file is looked at once for all of them, and a transaction is a look.
 */
import type { Event } from "../core/event.ts";
import { HOME_SESSION, rootOf, type SessionId } from "../core/id.ts";
import { INITIAL, reduce, type State } from "../core/state.ts";
import { Cache } from "./cache.ts";
import { fault } from "./fault.ts";
import type { Connection } from "./file.ts";
import { Log } from "./log.ts";
import { type Added, Models, type Row } from "./models.ts";
import { retitled } from "./title.ts";

interface Entry {
  readonly id: number;
  readonly name: SessionId;
  readonly state: State;
  readonly title: string;
  /** As it was last written. */
  readonly row: Row;
  /** How many events the state adds up, and how many of them the last snapshot covers. */
  readonly events: number;
  readonly covered: number;
  /** What this transaction added, until the row says so. */
  readonly added: Added | undefined;
}
interface SessionRow {
  id: number;
  settled: number;
  wakeAt: number | null;
  title: string;
}

/** Snapshots cost a constant number of bytes per event: the next is due when there is half as much again to fold. */
const isDue = ({ events, covered }: Entry): boolean => events - covered > Math.max(1000, covered / 2);

export class Ledger {
  readonly #path: string;
  readonly #log: Log;
  readonly #models: Models;
  readonly #cache: Cache<Entry>;
  readonly #staged = new Map<SessionId, Entry>();
  readonly #foreign = new Set<SessionId>();
  readonly #families: Cache<readonly SessionId[]>;
  #looked = false;
  readonly #due = new Set<SessionId>();
  readonly #transaction;
  readonly #reading;
  readonly #row;
  readonly #create;
  readonly #family;
  #head: number;
  #tip: number;
  /** What this transaction has written so far. */
  written = 0;

  constructor(db: Connection, path: string, sessions: number, now: () => number) {
    this.#path = path;
    this.#log = new Log(db, path);
    this.#models = new Models(db, now);
    this.#cache = new Cache(sessions);
    this.#families = new Cache(sessions);
    this.#transaction = db.transaction((body: () => void) => {
      this.#catchUp();
      body();
      this.#settle();
    });
    this.#reading = db.transaction((body: () => unknown) => {
      this.#catchUp();
      return body();
    });
    this.#row = db.prepare<[SessionId], SessionRow>("SELECT id, settled, wakeAt, title FROM session WHERE name = ?");
    this.#create = db.prepare<[SessionId, SessionId]>(
      "INSERT INTO session (name, root, settled, todos, at, title) VALUES (?, ?, 1, '[]', 0, '')",
    );
    this.#family = db.prepare<[SessionId], { name: SessionId }>(
      "SELECT name FROM session WHERE root = ? AND scope IS NOT NULL ORDER BY id",
    );
    this.#head = this.#log.last();
    this.#tip = this.#head;
  }

  /** All that `body` adds, or nothing of it. */
  transact(body: () => void): void {
    try {
      this.written = 0;
      this.#log.begin();
      this.#transaction.immediate(body);
      for (const entry of this.#staged.values()) {
        this.#cache.set(entry.name, entry);
        if (isDue(entry)) this.#due.add(entry.name);
      }
      this.#head = this.#tip;
      this.#lookedNow();
    } catch (error) {
      throw fault(error, this.#path);
    } finally {
      this.#staged.clear();
      this.#tip = this.#head;
    }
  }

  /** One consistent look, with what others wrote. */
  read<T>(body: () => T): T {
    try {
      return this.#reading.deferred(body) as T;
    } catch (error) {
      throw fault(error, this.#path);
    }
  }

  state(session: SessionId): State {
    return this.#entry(session)?.state ?? INITIAL;
  }

  family(root: SessionId): SessionId[] {
    return this.#family.all(root).map(({ name }) => name);
  }

  /** The same two outside a transaction. */
  stateNow(session: SessionId): State {
    this.#look();
    return this.#cache.get(session)?.state ?? this.read(() => this.state(session));
  }

  familyNow(root: SessionId): readonly SessionId[] {
    this.#look();
    const known = this.#families.get(root) ?? this.read(() => this.family(root));
    this.#families.set(root, known);
    return known;
  }

  events(session: SessionId, after: number): { seq: number; event: Event }[] {
    const id = this.#row.get(session)?.id;
    return id === undefined ? [] : this.#log.of(id, after, Number.MAX_SAFE_INTEGER);
  }

  seen(root: SessionId, key: string): boolean {
    return this.#log.seen(root, key);
  }

  remember(root: SessionId, key: string): void {
    this.#log.remember(this.#ensure(root).id, key);
    this.written++;
  }

  /** Adds an event that applies; `state` is the session's state with it. */
  append(session: SessionId, event: Event, state: State): void {
    const entry = this.#ensure(session);
    this.#log.append(++this.#tip, entry.id, event);
    if (event.type === "session.opened") this.#families.delete(rootOf(session));
    this.written++;
    const root = rootOf(session);
    this.#models.event(entry.id, event, state, root === session ? state : this.state(root));
    const received = entry.added?.received === true || event.type === "message.received";
    const title = retitled(entry.title, entry.state, event, state);
    this.#staged.set(session, { ...entry, state, title, events: entry.events + 1, added: { at: event.at, received } });
  }

  /** Roots that others wrote to since this was last asked. */
  takeForeign(): SessionId[] {
    this.read(() => {});
    const roots = [...this.#foreign];
    this.#foreign.clear();
    return roots;
  }

  /** Sessions whose next opening deserves a snapshot. */
  takeDue(): SessionId[] {
    const due = [...this.#due];
    this.#due.clear();
    return due;
  }

  snapshot(session: SessionId): void {
    const entry = this.#entry(session);
    if (!entry || !isDue(entry)) return;
    this.#log.keep(entry.id, { seq: this.#head, events: entry.events, state: entry.state });
    this.#staged.set(session, { ...entry, covered: entry.events });
  }

  /** A conversation that was taken out: nothing is known of it any more. */
  forget(root: SessionId): void {
    this.#families.delete(root);
    for (const known of this.#cache.keys()) if (rootOf(known) === root) this.#cache.delete(known);
    this.#families.delete(root);
  }

  /** Whether this transaction has written to a root. */
  isTouched(root: SessionId): boolean {
    return [...this.#staged.keys()].some((session) => rootOf(session) === root);
  }

  #look(): void {
    if (this.#looked) return;
    this.read(() => {});
    this.#lookedNow();
  }

  /** Holds for this turn of the event loop. */
  #lookedNow(): void {
    if (this.#looked) return;
    this.#looked = true;
    setImmediate(() => {
      this.#looked = false;
    });
  }

  #catchUp(): void {
    for (const written of this.#log.since(this.#head)) {
      this.#families.delete(rootOf(written.name));
      const event = this.#log.event(written);
      if (event.type === "session.retired") this.forget(event.session);
      const entry = this.#cache.peek(written.name);
      if (entry) {
        const state = reduce(entry.state, event);
        const row = this.#row.get(written.name);
        this.#cache.set(written.name, { ...entry, state, events: entry.events + 1, ...(row ? rowOf(row, state) : {}) });
      }
      if (written.name !== HOME_SESSION) this.#foreign.add(rootOf(written.name));
      this.#head = written.seq;
    }
    this.#tip = this.#head;
  }

  #settle(): void {
    for (const [session, entry] of this.#staged) {
      if (!entry.added) continue;
      const row = this.#models.session(entry, entry.added);
      this.#staged.set(session, { ...entry, row, added: undefined });
    }
  }

  #entry(session: SessionId): Entry | undefined {
    return this.#staged.get(session) ?? this.#cache.get(session) ?? this.#load(session);
  }

  #load(session: SessionId): Entry | undefined {
    const row = this.#row.get(session);
    if (!row) return undefined;
    const start = this.#log.snapshot(row.id, this.#head) ?? { seq: 0, events: 0, state: INITIAL };
    const tail = this.#log.of(row.id, start.seq, this.#head);
    const state = tail.reduce((before, { event }) => reduce(before, event), start.state);
    const entry: Entry = {
      id: row.id,
      name: session,
      state,
      ...rowOf(row, state),
      events: start.events + tail.length,
      covered: start.events,
      added: undefined,
    };
    this.#cache.set(session, entry);
    return entry;
  }

  #ensure(session: SessionId): Entry {
    const known = this.#entry(session);
    if (known) return known;
    const id = Number(this.#create.run(session, rootOf(session)).lastInsertRowid);
    this.written++;
    const row: Row = { settled: true, wakeAt: null, opened: false, todos: INITIAL.todos, title: "" };
    const entry: Entry = { id, name: session, state: INITIAL, title: "", row, events: 0, covered: 0, added: undefined };
    this.#staged.set(session, entry);
    return entry;
  }
}

const rowOf = ({ settled, wakeAt, title }: SessionRow, { opened, todos }: State): Pick<Entry, "title" | "row"> => ({
  title,
  row: { settled: settled === 1, wakeAt, title, opened: opened !== undefined, todos },
});
