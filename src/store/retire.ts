/**
 * Takes whole conversations out of a journal's file. Runs inside a transaction of the journal.
 *
 * Z1. Decided on the rows as they are now: what has something to do, a decision or a timer open, somebody at it or a newer word stays.
 * Z2. That it happened is an event of the home's own session, so that other processes forget what they keep of it, and the count of
 *     positions never goes back.
 */
import type { Event } from "../core/event.ts";
import { HOME_SESSION, type SessionId } from "../core/id.ts";
import { reduce } from "../core/state.ts";
import type { Connection } from "./file.ts";
import type { Ledger } from "./ledger.ts";

interface Row {
  id: number;
  settled: number;
  wakeAt: number | null;
  at: number;
}
const IN = "(SELECT id FROM session WHERE root = ?)";
const TABLES = ["event", "span", "snapshot", "code", "ref"] as const;

class Retire {
  readonly #family;
  readonly #open;
  readonly #held;
  readonly #drops;
  readonly #received;
  readonly #sessions;

  constructor(db: Connection) {
    this.#family = db.prepare<[SessionId], Row>("SELECT id, settled, wakeAt, at FROM session WHERE root = ?");
    this.#open = db.prepare<[SessionId], { n: number }>(`SELECT count(*) AS n FROM code WHERE open = 1 AND session IN ${IN}`);
    this.#held = db.prepare<[SessionId, number], { n: number }>("SELECT count(*) AS n FROM lease WHERE root = ? AND expires > ?");
    this.#drops = TABLES.map((table) => db.prepare<[SessionId]>(`DELETE FROM ${table} WHERE session IN ${IN}`));
    this.#received = db.prepare<[SessionId]>(`DELETE FROM received WHERE root IN ${IN}`);
    this.#sessions = db.prepare<[SessionId]>("DELETE FROM session WHERE root = ?");
  }

  isOver(root: SessionId, before: number, now: number): boolean {
    const family = this.#family.all(root);
    const still = family.length > 0 && family.every(({ settled, wakeAt, at }) => settled === 1 && wakeAt === null && at < before);
    return still && this.#open.get(root)?.n === 0 && this.#held.get(root, now)?.n === 0;
  }

  drop(root: SessionId): void {
    for (const table of this.#drops) table.run(root);
    this.#received.run(root);
    this.#sessions.run(root);
  }
}

/** The roots of these that are over, taken out with their families. */
export function retiring(db: Connection, ledger: Ledger, now: () => number): (roots: readonly SessionId[], before: number) => SessionId[] {
  const retire = new Retire(db);
  return (roots, before) => {
    const over = roots.filter((root) => root !== HOME_SESSION && !ledger.isTouched(root) && retire.isOver(root, before, now()));
    for (const root of over) {
      retire.drop(root);
      ledger.forget(root);
      const event: Event = { type: "session.retired", at: now(), session: root };
      ledger.append(HOME_SESSION, event, reduce(ledger.state(HOME_SESSION), event));
    }
    return over;
  };
}
