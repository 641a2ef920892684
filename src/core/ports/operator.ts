/**
 * What the operator's pages show and change, home by home. A member that is left out is not there in this house, and neither is its page.
 *
 * O1. Lists come in pages, the newest first.
 * O2. Nothing here asks who looks: whoever is handed this is the operator. What was said in private is marked, so that opening it can be
 *     asked for and logged by whoever shows it.
 */
import type { Block, Grant, Place, Speaker } from "../event.ts";
import type { CallId, SessionId } from "../id.ts";
import type { Scope } from "../scope.ts";
import type { View } from "../view.ts";
import type { FileDiff } from "./history.ts";
import type { SessionRow, Spent } from "./journal.ts";
import type { MemoryChange } from "./memory.ts";
import type { ToolSpec } from "./model.ts";

export interface Page<T> {
  items: T[];
  /** There are more behind these. */
  more: boolean;
}

/** A home at a glance. */
export interface HomeNow {
  home: string;
  timezone: string;
  /** Undefined: the product's own. */
  model: string | undefined;
  talk: string;
  approve: string;
  admin: string;
  /** What is wrong in it, each in a sentence that says what mends it. */
  problems: string[];
  /** Nothing new is begun in it. */
  paused: boolean;
}

export interface HomeFile {
  /** Below the home, without a leading slash. */
  path: string;
  size: number;
}
/** What a text would mean as this file, without writing it. */
export interface Checked {
  /** Why it would not be used like this, for people; empty if nothing is known to be wrong. */
  problem: string;
  /** What is odd about it, though it would be used. */
  hint: string;
  /** Of the text, where what is wrong or odd is known to be. */
  line?: number;
  /** Against what is there now, as a unified diff; empty if it is the same. */
  diff: string;
}
export interface OpenedFile {
  path: string;
  /** Undefined: it is no text, or too large to be edited here. */
  text: string | undefined;
  size: number;
  /** Names this state of the file: what was edited on another one is not written over it. */
  version: string;
}
export interface OperatorFiles {
  list(home: string): Promise<{ files: HomeFile[]; truncated: boolean }>;
  read(home: string, path: string): Promise<OpenedFile | { error: string }>;
  check(home: string, path: string, text: string): Promise<Checked | { error: string }>;
  /** `version`: of the text that was edited; empty for a file that is new. */
  write(home: string, path: string, text: string, version: string, by: Speaker): Promise<{ ok: true } | { ok: false; why: string }>;
  remove(home: string, path: string, by: Speaker): Promise<{ ok: true } | { ok: false; why: string }>;
}

/** One change of a home, as its history keeps it. */
export interface HomeChange {
  id: string;
  at: number;
  /** Who, in words. */
  by: string;
  /** Why: the first line of its message. */
  cause: string;
  paths: string[];
  /** The conversation and the call it came from, and where people saw it. */
  session?: SessionId;
  call?: CallId;
  link?: string;
}
export interface OperatorHistory {
  changes(home: string, page: number): Promise<Page<HomeChange>>;
  /** Undefined: there is no such change, or it is not kept any more. */
  change(home: string, id: string): Promise<HomeChange | undefined>;
  diff(home: string, id: string): Promise<FileDiff[] | undefined>;
  undo(home: string, id: string, by: Speaker): Promise<{ ok: true } | { ok: false; why: string }>;
}

/** A remembered line; without an origin it is people's own. */
export interface Remembered {
  text: string;
  origin?: { id: string; by: string; at: string; in: string; session: SessionId };
}
/** What one change did to one line. */
export interface MemoryEdit {
  before?: string;
  after?: string;
  /** A sentence for people. */
  why: string;
}
export interface MemoryStep extends Pick<MemoryChange, "n" | "at" | "cause" | "by"> {
  edits: MemoryEdit[];
}
type Done = { ok: true } | { ok: false; why: string };
export interface OperatorMemory {
  /** Scopes in which anything may be remembered, the team's first. */
  scopes(home: string): Promise<Scope[]>;
  read(home: string, scope: Scope): Promise<Remembered[]>;
  changes(home: string, scope: Scope, page: number): Promise<Page<MemoryStep>>;
  /** Takes one edit of a change back, or all of them (null). */
  undo(home: string, scope: Scope, n: number, edit: number | null, by: Speaker): Promise<Done>;
  forget(home: string, scope: Scope, id: string, by: Speaker): Promise<Done>;
  /** A line of people's own: another text for it, a new one (`before` is empty), or none any more (`after` is empty). */
  rewrite(home: string, scope: Scope, before: string, after: string): Promise<Done>;
}

export interface SessionQuery {
  /** In the title, of the team's sessions only. */
  words: string;
  page: number;
}
/** One fact of a session's log, in its order. */
export type LogLine =
  | { kind: "said"; at: number; by: Speaker; text: string; heard: boolean; gone: boolean }
  | { kind: "edited" | "note"; at: number; text: string }
  | { kind: "step"; at: number; turn: number; step: number }
  | {
      kind: "answered";
      at: number;
      turn: number;
      step: number;
      text: string;
      thought: boolean;
      calls: { call: CallId; tool: string; input: string; broken?: string }[];
      usage: { model: string; input: number; output: number; cacheRead: number; cacheWrite: number };
      /** From the opening of the step, in ms. */
      took: number | undefined;
    }
  | { kind: "asked"; at: number; call: CallId; label: string; verdict: string; reason: string; deciders: string }
  | { kind: "decided"; at: number; call: CallId; by: string; how: string; text: string }
  | { kind: "result"; at: number; call: CallId; text: string; failed: boolean; took: number | undefined }
  | { kind: "sent"; at: number; slot: string; ok: boolean; text: string; link?: string }
  | { kind: "failed"; at: number; text: string }
  | { kind: "ended"; at: number; turn: number; how: string; text: string };

export interface SessionLog {
  row: SessionRow;
  /** Helpers that worked for it. */
  helpers: SessionId[];
  lines: LogLine[];
  /** Lines before and behind these. */
  page: number;
  pages: number;
  /** Tokens of the whole session. */
  used: { input: number; output: number };
  grants: readonly Grant[];
  /** What waits for a decision in it and in its helpers. */
  pending: Pending[];
  /** What its Stop button carries, while there is something to stop. */
  stop?: string;
  /** Grows with everything that happens in it. */
  seen: number;
}
/** What the model is sent before the conversation itself. */
export interface Offered {
  model: string;
  system: string[];
  tools: ToolSpec[];
}
/** What the model was sent in one step. The messages follow from the log, and are made from it again. */
export interface SentStep {
  row: SessionRow;
  turn: number;
  step: number;
  /** Kept as it was sent; or, where it is not kept any more, as it would be sent now. Undefined: that cannot be told either. */
  offered: (Offered & { kept: boolean }) | undefined;
  messages: { role: "user" | "assistant"; content: Block[] }[];
}

export interface Pending {
  home: string;
  session: SessionId;
  call: CallId;
  scope: Scope;
  place: Place;
  title: string;
  since: number | null;
  view: View;
  link?: string;
}
export interface Silence {
  place: Place;
  private: boolean;
  /** The newest first. */
  lines: string[];
}
export interface ServerNow {
  home: string;
  server: string;
  ok: boolean;
  detail: string;
  /** Its tools that cannot be offered, and why. */
  unfit: readonly { label: string; why: string }[];
}
/** Tokens of a day with what they may have cost, in dollars; null where no price is known. */
export type Cost = Spent & { home: string; cost: number | null };

export interface Operator {
  names(): Promise<string[]>;
  homes(names: readonly string[]): Promise<HomeNow[]>;
  /** How many decisions wait in a home. */
  waiting(home: string): Promise<number>;
  files: OperatorFiles;
  history?: OperatorHistory;
  memory?: OperatorMemory;
  sessions(home: string, query: SessionQuery): Promise<Page<SessionRow>>;
  /** `call`: the page on which this call was made. */
  session(home: string, session: SessionId, page: number, call?: CallId): Promise<SessionLog | undefined>;
  /** How far a session has come since it was `seen`; undefined: there is no such session. */
  seen(home: string, session: SessionId, since: number): Promise<number | undefined>;
  sent(home: string, session: SessionId, turn: number, step: number): Promise<SentStep | undefined>;
  approvals(home: string): Promise<Pending[]>;
  todos(home: string, page: number): Promise<Page<SessionRow>>;
  grants(home: string): Promise<{ session: SessionId; grant: Grant; row: SessionRow | undefined }[]>;
  revoke(home: string, session: SessionId, id: string, by: Speaker): Promise<{ ok: true } | { ok: false; why: string }>;
  usage(homes: readonly string[], days: number): Promise<Cost[]>;
  why?(home: string): Promise<Silence[]>;
  servers?(home: string): ServerNow[];
}
