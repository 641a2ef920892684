/**
 * The tables of a journal. `event` is the truth; everything else can be made again from it, but for `received`, `lease`,
 * the snapshots, and what the home's memory has of its own: its changes (`memory`), `tombstone`, how far the nights have read and
 * people were told (`night`), and which facts were used (`used`).
 *
 * T1. `event.seq` is one count over the whole file, and grows: what another process wrote is whatever lies behind the last one seen.
 * T2. Nothing here is written once per event but `event` itself: each page a commit touches is written twice, to the log and to the file.
 */
import { VERSION } from "../core/event.ts";

const SCHEMA = 5;

/** Kept in the file's header: a journal with a larger one was written by a newer version. */
export const FORMAT = SCHEMA * 1000 + VERSION;

/** Small: a commit adds a few hundred bytes, and whole pages are written. Measured per commit in a turn with a tool: 512 bytes 2.2 KB, 1,024 3.1 KB, 4,096 8.2 KB. */
export const PAGE = 512;

/** `input` counts what came from and went into the cache as well. */
const USAGE = `
  CREATE TABLE usage (
    day TEXT NOT NULL, person TEXT NOT NULL, model TEXT NOT NULL, channel TEXT NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cacheRead INTEGER NOT NULL, cacheWrite INTEGER NOT NULL,
    PRIMARY KEY (day, person, model, channel)
  ) STRICT, WITHOUT ROWID;
`;

export const TABLES = `
  ${USAGE}
  CREATE TABLE event (seq INTEGER PRIMARY KEY, session INTEGER NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE TABLE span (session INTEGER NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (session, block)) STRICT, WITHOUT ROWID;

  CREATE TABLE session (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, root TEXT NOT NULL,
    settled INTEGER NOT NULL, wakeAt INTEGER, scope TEXT, place TEXT, todos TEXT NOT NULL, at INTEGER NOT NULL, title TEXT NOT NULL
  ) STRICT;
  CREATE INDEX session_of ON session (root);
  CREATE INDEX session_due ON session (settled, wakeAt, root) WHERE settled = 0 OR wakeAt IS NOT NULL;

  CREATE TABLE received (root INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (root, key)) STRICT, WITHOUT ROWID;

  CREATE TABLE code (
    code TEXT PRIMARY KEY, session INTEGER NOT NULL, call TEXT NOT NULL, digest TEXT NOT NULL, open INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX code_open ON code (session) WHERE open = 1;

  CREATE TABLE ref (
    channel TEXT NOT NULL, message TEXT NOT NULL, session INTEGER NOT NULL, slot TEXT NOT NULL, PRIMARY KEY (channel, message)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE snapshot (
    session INTEGER PRIMARY KEY, seq INTEGER NOT NULL, events INTEGER NOT NULL,
    reducer INTEGER NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL
  ) STRICT;

  CREATE TABLE lease (root TEXT PRIMARY KEY, holder TEXT NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Added with the second form of the file. */
export const MEMORY_TABLES = `
  CREATE TABLE memory (
    n INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, key TEXT NOT NULL UNIQUE, at INTEGER NOT NULL,
    cause TEXT NOT NULL, by TEXT NOT NULL, edits TEXT NOT NULL, made INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX memory_of ON memory (scope, n);
  CREATE INDEX memory_unmade ON memory (scope) WHERE made = 0;
  CREATE TABLE tombstone (
    scope TEXT NOT NULL, mark TEXT NOT NULL, by TEXT NOT NULL, messages TEXT NOT NULL, PRIMARY KEY (scope, mark)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE night (scope TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** The third form tells usage by model and channel as well. */
export const USAGE_WIDENED = `
  ALTER TABLE usage RENAME TO usage2;
  ${USAGE}
  INSERT INTO usage SELECT day, person, '', '', input, output, 0, 0 FROM usage2;
  DROP TABLE usage2;
`;

/** Added with the fifth form: the few events that give a standing permission, found without reading the others. */
export const GIVEN = `body GLOB '{"type":"grant.given"*'`;
export const GIVEN_INDEX = `CREATE INDEX event_given ON event (session) WHERE ${GIVEN};`;

/** Added with the fourth form: when a fact was last used in an answer. */
export const USED_TABLE = `
  CREATE TABLE used (scope TEXT NOT NULL, fact TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (scope, fact)) STRICT, WITHOUT ROWID;
`;
