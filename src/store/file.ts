/**
 * The file of a journal: looked at first, then opened.
 *
 * F1. A file that is damaged or from a newer version is read only, never written, set aside or begun anew.
 * F2. What a commit acknowledged is on disk: WAL with synchronous=FULL.
 * F3. What is deleted is overwritten, so that words that were retired or erased are in no free page.
 */
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { VERSION } from "../core/event.ts";
import { damaged, fault, newer } from "./fault.ts";
import { FORMAT, GIVEN_INDEX, MEMORY_TABLES, PAGE, TABLES, USAGE_WIDENED, USED_TABLE } from "./schema.ts";

export type Connection = Database.Database;

/** Larger files are not read through at every start (3 ms for each MB): what is damaged in them is found when it is read. */
const CHECKED = 4 * 1024 * 1024;
/** Pages of the log before they are moved into the file. Pages that change often are then moved once for many commits. */
const LOG_PAGES = 4096;
const BUSY = 5_000;

/** Throws a UserError that says what is wrong and what mends it. */
export function connect(path: string): Connection {
  try {
    if (sizeOf(path) > 0) inspect(path);
    else create(path);
    const db = new Database(path, { timeout: BUSY });
    db.pragma(`page_size = ${PAGE}`);
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    db.pragma("secure_delete = ON");
    db.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
    db.transaction(prepare).immediate(db);
    return db;
  } catch (error) {
    throw fault(error, path);
  }
}

/** Only its owner may read it: it holds what was said in private. The database gives its log the same rights. */
function create(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, "a", 0o600));
}

function prepare(db: Connection): void {
  const format = formatOf(db);
  if (format === 0) db.exec(TABLES);
  if (format < 2000) db.exec(MEMORY_TABLES);
  if (format > 0 && format < 3000) db.exec(USAGE_WIDENED);
  if (format < 4000) db.exec(USED_TABLE);
  if (format < 5000) db.exec(GIVEN_INDEX);
  if (format < FORMAT) db.pragma(`user_version = ${FORMAT}`);
}

function inspect(path: string): void {
  const db = new Database(path, { readonly: true, timeout: BUSY });
  try {
    const format = formatOf(db);
    if (format > FORMAT) throw newer(path, `format ${format}; this one reads up to ${FORMAT}`);
    const tables = db.prepare<[], { n: number }>("SELECT count(*) AS n FROM sqlite_schema").get()?.n ?? 0;
    if (format === 0 && tables > 0) throw damaged(path, "it is another program's database");
    if (sizeOf(path) <= CHECKED) {
      const found = db.pragma("quick_check(1)", { simple: true });
      if (found !== "ok") throw damaged(path, String(found));
    }
    if (format === 0) return;
    const last = db.prepare<[], { version: number }>("SELECT version FROM event ORDER BY seq DESC LIMIT 1").get()?.version ?? 0;
    if (last > VERSION) throw newer(path, `event version ${last}; this one reads up to ${VERSION}`);
  } finally {
    db.close();
  }
}

const formatOf = (db: Connection): number => Number(db.pragma("user_version", { simple: true }));
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
