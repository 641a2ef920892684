/**
 * What the core and the harness need from outside, and what they offer to it. Every room behind a port has one contract suite.
 *
 * Nothing here throws for what can be expected: outcomes are values. What is thrown is a bug.
 */
import type { Block, Event, Grant, Json, JsonObject, Place, Received, Recorded, Ref, Result, Speaker, Todo, Usage } from "./event.ts";
import type { CallId, SessionId, SlotKey } from "./id.ts";
import type { ChannelKind, Scope } from "./scope.ts";
import type { Slot } from "./slots.ts";
import type { State } from "./state.ts";
import type { Act, Form, View } from "./view.ts";

// ---- journal --------------------------------------------------------------------------------------------------------

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
  /** The state as it is now, with everything received by any process. The initial state if the session is unknown. */
  state(session: SessionId): Promise<State>;
  /** A root and its helpers that were ever opened. */
  family(root: SessionId): Promise<SessionId[]>;
  /** Events in order, from a position (0: all). For rendering, search and the night; never for resuming. */
  events(session: SessionId, from?: number): Promise<{ seq: number; event: Event }[]>;
  /** Roots that other processes wrote to since this was last asked. Cheap when there are none: the harness polls it to wake what it holds. */
  foreign(): Promise<SessionId[]>;
  /** Roots with something to do now, or whose time has come by `now`; and the earliest later time. */
  unsettled(now: number): Promise<{ roots: SessionId[]; next: number | null }>;
  sessions(filter?: { scopes?: readonly Scope[]; limit?: number }): Promise<SessionRow[]>;
  session(session: SessionId): Promise<SessionRow | undefined>;
  /** By the code of a card, now or earlier, or of a session (then `call` is empty). */
  byCode(code: string): Promise<ApprovalRow | undefined>;
  byRef(ref: Ref): Promise<{ session: SessionId; slot: SlotKey } | undefined>;
  /** Open approvals and questions of the home. */
  approvals(): Promise<ApprovalRow[]>;
  /** Standing grants of a session and of the home. */
  grants(session: SessionId): Promise<{ session: SessionId; grant: Grant }[]>;
  usage(day: string, person?: string): Promise<{ person: string; input: number; output: number }[]>;
  close(): Promise<void>;
}

// ---- model ----------------------------------------------------------------------------------------------------------

export interface ToolSpec {
  name: string;
  description: string;
  schema: JsonObject;
}
export type Message = { role: "user" | "assistant"; content: Block[] };

export interface Request {
  model: string;
  /** System prompt parts, the most stable first. `cache`: a breakpoint after this part. At most two are marked. */
  system: { text: string; cache?: boolean }[];
  messages: Message[];
  /** Empty for side work. */
  tools: ToolSpec[];
  maxTokens: number;
  /** A JSON schema the answer must have; only for side work. */
  format?: JsonObject;
}
export type Delta = { kind: "text"; text: string } | { kind: "thinking" } | { kind: "tool"; name: string };

export type Answer =
  | {
      ok: true;
      /** As the provider sent it, thinking included; calls are told by `calls`, in the order of their `tool_use` blocks. */
      content: Block[];
      calls: { tool: string; input: JsonObject; broken?: string }[];
      stop: "end" | "calls" | "length" | "refusal" | "overflow" | "paused" | "other";
      usage: Usage;
      /** With `refusal`: the provider's words, if any. */
      why?: string;
    }
  | {
      ok: false;
      /** `retry`: overload, rate limit, a cut or stalled stream. The others need a person. */
      kind: "retry" | "overflow" | "auth" | "billing" | "invalid" | "too_large" | "aborted";
      /** A sentence for logs, scrubbed. */
      detail: string;
      /** Not before, in ms from now, where the provider said so. */
      retryAfter?: number;
    };

export interface Model {
  /** `anthropic` or `offline`; the latter is shown to people. */
  readonly kind: string;
  readonly name: string;
  /** Input tokens the named model takes; undefined if unknown. */
  window(model: string): number | undefined;
  /** Never rejects. A partial answer is never returned. Retries nothing by itself. */
  answer(request: Request, onDelta: (delta: Delta) => void, signal: AbortSignal): Promise<Answer>;
}

// ---- tools ----------------------------------------------------------------------------------------------------------

export interface ToolContext {
  home: string;
  session: SessionId;
  call: CallId;
  scope: Scope;
  place: Place;
  /** Who the turn is for. */
  by: Speaker;
  /** From before this run was recorded as started: a call with `starts` in it was begun by a process that died. */
  state: State;
  now: number;
  signal: AbortSignal;
}

/** What a tool did: its result for the model, and facts to be recorded with it. */
export interface Outcome extends Result {
  events?: Recorded[];
}

/** One tool as it is offered in a step. Looked up once per run: what was compared is what runs. */
export interface Tool extends ToolSpec {
  /** For policy and people: `name`, or `server/tool`. */
  label: string;
  /** Digest over definition and server entry. */
  digest: string;
  /** The input brought into shape (numbers sent as strings accepted), or what is wrong with it in a sentence for the model. */
  parse(input: JsonObject): { ok: true; input: JsonObject } | { ok: false; error: string };
  /** May run again after a crash in the middle. */
  repeatable: boolean;
  /** What the product itself says without policy: `ask` is lifted only by `interruptOn: false`, `admin` by nothing. */
  risk(input: JsonObject, scope: Scope): "none" | "ask" | "admin";
  /** The class of an input a standing grant would bind; null: this input can never be granted. */
  subject(input: JsonObject): string | null;
  /** A question for people instead of a run. */
  question?(input: JsonObject): { text: string; options: string[] };
  helper?: boolean;
  /** Larger results are kept whole: they page themselves. */
  paging?: boolean;
  run(input: JsonObject, context: ToolContext): Promise<Outcome>;
}

// ---- hooks ----------------------------------------------------------------------------------------------------------

/** What a hook may look at. It never holds the session. */
export interface Moment {
  home: string;
  session: SessionId;
  scope: Scope;
  place: Place;
  by: Speaker;
  state: State;
  now: number;
  signal: AbortSignal;
}
/** The system prompt's order, the most stable first. */
export const RANKS = ["rules", "character", "knowledge", "tools", "skills", "helpers", "memory"] as const;
export type Rank = (typeof RANKS)[number];

export interface Offer {
  /** Parts of the system prompt; put in the order of `RANKS`, within a rank in the hooks' order. */
  system?: { rank: Rank; text: string }[];
  tools?: Tool[];
  /** Said to people once, privately or in the thread: a broken file, a server that does not start. */
  warnings?: string[];
}
export interface Gate {
  verdict: "allow" | "ask" | "deny";
  reason?: string;
  quorum?: number;
  expires?: number | null;
  offers?: ("approve" | "edit" | "deny" | "thread" | "always")[];
  /** Whose decision it is; see `Verdict`. */
  level?: "approve" | "admin";
  notBy?: string | null;
  deciders?: string;
  risky?: boolean;
  grant?: { session: SessionId; id: string };
}
/** Five points, any of them. Hooks return values; a preActing that throws means deny. */
export interface Hook {
  name: string;
  preCall?(moment: Moment): Promise<{ notes?: string[] } | undefined>;
  preReasoning?(moment: Moment): Promise<Offer | undefined>;
  preActing?(moment: Moment, tool: Tool, input: JsonObject): Promise<Gate | undefined>;
  postActing?(moment: Moment, tool: Tool | undefined, call: CallId, result: Result): Promise<Result | undefined>;
  postCall?(moment: Moment): Promise<{ notes?: string[] } | undefined>;
}

// ---- platforms ------------------------------------------------------------------------------------------------------

export type Posted =
  | { ok: true; ref: Ref }
  /** `unsure`: it may have arrived (a timeout, a cut). Else certainly not; `retryIn` ms, or null: never try again. */
  | { ok: false; unsure: boolean; retryIn: number | null; reason: string };

/** What goes on in a session at this moment. Best effort, never journaled; the adapter owns and throttles it. */
export interface Live {
  phase: "thinking" | "working" | "waiting" | "idle";
  /** The answer as far as it has been written. */
  draft: string;
  /** The progress slot's view, and its message if it stands. */
  progress?: { view: View; ref: Ref };
}

/** Facts about a person in a place, resolved live by the platform's adapter. */
export interface Standing {
  /** Full member of the team. */
  member: boolean;
  guest: boolean;
  external: boolean;
  owner: boolean;
  bot: boolean;
  /** `slack:group:S1`, `discord:role:1`. */
  groups: string[];
}

/** What a platform can do for a session. Clients behind it retry nothing by themselves. */
export interface Platform {
  readonly name: string;
  /** Longest text of one answer message. */
  readonly partLimit: number;
  post(place: Place, slot: Slot, key: string, mark: boolean): Promise<Posted>;
  edit(place: Place, ref: Ref, slot: Slot): Promise<Posted>;
  hide(place: Place, ref: Ref): Promise<Posted>;
  /** Looks for a post in doubt by its key. `unknown`: could not look. */
  find(place: Place, key: string): Promise<{ found: Ref } | "absent" | "unknown">;
  live(session: SessionId, place: Place, live: Live): void;
  /** Visible to this person only. */
  whisper(place: Place, person: string, view: View): Promise<void>;
  standing(place: Place, person: string): Promise<Standing>;
  /** A link to a message, for lists and memory. */
  link(ref: Ref): string | undefined;
}

/** A platform's connection: started by main, reports its health. */
export interface Adapter extends Platform {
  /** Resolves once connected. Rejects with a UserError whose text says what to mend. */
  start(inbox: Inbox): Promise<void>;
  /** Takes no more events; resolves when those under way are acknowledged. */
  stop(): Promise<void>;
  health(): { ok: boolean; detail: string };
}

// ---- inbox ----------------------------------------------------------------------------------------------------------

/** A message as a platform tells it, in neutral words. Adapters judge nothing: `route` does. */
export interface Incoming {
  place: Place;
  channel: ChannelKind;
  /** Shared with other organisations. */
  shared: boolean;
  /** The platform's id of the message; the session's thread is `place.thread ?? id`. */
  id: string;
  by: Speaker;
  text: string;
  /** Names the bot. */
  mentioned: boolean;
  /** Names somebody else at its beginning. */
  toOthers: boolean;
  /** Written by this bot. */
  own: boolean;
  at: number;
}

export type Reply =
  /** Nothing to say. */
  | { to: "nobody" }
  /** For the person who pressed or asked, only. */
  | { to: "asker"; view: View }
  | { to: "all"; view: View }
  | { to: "asker"; form: Form; act: Act; code: string };

export interface Click {
  platform: string;
  act: Act;
  code: string;
  by: Speaker;
  place: Place;
  /** Values of a submitted form, by field id. Absent when a button was pressed. */
  values?: Record<string, string>;
  at: number;
}
export interface Command {
  place: Place;
  channel: ChannelKind;
  shared: boolean;
  by: Speaker;
  /** Without slash; `todos`, `memory search X`. */
  text: string;
  at: number;
}

/**
 * The way in for adapters. Each call resolves once what it took is durable: only then may the platform be told that we have it.
 * Wakes the session afterwards, without being waited for.
 */
export interface Inbox {
  message(incoming: Incoming): Promise<{ taken: boolean; session?: SessionId; reason: string; reply?: Reply }>;
  edited(place: Place, id: string, rev: number, text: string, at: number): Promise<void>;
  deleted(place: Place, id: string, at: number): Promise<void>;
  click(click: Click): Promise<Reply>;
  command(command: Command): Promise<Reply>;
  /** A label that never lies: `offline model`, or nothing. */
  notice(): string | undefined;
}

// ---- homes ----------------------------------------------------------------------------------------------------------

/** What the harness needs to know of a home's policy, as it is now (or was when it was last valid). */
export interface Rules {
  may(what: "talk" | "approve" | "admin", person: string, standing: Standing): boolean;
  /** Who may, in words for people. */
  who(what: "talk" | "approve" | "admin"): string;
  followUps: "participants" | "mention" | "all";
  stepsPerTurn: number;
  /** The home's own model, if it names one. */
  model: string | undefined;
  timezone: string;
  /** Set while policy.json is missing, unreadable or invalid: nobody can approve, and this says why and what mends it. */
  broken: string | undefined;
}
export interface Homes {
  /** The home that serves a team; made from the template if there is none. Refused in a sentence if two homes claim the team. */
  find(platform: string, team: string): Promise<{ ok: true; home: string } | { ok: false; why: string }>;
  rules(home: string): Promise<Rules>;
}

// ---- files ----------------------------------------------------------------------------------------------------------

export type FileError = {
  error: "file_not_found" | "permission_denied" | "is_directory" | "invalid_path" | "too_large" | "failed";
  detail: string;
};
export interface FileInfo {
  path: string;
  directory: boolean;
  /** Bytes. */
  size: number;
}
/** A tree of files below `/`. Paths are absolute, `/`-separated, already normalised. Failures are values. */
export interface Files {
  list(path: string): Promise<FileInfo[] | FileError>;
  read(path: string): Promise<Uint8Array | FileError>;
  write(path: string, content: Uint8Array): Promise<{ ok: true } | FileError>;
  /** Reads, changes, writes with no other writer of this path between. `change` returns null to leave the file as it is. */
  update(path: string, change: (content: Uint8Array) => Uint8Array | null): Promise<{ ok: true; changed: boolean } | FileError>;
  remove(path: string): Promise<{ ok: true } | FileError>;
  /** All files below a path, links not followed, unreadable places skipped. Stops after `limit`. */
  walk(path: string, limit: number): Promise<{ files: FileInfo[]; truncated: boolean } | FileError>;
}

// ---- log ------------------------------------------------------------------------------------------------------------

/** One line per fact: what it is about, and a sentence. Secrets are masked by whoever implements it. */
export interface Log {
  debug(facts: object, msg: string): void;
  info(facts: object, msg: string): void;
  warn(facts: object, msg: string): void;
  error(facts: object, msg: string): void;
}

/** A sentence for people: what is wrong and what mends it. */
export class UserError extends Error {
  override name = "UserError";
}
export type { Json, Slot };
