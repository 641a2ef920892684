/**
 * What happened to a home's memory: every change of a fact, written down before it is made, and how far the nights have read.
 * Kept in the journal's file, where erasing a person reaches it.
 */
import type { Event, Usage } from "../event.ts";
import type { SessionId } from "../id.ts";
import type { Scope } from "../scope.ts";
import type { State } from "../state.ts";

/** One line of a MEMORY.md before and after. Null: it is not there. */
export interface FactEdit {
  /** The fact's id. */
  fact: string;
  before: string | null;
  after: string | null;
  /** A sentence for people. */
  why: string;
}
export interface MemoryChange {
  /** Counts up over the whole home. */
  n: number;
  scope: Scope;
  at: number;
  cause: "remember" | "update" | "forget" | "night" | "undo";
  /** Who caused it, platform-qualified; empty for the night, `operator` for one begun by hand. */
  by: string;
  edits: FactEdit[];
}
/** What was forgotten on purpose, without its words: a digest, and the messages it came from (`<session> <id>`). */
export interface Tombstone {
  scope: Scope;
  mark: string;
  by: string;
  messages: string[];
}
export interface PlannedChange extends Omit<MemoryChange, "n"> {
  /** A change is planned once under its key. */
  key: string;
  bury?: Omit<Tombstone, "scope">[];
  /** Marks of tombstones that are no longer meant. */
  lift?: string[];
  /** Everything up to this position of the log counts as read by the nights of the scope. */
  readTo?: number;
}

/** A lasting fact that side work found in a conversation, with the ids of the messages it was said in. */
export interface Finding {
  text: string;
  evidence: string[];
}
/** What the harness asks of a home's memory. Nothing here is believed: each request is judged as if the model had made it by a tool. */
export interface Remembering {
  /** Keeps what was found in a conversation, in its own scope. `key` names this look: repeated, it keeps nothing twice. */
  keep(home: string, session: SessionId, state: State, found: readonly Finding[], key: string): Promise<void>;
  /** What was learned from a message that is deleted goes with it. */
  unsaid(home: string, session: SessionId, message: string): Promise<void>;
  /** Takes one edit of a planned change back; the sentence says why not. */
  undo(
    home: string,
    scope: Scope,
    n: number,
    edit: number,
    by: { id: string; admin: boolean },
  ): Promise<{ ok: true } | { ok: false; why: string }>;
}

/** Whom the tokens of nights are charged to. */
export const NIGHT = "night";

export interface MemoryLog {
  /** Writes a change down, before it is made; undefined: there was one under this key. */
  plan(change: PlannedChange): Promise<number | undefined>;
  /** The change is in its file. */
  made(n: number): Promise<void>;
  /** Planned, and perhaps not made: what a crash may have left. */
  unmade(scope: Scope): Promise<MemoryChange[]>;
  /** The newest first. */
  changes(scopes: readonly Scope[], limit: number): Promise<MemoryChange[]>;
  tombstones(scope: Scope): Promise<Tombstone[]>;
  scopes(): Promise<Scope[]>;
  /** What was said, edited and deleted in a scope's sessions since its nights last read, and the end of the log. */
  news(scope: Scope): Promise<{ events: { seq: number; session: SessionId; event: Event }[]; upTo: number }>;
  readTo(scope: Scope, seq: number): Promise<void>;
  /** When the last night was; null: there was none. */
  lastNight(): Promise<number | null>;
  nightWas(at: number): Promise<void>;
  /** What nights did and nobody was told yet, the oldest first; `told` says up to which change that is done. */
  untold(): Promise<MemoryChange[]>;
  told(n: number): Promise<void>;
  /** Tokens of a night, in the usage of the home under `NIGHT`. */
  charge(at: number, usage: Usage): Promise<void>;
  /** When each fact of a scope was last used in an answer. */
  used(scope: Scope): Promise<ReadonlyMap<string, number>>;
  use(scope: Scope, facts: readonly string[], at: number): Promise<void>;
}
