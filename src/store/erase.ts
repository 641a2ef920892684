/**
 * Erases a person from a journal's file: rewrites its events and everything made from them, then the file itself.
 *
 * X1. Nobody else has the file open meanwhile: what another process keeps in memory would be written again.
 * X2. All or nothing: the events, the read models and the memory's history are rewritten in one transaction.
 * X3. Afterwards the bytes are gone: overwritten when deleted, the file made anew, the log emptied, the index of words removed.
 */
import { existsSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { type Event, upcast } from "../core/event.ts";
import type { Bears } from "../core/file.ts";
import { rootOf, type SessionId } from "../core/id.ts";
import { type FactEdit, UserError } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { INITIAL, reduce } from "../core/state.ts";
import { fault, isStorage } from "./fault.ts";
import { redacted, type Wanted, wantedOf } from "./redact.ts";
import { FORMAT } from "./schema.ts";
import { retitled } from "./title.ts";

export interface ErasedJournal {
  wanted: Wanted;
  /** Roots in which the person spoke, by scope. */
  touched: { root: SessionId; scope: Scope }[];
  events: number;
  changes: number;
}
/** What else is known of the person's words: facts from and about them, with the mark that keeps them from being learned again. */
export interface Known {
  words: string[];
  /** Whether an edit of memory tells of the person, by its lines. */
  tells(edit: FactEdit): boolean;
  /** The facts in the lines of an edit. */
  factsIn(edit: FactEdit): string[];
  tombstones: { scope: Scope; mark: string }[];
}
type Connection = Database.Database;
interface Row {
  seq: number;
  session: number;
  name: SessionId;
  version: number;
  body: string;
}

/** `before` does what has to be done elsewhere with the person's words, while nobody else can open the file and these are still in it. */
export async function eraseFromJournal(
  path: string,
  person: string,
  known: Known,
  before: (found: Pick<ErasedJournal, "wanted" | "touched">) => Promise<void>,
): Promise<ErasedJournal> {
  if (!existsSync(path)) throw new UserError(`There is no journal ${path}.`);
  const db = new Database(path, { timeout: 500 });
  try {
    // In this mode SQLite takes the whole file for itself, which nobody else may have open.
    db.pragma("locking_mode = EXCLUSIVE");
    db.exec("BEGIN EXCLUSIVE; COMMIT");
    const format = Number(db.pragma("user_version", { simple: true }));
    if (format !== FORMAT)
      throw new UserError("This journal has the form of another version. Start the product once, stop it, and try again.");
    db.pragma("secure_delete = ON");
    const found = look(db, person, known);
    await before(found);
    const erased = db.transaction((): ErasedJournal => ({ ...found, ...rewrite(db, found, known) }))();
    for (const end of [".search", ".search-wal", ".search-shm"]) rmSync(`${path}${end}`, { force: true });
    db.exec("VACUUM");
    db.pragma("wal_checkpoint(TRUNCATE)");
    return erased;
  } catch (error) {
    if (isStorage(error) && error.code.startsWith("SQLITE_BUSY"))
      throw new UserError("The product is running on this home, or another job is. Stop it, then erase; nothing was changed.");
    throw fault(error, path);
  } finally {
    db.close();
  }
}

interface Looked {
  sessions: Map<SessionId, Read[]>;
  spoke: Map<SessionId, number>;
  wanted: Wanted;
  touched: ErasedJournal["touched"];
}

function look(db: Connection, person: string, known: Known): Looked {
  const sessions = sessionsIn(db);
  const spoke = firstWords(sessions, person);
  const said = [...sessions.values()].map((rows) => wordsOf(rows, person));
  const words = [...said.flatMap(({ own }) => own), ...factsOf(db, known)];
  const others = said.flatMap((each) => each.others);
  const scopeOf = db.prepare<[string], { scope: Scope }>("SELECT scope FROM session WHERE name = ?");
  const touched = [...spoke.keys()].map((root) => ({ root, scope: scopeOf.get(root)?.scope ?? "team" }));
  return { sessions, spoke, wanted: wantedOf(person, [...words, ...known.words], others, namesOf(sessions, person)), touched };
}

function rewrite(db: Connection, { sessions, spoke, wanted }: Looked, known: Known): Pick<ErasedJournal, "events" | "changes"> {
  const { person } = wanted;
  const update = db.prepare<[string, number]>("UPDATE event SET body = ? WHERE seq = ?");
  let events = 0;
  for (const [name, rows] of sessions) {
    const from = spoke.get(rootOf(name)) ?? Number.MAX_SAFE_INTEGER;
    const own = ownMessages(rows, person);
    const after = rows.map((row) => redacted(row.event, wanted, row.seq >= from, own));
    rows.forEach((row, index) => {
      const body = JSON.stringify(after[index]);
      if (body === row.body) return;
      update.run(body, row.seq);
      events++;
    });
    describe(db, name, after, wanted);
  }
  db.exec("DELETE FROM snapshot");
  db.prepare("UPDATE received SET key = replace(key, ?, ?) WHERE instr(key, ?) > 0").run(person, wanted.alias, person);
  db.prepare("UPDATE usage SET person = ? WHERE person = ?").run(wanted.alias, person);
  return { events, changes: eraseMemory(db, wanted, known) };
}

interface Read extends Row {
  event: Event;
}
function sessionsIn(db: Connection): Map<SessionId, Read[]> {
  const rows = db
    .prepare<[], Row>("SELECT seq, session, name, version, body FROM event JOIN session ON session.id = event.session ORDER BY seq")
    .all();
  const sessions = new Map<SessionId, Read[]>();
  for (const row of rows) {
    const of = sessions.get(row.name) ?? [];
    of.push({ ...row, event: upcast(row.version, JSON.parse(row.body)) });
    sessions.set(row.name, of);
  }
  return sessions;
}

/** Where in the log the person first spoke, by root: helpers below it were told of it. */
function firstWords(sessions: Map<SessionId, Read[]>, person: string): Map<SessionId, number> {
  const found = new Map<SessionId, number>();
  for (const [name, rows] of sessions) {
    const first = rows.find(
      ({ event }) => "by" in event && typeof event.by === "object" && event.by.id === person && event.type !== "turn.stopped",
    );
    if (first) found.set(rootOf(name), Math.min(first.seq, found.get(rootOf(name)) ?? first.seq));
  }
  return found;
}

function ownMessages(rows: readonly Read[], person: string): Set<string> {
  return new Set(rows.flatMap(({ event }) => (event.type === "message.received" && event.by.id === person ? [event.id] : [])));
}

/** The names they had when they spoke or decided. */
function namesOf(sessions: Map<SessionId, Read[]>, person: string): Set<string> {
  const events = [...sessions.values()].flat().map(({ event }) => event);
  return new Set(
    events.flatMap((event) =>
      "by" in event && typeof event.by === "object" && event.by.id === person && event.by.name ? [event.by.name] : [],
    ),
  );
}

/** What the person wrote, and what everybody else did. */
function wordsOf(rows: readonly Read[], person: string): { own: string[]; others: string[] } {
  const messages = ownMessages(rows, person);
  const all = rows.flatMap(({ event }): { mine: boolean; text: string }[] => {
    if (event.type === "message.received")
      return event.by.kind === "system" ? [] : [{ mine: event.by.id === person, text: wordsWith(event.text, event.files) }];
    if (event.type === "message.edited") return [{ mine: messages.has(event.id), text: event.text }];
    return event.type === "approval.decided" && event.verdict === "answer" ? [{ mine: event.by.id === person, text: event.text }] : [];
  });
  const of = (mine: boolean) => all.filter((each) => each.mine === mine).map(({ text }) => text);
  return { own: of(true), others: of(false) };
}

/** The names of files are words as well. */
const wordsWith = (text: string, files: Bears["files"] = []): string => [text, ...files.map(({ name }) => name)].join("\n");

/** Facts that tell of the person, as the history of memory has them: also what was forgotten since. */
function factsOf(db: Connection, known: Known): string[] {
  const rows = db.prepare<[], { edits: string }>("SELECT edits FROM memory").all();
  const edits = rows.flatMap(({ edits: all }) => JSON.parse(all) as FactEdit[]);
  return edits.filter(known.tells).flatMap(known.factsIn);
}

/** The session's row, as its events now tell it. */
function describe(db: Connection, name: SessionId, events: readonly Event[], { clean }: Wanted): void {
  let state = INITIAL;
  let title = "";
  for (const event of events) {
    const next = reduce(state, event);
    title = retitled(title, state, event, next);
    state = next;
  }
  const place = state.opened ? JSON.stringify(state.opened.place) : null;
  db.prepare("UPDATE session SET scope = ?, place = ?, todos = ?, title = ? WHERE name = ?").run(
    state.opened?.scope ?? null,
    place,
    JSON.stringify(state.todos),
    clean(title),
    name,
  );
}

/** The history of memory without what tells of the person, so that nothing of it can be taken back. */
function eraseMemory(db: Connection, { person, alias, clean }: Wanted, known: Known): number {
  const rows = db.prepare<[], { n: number; scope: Scope; by: string; edits: string }>("SELECT n, scope, by, edits FROM memory").all();
  const write = db.prepare("UPDATE memory SET scope = ?, by = ?, edits = ?, key = replace(key, ?, ?) WHERE n = ?");
  const drop = db.prepare("DELETE FROM memory WHERE n = ?");
  let changes = 0;
  for (const { n, scope, by, edits } of rows) {
    const all = JSON.parse(edits) as FactEdit[];
    const left = all.filter((edit) => !known.tells(edit) && clean(JSON.stringify(edit)) === JSON.stringify(edit));
    if (left.length < all.length) changes++;
    if (left.length === 0) drop.run(n);
    else write.run(clean(scope), by === person ? alias : by, JSON.stringify(left), person, alias, n);
  }
  db.prepare("UPDATE tombstone SET by = ? WHERE by = ?").run(alias, person);
  db.prepare("DELETE FROM used WHERE scope = ?").run(`person:${person}`);
  const bury = db.prepare("INSERT OR REPLACE INTO tombstone (scope, mark, by, messages) VALUES (?, ?, ?, '[]')");
  for (const { scope, mark } of known.tombstones) bury.run(clean(scope), mark, alias);
  db.prepare("UPDATE night SET scope = ? WHERE scope = ?").run(`person:${alias}`, `person:${person}`);
  return changes;
}
