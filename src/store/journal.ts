/**
 * A home's journal in one SQLite file: the port of the core, put together from its parts.
 *
 * J1. What resolved is durable. What was asked for in one turn of the event loop is committed together, in the order it came.
 * J2. Any process may receive. Only the holder of a root's lease records, and only what still applies to everything received so far.
 * J3. A damaged file, or one from a newer version, is refused with what mends it, and left as it is.
 */
import { HOME_SESSION, rootOf, type SessionId } from "../core/id.ts";
import type { Found, Journal, MemoryLog } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { receive, record } from "./draft.ts";
import { damaged, isStorage } from "./fault.ts";
import { type Connection, connect } from "./file.ts";
import { Leases } from "./leases.ts";
import { Ledger } from "./ledger.ts";
import { Log } from "./log.ts";
import { Memories } from "./memories.ts";
import { groupCommits, type Queue } from "./queue.ts";
import { retiring } from "./retire.ts";
import { Rows } from "./rows.ts";
import { Search } from "./search.ts";

export interface JournalOptions {
  /** How long a lease lasts without being renewed, in ms. */
  ttl?: number;
  /** States kept in memory, by sessions. */
  cache?: number;
  now?: () => number;
}

/** How long after the last commit the index of words is brought up to it; and after the first, if they do not end. */
const INDEX_AFTER = 5_000;
const INDEX_LATEST = 60_000;
/** Between two pieces of that work others have their turn. */
const BREATH = 20;

/** Throws a UserError if the file is damaged, from a newer version, or cannot be opened. */
export function openJournal(path: string, options: JournalOptions = {}): Journal {
  const db = connect(path);
  try {
    return journalOn(db, options);
  } catch (error) {
    db.close();
    throw isStorage(error) ? damaged(path, error.message) : error;
  }
}

export function journalOn(db: Connection, { ttl = 15_000, cache = 500, now = Date.now }: JournalOptions = {}): Journal {
  const ledger = new Ledger(db, db.name, cache, now);
  const leases = new Leases(db, ttl, now);
  const rows = new Rows(db);
  const log = new Log(db, db.name);
  const memories = new Memories(db, log);
  const search = searchOn(db, new Search(db, log), ledger, rows);
  const snapshot = (session: SessionId): void => {
    try {
      if (db.open) ledger.transact(() => ledger.snapshot(session));
    } catch {
      // Only a short cut: the log has it all, and whatever keeps this from being written is told to those who write to the log.
    }
  };
  const commit = (body: () => void): void => {
    ledger.transact(body);
    search.later();
    for (const session of ledger.takeDue()) setImmediate(snapshot, session);
  };
  const queue = groupCommits(commit, () => ledger.written);
  const retired = retiring(db, ledger, now);
  // A renewal that fails is tried again by the next; if none succeeds in time the lease is lost, which `record` notices.
  const renewal = setInterval(() => leases.any && void queue.push(() => leases.renew()).catch(() => {}), ttl / 3);
  renewal.unref();

  return {
    receive: (session, key, event, opening, also = []) => queue.push(() => receive(ledger, session, key, event, opening, also), "soon"),
    record: (lease, writes) => queue.push(() => leases.holds(lease) && record(ledger, lease.root, writes)),
    lease: (root) => queue.push(() => leases.take(root)),
    release: (lease) => queue.push(() => leases.drop(lease)),
    state: async (session) => ledger.stateNow(session),
    family: async (root) => [...ledger.familyNow(root)],
    events: async (session, from = 0) => ledger.read(() => ledger.events(session, from)),
    foreign: async () => ledger.takeForeign(),
    grants: async (session) => grantsOf(ledger, session),
    ...looksOn(ledger, rows),
    search: search.find,
    retire: async (roots, before) => swept(db, search, await queue.push(() => retired(roots, before))),
    memory: memoryOn(ledger, memories, queue),
    async close() {
      if (!db.open) return;
      clearInterval(renewal);
      const released = queue.push(() => leases.dropAll());
      queue.end();
      await released.catch(() => {});
      search.close();
      db.close();
    },
  };
}

/** Only what is in neither the log of the file nor the index of words is gone. */
function swept(db: Connection, search: { renew(): void }, over: SessionId[]): SessionId[] {
  if (over.length === 0 || !db.open) return over;
  db.pragma("wal_checkpoint(TRUNCATE)");
  search.renew();
  return over;
}

type Looks = "unsettled" | "sessions" | "session" | "byCode" | "byRef" | "approvals" | "granted" | "usage" | "spent";

/** Questions to the read models, each one consistent look. */
function looksOn(ledger: Ledger, rows: Rows): Pick<Journal, Looks> {
  return {
    unsettled: async (at) => ledger.read(() => rows.unsettled(at)),
    sessions: async (filter = {}) => ledger.read(() => rows.sessions(filter)),
    session: async (session) => ledger.read(() => rows.session(session)),
    byCode: async (code) => ledger.read(() => rows.byCode(code)),
    byRef: async (ref) => ledger.read(() => rows.byRef(ref)),
    approvals: async () => ledger.read(() => rows.approvals()),
    granted: async () => ledger.read(() => rows.granted()),
    usage: async (day, person) => ledger.read(() => rows.usage(day, person)),
    spent: async (from, to) => ledger.read(() => rows.spent(from, to)),
  };
}

/** The index of words, brought up to the journal some time after a commit, a little at a time. */
function searchOn(db: Connection, search: Search, ledger: Ledger, rows: Rows) {
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  const catchUp = async (pause: () => Promise<unknown> = () => new Promise(setImmediate)): Promise<void> => {
    while (db.open && search.step()) await pause();
  };
  const behind = (): void => {
    timer = undefined;
    // What keeps it from being built now is told to whoever searches.
    catchUp(() => new Promise((done) => setTimeout(done, BREATH).unref())).catch(() => {});
  };
  return {
    async find(query: string, scopes: readonly Scope[], limit: number): Promise<Found[]> {
      await catchUp();
      return ledger.read(() =>
        search.find(query, scopes, limit).flatMap((found) => {
          const row = rows.session(found.session);
          return row ? [{ ...found, place: row.place, title: row.title }] : [];
        }),
      );
    },
    later(): void {
      if (timer && Date.now() - since < INDEX_LATEST) timer.refresh();
      if (timer) return;
      since = Date.now();
      timer = setTimeout(behind, INDEX_AFTER).unref();
    },
    renew(): void {
      search.renew();
      this.later();
    },
    close(): void {
      clearTimeout(timer);
      search.close();
    },
  };
}

function memoryOn(ledger: Ledger, memories: Memories, queue: Queue): MemoryLog {
  const write = <T>(act: () => T): Promise<T> =>
    queue.push(() => {
      ledger.written++;
      return act();
    });
  return {
    plan: (change) => write(() => memories.plan(change)),
    made: (n) => write(() => memories.made(n)),
    unmade: async (scope) => ledger.read(() => memories.unmade(scope)),
    changes: async (scopes, limit) => ledger.read(() => memories.changes(scopes, limit)),
    tombstones: async (scope) => ledger.read(() => memories.tombstones(scope)),
    scopes: async () => ledger.read(() => memories.scopes()),
    news: async (scope) => ledger.read(() => memories.news(scope)),
    readTo: (scope, seq) => write(() => memories.readTo(scope, seq)),
    lastNight: async () => ledger.read(() => memories.lastNight()),
    nightWas: (at) => write(() => memories.nightWas(at)),
    untold: async () => ledger.read(() => memories.untold()),
    told: (n) => write(() => memories.told(n)),
    charge: (at, usage) => write(() => memories.charge(at, usage)),
    used: async (scope) => ledger.read(() => memories.used(scope)),
    use: (scope, facts, at) => write(() => memories.use(scope, facts, at)),
  };
}

function grantsOf(ledger: Ledger, session: SessionId): Awaited<ReturnType<Journal["grants"]>> {
  const sessions = [...new Set([session, rootOf(session), HOME_SESSION])];
  return sessions.flatMap((id) => ledger.stateNow(id).grants.map((grant) => ({ session: id, grant })));
}
