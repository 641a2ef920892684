/** Questions to the read models. Nothing here writes. */
import type { Place, Ref, Todo } from "../core/event.ts";
import type { SessionId, SlotKey } from "../core/id.ts";
import type { ApprovalRow, Journal, SessionRow, Spent } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import type { Connection } from "./file.ts";
import { GIVEN } from "./schema.ts";

interface Stored {
  session: SessionId;
  settled: number;
  wakeAt: number | null;
  scope: Scope;
  place: string;
  todos: string;
  at: number;
  title: string;
}
const COLUMNS = "name AS session, settled, wakeAt, scope, place, todos, at, title FROM session WHERE scope IS NOT NULL";
const APPROVAL = "SELECT code, name AS session, call, digest FROM code JOIN session ON session.id = code.session";

export class Rows {
  readonly #session;
  readonly #sessions;
  readonly #due;
  readonly #byCode;
  readonly #open;
  readonly #byRef;
  readonly #granted;
  readonly #usage;
  readonly #spent;

  constructor(db: Connection) {
    this.#session = db.prepare<[SessionId], Stored>(`SELECT ${COLUMNS} AND name = ?`);
    this.#sessions = db.prepare<[string | null, string | null, string | null, string | null, number, number], Stored>(
      `SELECT ${COLUMNS} AND name = root AND (? IS NULL OR scope IN (SELECT value FROM json_each(?)))
       AND (? IS NULL OR instr(lower(title), lower(?)) > 0) ORDER BY at DESC, id DESC LIMIT ? OFFSET ?`,
    );
    this.#due = db.prepare<[], { root: SessionId; settled: number; wakeAt: number | null }>(
      "SELECT root, settled, wakeAt FROM session WHERE settled = 0 OR wakeAt IS NOT NULL ORDER BY settled, wakeAt, root",
    );
    this.#byCode = db.prepare<[string], ApprovalRow>(`${APPROVAL} WHERE code = ?`);
    this.#open = db.prepare<[], ApprovalRow>(`${APPROVAL} WHERE open = 1 ORDER BY session.id, call`);
    this.#byRef = db.prepare<[string, string], { session: SessionId; slot: SlotKey }>(
      "SELECT name AS session, slot FROM ref JOIN session ON session.id = ref.session WHERE channel = ? AND message = ?",
    );
    this.#granted = db.prepare<[], { name: SessionId }>(
      `SELECT DISTINCT name FROM event JOIN session ON session.id = event.session WHERE ${GIVEN}`,
    );
    this.#usage = db.prepare<[string, string | null, string | null], { person: string; input: number; output: number }>(
      `SELECT person, sum(input) AS input, sum(output) AS output FROM usage
       WHERE day = ? AND (? IS NULL OR person = ?) GROUP BY person ORDER BY person`,
    );
    this.#spent = db.prepare<[string, string], Spent>("SELECT * FROM usage WHERE day BETWEEN ? AND ? ORDER BY day, person, model, channel");
  }

  session(session: SessionId): SessionRow | undefined {
    const row = this.#session.get(session);
    return row && shaped(row);
  }

  /** Roots, the latest first. */
  sessions({ scopes, words = "", limit, skip = 0 }: NonNullable<Parameters<Journal["sessions"]>[0]>): SessionRow[] {
    const wanted = scopes ? JSON.stringify(scopes) : null;
    return this.#sessions.all(wanted, wanted, words || null, words, limit ?? -1, skip).map(shaped);
  }

  unsettled(now: number): { roots: SessionId[]; next: number | null } {
    const rows = this.#due.all();
    const due = rows.filter(({ settled, wakeAt }) => settled === 0 || (wakeAt !== null && wakeAt <= now));
    const later = rows.flatMap(({ wakeAt }) => (wakeAt !== null && wakeAt > now ? [wakeAt] : []));
    return { roots: [...new Set(due.map(({ root }) => root))], next: later.length > 0 ? Math.min(...later) : null };
  }

  byCode(code: string): ApprovalRow | undefined {
    return this.#byCode.get(code);
  }

  approvals(): ApprovalRow[] {
    return this.#open.all();
  }

  byRef({ channel, message }: Ref): { session: SessionId; slot: SlotKey } | undefined {
    return this.#byRef.get(channel, message);
  }

  granted(): SessionId[] {
    return this.#granted.all().map(({ name }) => name);
  }

  usage(day: string, person: string | undefined): { person: string; input: number; output: number }[] {
    return this.#usage.all(day, person ?? null, person ?? null);
  }

  spent(from: string, to: string): Spent[] {
    return this.#spent.all(from, to);
  }
}

const shaped = ({ settled, place, todos, ...row }: Stored): SessionRow => ({
  ...row,
  settled: settled === 1,
  place: JSON.parse(place) as Place,
  todos: JSON.parse(todos) as Todo[],
});
