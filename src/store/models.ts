/**
 * The read models, written in the transaction of the events they tell of.
 *
 * M1. Each says what a fold of the log would say. A row is written only if it changed, or a commit would touch pages for nothing.
 * M2. A code stays with the digest it was given out for; it is open only while its call asks under exactly this code.
 * M3. Usage is charged to the person the root's turn is for, whichever session of the family used it, by UTC day.
 */
import { decisionOf } from "../core/calls.ts";
import type { Event, Todo, Usage } from "../core/event.ts";
import type { CallId } from "../core/id.ts";
import { rest } from "../core/next.ts";
import type { State } from "../core/state.ts";
import type { Connection } from "./file.ts";

/** What is kept of a session beside its state, as it was last written. */
export interface Row {
  settled: boolean;
  wakeAt: number | null;
  opened: boolean;
  todos: readonly Todo[];
  title: string;
}
interface Changed {
  readonly id: number;
  readonly state: State;
  readonly title: string;
  readonly row: Row;
}
export interface Added {
  /** Of the last event. */
  readonly at: number;
  /** A message was among them: then the row tells its time even if it says nothing else new. */
  readonly received: boolean;
}

/** After these a card may no longer be open. */
const CLOSING: ReadonlySet<Event["type"]> = new Set(["approval.decided", "approval.expired", "turn.stopped", "call.finished"]);

export class Models {
  readonly #now: () => number;
  readonly #code;
  readonly #openCodes;
  readonly #closeCode;
  readonly #ref;
  readonly #usage;
  readonly #row;

  constructor(db: Connection, now: () => number) {
    this.#now = now;
    this.#code = db.prepare<[string, number, CallId, string, number]>(
      "INSERT INTO code (code, session, call, digest, open) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    );
    this.#openCodes = db.prepare<[number], { code: string; call: CallId }>("SELECT code, call FROM code WHERE session = ? AND open = 1");
    this.#closeCode = db.prepare<[string]>("UPDATE code SET open = 0 WHERE code = ?");
    this.#ref = db.prepare<[string, string, number, string]>(
      `INSERT INTO ref (channel, message, session, slot) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET session = excluded.session, slot = excluded.slot WHERE session <> excluded.session OR slot <> excluded.slot`,
    );
    this.#usage = db.prepare<[string, string, string, string, number, number, number, number]>(
      `INSERT INTO usage (day, person, model, channel, input, output, cacheRead, cacheWrite) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET input = input + excluded.input, output = output + excluded.output,
       cacheRead = cacheRead + excluded.cacheRead, cacheWrite = cacheWrite + excluded.cacheWrite`,
    );
    this.#row = db.prepare<[number, number | null, string | null, string | null, string, number, string, number]>(
      "UPDATE session SET settled = ?, wakeAt = ?, scope = ?, place = ?, todos = ?, at = ?, title = ? WHERE id = ?",
    );
  }

  /** What one event adds. `state` is the session's after it, `root` its root's. */
  event(id: number, event: Event, state: State, root: State): void {
    switch (event.type) {
      case "session.opened":
        this.#code.run(event.code, id, "", "", 0);
        break;
      case "call.gated":
        if (event.verdict === "ask" || event.verdict === "question") this.#code.run(event.code, id, event.call, event.digest, 1);
        break;
      case "call.asked":
        this.#code.run(event.code, id, event.call, event.digest, 1);
        break;
      case "approval.decided":
        if (event.verdict === "edit") this.#code.run(event.newCode, id, event.call, event.newDigest, 1);
        break;
      case "post.shown":
        this.#ref.run(event.ref.channel, event.ref.message, id, event.slot);
        break;
      case "model.answered":
      case "context.compacted":
      case "tokens.spent":
        if (event.usage) this.#charge(event.at, root, event.usage);
        break;
      default:
        break;
    }
    if (CLOSING.has(event.type)) this.#closeCodes(id, state);
  }

  #closeCodes(id: number, { calls }: State): void {
    for (const { code, call } of this.#openCodes.all(id)) {
      const now = calls.byId[call];
      if (!now || decisionOf(now)?.code !== code) this.#closeCode.run(code);
    }
  }

  #charge(at: number, { talk, opened }: State, { model, input, output, cacheRead, cacheWrite }: Usage): void {
    const channel = opened ? `${opened.place.platform}:${opened.place.channel}` : "";
    const whole = input + cacheRead + cacheWrite;
    this.#usage.run(dayOf(at), talk.by?.id ?? "", model, channel, whole, output, cacheRead, cacheWrite);
  }

  /** The session's own row, after what a transaction added to it; returns the row as it now stands. */
  session({ id, state, title, row }: Changed, { at, received }: Added): Row {
    const { opened, todos } = state;
    const next: Row = { ...rest(state, this.#now()), opened: opened !== undefined, todos, title };
    if (isSame(row, next) && !received) return row;
    const place = opened ? JSON.stringify(opened.place) : null;
    this.#row.run(next.settled ? 1 : 0, next.wakeAt, opened?.scope ?? null, place, JSON.stringify(todos), at, title, id);
    return next;
  }
}

const isSame = (a: Row, b: Row): boolean =>
  a.settled === b.settled && a.wakeAt === b.wakeAt && a.opened === b.opened && a.todos === b.todos && a.title === b.title;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
