/** The journal of a home: the event log, its fold, and the read models kept with it. */
import type { Event, Grant, Place, Received, Ref, Todo } from "../event.ts";
import type { CallId, SessionId, SlotKey } from "../id.ts";
import type { Scope } from "../scope.ts";
import type { State } from "../state.ts";
import type { MemoryLog } from "./memory.ts";

/** The right to write to a root session and its helpers. Lost when it is not renewed in time. */
export interface Lease {
  root: SessionId;
  holder: string;
}
export type Write = readonly [SessionId, readonly Event[]];

/** Facts about a session that is begun by what is received. Used only if the session is not there yet. */
export type Opening = Omit<Extract<Received, { type: "session.opened" }>, "type" | "at">;

export interface Receipt {
  /** False: this key was received before, or the event changed nothing. */
  fresh: boolean;
  /** The sessions it was written to (a stop reaches helpers; a reply may answer a helper's question). Empty if it was not fresh. */
  sessions: SessionId[];
}

export interface SessionRow {
  session: SessionId;
  settled: boolean;
  wakeAt: number | null;
  scope: Scope;
  place: Place;
  todos: Todo[];
  /** Time of the last event. */
  at: number;
  title: string;
}

/** Tokens of a day. `input` counts what came from and went into the cache as well. */
export interface Spent {
  day: string;
  person: string;
  model: string;
  /** Platform-qualified. */
  channel: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Something that was said. */
export interface Found {
  session: SessionId;
  place: Place;
  title: string;
  at: number;
  /** Who said it, by the name they called themselves; empty: the agent. */
  by: string;
  text: string;
  /** The platform's id of the message; an answer of the agent has none. */
  message?: string;
}

export interface ApprovalRow {
  code: string;
  session: SessionId;
  call: CallId;
  digest: string;
}

/**
 * One home's journal: the event log, its fold, and the read models kept in the same transaction.
 * `receive` is unconditional and idempotent by key; `record` is all or nothing, refused when the lease is lost or an event no longer
 * applies to the state as it is in that transaction.
 */
export interface Journal {
  /**
   * Takes what happened outside. Where it is written is decided by the core's `deliver`, inside the transaction. Resolves once durable.
   * `also`: grants written in the same transaction to the named sessions, only if the event itself was taken.
   */
  receive(
    session: SessionId,
    key: string,
    event: Received,
    opening?: Opening,
    also?: readonly (readonly [SessionId, Received])[],
  ): Promise<Receipt>;
  /** Undefined while another process holds the root. */
  lease(root: SessionId): Promise<Lease | undefined>;
  release(lease: Lease): Promise<void>;
  record(lease: Lease, writes: readonly Write[]): Promise<boolean>;
  /** The state as it is in this turn of the event loop, with everything received by any process before it. The initial state if the session is unknown. */
  state(session: SessionId): Promise<State>;
  /** A root and its helpers that were ever opened. */
  family(root: SessionId): Promise<SessionId[]>;
  /** Events in order, from a position (0: all). For rendering, search and the night; never for resuming. */
  events(session: SessionId, from?: number): Promise<{ seq: number; event: Event }[]>;
  /** Roots that other processes wrote to since this was last asked. Cheap when there are none: the harness polls it to wake what it holds. */
  foreign(): Promise<SessionId[]>;
  /** Roots with something to do now, or whose time has come by `now`; and the earliest later time. */
  unsettled(now: number): Promise<{ roots: SessionId[]; next: number | null }>;
  /** `words`: in the title, whatever their case. */
  sessions(filter?: { scopes?: readonly Scope[]; words?: string; limit?: number; skip?: number }): Promise<SessionRow[]>;
  session(session: SessionId): Promise<SessionRow | undefined>;
  /** By the code of a card, now or earlier, or of a session (then `call` is empty). */
  byCode(code: string): Promise<ApprovalRow | undefined>;
  byRef(ref: Ref): Promise<{ session: SessionId; slot: SlotKey } | undefined>;
  /** Open approvals and questions of the home. */
  approvals(): Promise<ApprovalRow[]>;
  /** Standing grants of a session and of the home. */
  grants(session: SessionId): Promise<{ session: SessionId; grant: Grant }[]>;
  /** Sessions in which somebody allowed something for good, whether or not that still stands. */
  granted(): Promise<SessionId[]>;
  usage(day: string, person?: string): Promise<{ person: string; input: number; output: number }[]>;
  /** What the days from one to another (inclusive) used, by person, model and channel. */
  spent(from: string, to: string): Promise<Spent[]>;
  /** What people and the agent said in these scopes, found by its words, the newest first. Helpers' sessions are not looked at. */
  search(query: string, scopes: readonly Scope[], limit: number): Promise<Found[]>;
  /**
   * Takes conversations out for good, with their helpers and everything made from them; the bytes are overwritten. Left alone are those
   * with something to do, a decision or a timer open, a holder, or a word since `before`. Returns the roots that are gone.
   */
  retire(roots: readonly SessionId[], before: number): Promise<SessionId[]>;
  /** What happened to the home's memory. */
  readonly memory: MemoryLog;
  close(): Promise<void>;
}
