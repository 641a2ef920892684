/**
 * The tables of a journal. `event` is the truth; everything else can be made again from it, but for `received`, `lease` and the snapshots.
 *
 * T1. `event.seq` is one count over the whole file, and grows: what another process wrote is whatever lies behind the last one seen.
 * T2. Nothing here is written once per event but `event` itself: each page a commit touches is written twice, to the log and to the file.
 */
import { VERSION } from "../core/event.ts";

const SCHEMA = 1;

/** Kept in the file's header: a journal with a larger one was written by a newer version. */
export const FORMAT = SCHEMA * 1000 + VERSION;

/** Small: a commit adds a few hundred bytes, and whole pages are written. Measured per commit in a turn with a tool: 512 bytes 2.2 KB, 1,024 3.1 KB, 4,096 8.2 KB. */
export const PAGE = 512;

export const TABLES = `
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

  CREATE TABLE usage (
    day TEXT NOT NULL, person TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, PRIMARY KEY (day, person)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE snapshot (
    session INTEGER PRIMARY KEY, seq INTEGER NOT NULL, events INTEGER NOT NULL,
    reducer INTEGER NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL
  ) STRICT;

  CREATE TABLE lease (root TEXT PRIMARY KEY, holder TEXT NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;
