/**
 * Everything that can happen to a session, as one closed union. The journal holds nothing else.
 *
 * E1. Events are facts: they are never changed once written, only read through `upcast`.
 * E2. `Received` events are taken unconditionally, whoever holds the lease; all others only under it and only if they apply.
 * E3. Every time an event needs is in it (milliseconds since 1970): the fold has no clock.
 */
import type { Bears, Handed } from "./file.ts";
import type { CallId, FileKey, SessionId, SlotKey } from "./id.ts";
import type { Scope } from "./scope.ts";

/** The version new events are written with. */
export const VERSION = 1;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Somebody who speaks or decides. `id` is platform-qualified (`slack:U1`) and authoritative; `name` is what they call themselves. */
export interface Speaker {
  id: string;
  name: string;
  kind: "member" | "guest" | "external" | "bot" | "system";
}

/** Where a session lives on its platform. `thread` is what replies are attached to; null where a channel has none. */
export interface Place {
  platform: string;
  team: string;
  channel: string;
  thread: string | null;
}

/** A content block of a model's answer exactly as the provider sent it, but for the ids of calls. */
export type Block = { type: string; [key: string]: Json };

export interface Usage {
  model: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
}

/** What a tool gave back: text, or blocks where it gave more than text. */
export interface Result {
  content: string | Block[];
  failed: boolean;
}

/** A question to people: options become buttons; without options any reply in words answers. */
export interface Question {
  text: string;
  options: string[];
  /** Who asks when it is not the agent itself, e.g. an MCP server. */
  from?: string;
  /** Values that are asked for in a form. */
  fields?: Field[];
  /** A page that whoever answers is asked to open. */
  url?: string;
}

/** One value of a form. */
export interface Field {
  id: string;
  label: string;
  kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  required: boolean;
  hint?: string;
  /** What stands in it at first, as text. */
  value?: string;
  /** What may be chosen: what is given back, and what people read. */
  choices?: { value: string; label: string }[];
  /** The least and the most: characters of a text, size of a number, count of choices. */
  min?: number;
  max?: number;
  format?: "email" | "uri" | "date" | "date-time";
}

/** A question that came up while a call ran. The call goes on when it is answered, declined or expired. */
export interface Asking {
  question: Question;
  /** Names this question: what is answered on the card of another one does not count. */
  digest: string;
  code: string;
  expires: number;
  /** Whose answer it is, beside those who may approve. */
  by: string;
  /** Who may answer, in words. */
  deciders: string;
}

/** What the gate decided about a call, and everything its card needs for as long as it is open. */
export interface Verdict {
  verdict: "allow" | "ask" | "question" | "deny";
  /** The tool's name for people: `name` or `server/tool`. */
  label: string;
  /** Digest over tool definition, server entry and input: what an approval is for. */
  digest: string;
  /** Why it asks or was refused, in a sentence for people. */
  reason: string;
  /** True if policy asks for this call, even where a grant waived the question. */
  risky: boolean;
  /** Runs as a helper's session instead of a tool. */
  helper: boolean;
  /** How many have to decide. */
  quorum: number;
  /** Those who only agree (`consent`) count for themselves, and each platform's people too. Missing where all were counted together. */
  apart?: true;
  /** When the card expires; null: never. */
  expires: number | null;
  /** What the buttons of this card carry; finds the call by itself. */
  code: string;
  /** The decisions offered. */
  offers: Offer[];
  /** Whose decision it is: approvers', administrators', or for a question anybody's who may talk. Rights are checked when a button is pressed. */
  level: "talk" | "approve" | "admin" | "asker";
  /** Who has to agree whatever others say, because their words would leave a private place; with `asker` nobody else is asked. */
  consent?: Consent;
  /** A person who may not decide although they could (the asker, where policy says so). */
  notBy: string | null;
  /** Whom the call is for, by name. */
  asker?: string;
  /** Who may decide, in words. */
  deciders: string;
  /** What of the input a standing grant would bind; null: this can never be granted. */
  subject: string | null;
  /** The standing grant that waived the question. */
  grant?: { session: SessionId; id: string };
  question?: Question;
  /** What else people should know before they decide, in the product's words and (quoted) in others'. */
  remarks?: Remark[];
  /** What the tool is by its own account: what is allowed for good holds for this alone. */
  pin?: string;
  /** What it would change, as a unified diff; shown instead of the input. */
  preview?: string;
  /** Digest over the whole of that diff: a change that would be another one by now does not run. */
  previewed?: string;
  /** People named by id whose decision it is: called when the one reminder comes. */
  named?: string[];
  /** Told outside the thread while it is open: channels of the same platform or `platform:team:channel`, and words without anything private. */
  notices?: { channel: string; text: string }[];
}

export interface Remark {
  kind: "text" | "quoted" | "code";
  text: string;
}

/** Everybody whose words are in it agrees; whoever of them may decide as well does both with one press. */
export interface Consent {
  by: string;
  also?: string[];
}

export type Offer = "approve" | "edit" | "deny" | "thread" | "always";

/** A standing permission. Binds a tool and a class of its inputs, never everything. */
export interface Grant {
  id: string;
  tool: string;
  /** What of the input is bound: a class of path, an exact argv, or `*` for a tool whose inputs have no classes. */
  subject: string;
  by: Speaker;
  at: number;
  /** What the tool said of itself when it was given: a tool that says something else now asks again. */
  pin?: string;
}

/** `agrees`: they only agreed that their words leave; the decision is others'. */
export type Decision =
  | { verdict: "approve"; agrees?: true }
  | { verdict: "edit"; input: JsonObject; newDigest: string; newCode: string; preview?: string; previewed?: string; agrees?: true }
  | { verdict: "deny"; reason: string }
  /** `message`: the reply it came from, so that deleting that message takes the answer back out. */
  | { verdict: "answer"; text: string; message?: string; values?: JsonObject };

export type How = "answered" | "silent" | "stopped" | "failed" | "limit";

/** One change of a night: the edit of a planned change of memory, in words. */
export interface DigestLine {
  n: number;
  edit: number;
  text: string;
  /** To the message it was learned from. */
  link?: string;
}

/** A post's place in the platform: its message id, with the channel or thread it is in. */
export interface Ref {
  channel: string;
  message: string;
}

/** Whom a helper works for. `by`: the person the root's turn is for. */
export interface Parent {
  session: SessionId;
  call: CallId;
  agent: string;
  by?: Speaker;
}
type Manner = { before?: true; direct?: true; unseen?: true; viewing?: string };

/** Taken unconditionally: what people, the platform or a parent did. */
export type Received =
  | {
      type: "session.opened";
      at: number;
      home: string;
      scope: Scope;
      place: Place;
      /** Finds the session from a button that belongs to no call. */
      code: string;
      parent?: Parent;
    }
  /** `direct`: it names the agent, or was said to it alone. `unseen`: it stands nowhere in the thread by itself. `viewing`: what its author had open beside it. */
  | ({ type: "message.received"; at: number; id: string; by: Speaker; text: string; heard: boolean } & Manner & Bears)
  | { type: "message.edited"; at: number; id: string; rev: number; text: string }
  | { type: "message.deleted"; at: number; id: string }
  | { type: "message.withdrawn"; at: number; id: string; by: Speaker }
  | ({ type: "approval.decided"; at: number; call: CallId; digest: string; by: Speaker } & Decision)
  | { type: "turn.stopped"; at: number; by: Speaker }
  | { type: "grant.given"; at: number; grant: Grant }
  | { type: "grant.revoked"; at: number; id: string; by: Speaker }
  /** In the home's own session: nothing new is begun anywhere until it is resumed. */
  | { type: "home.paused"; at: number; by: Speaker }
  | { type: "home.resumed"; at: number; by: Speaker }
  /** In the home's own session: a tool was approved that says this of itself. */
  | { type: "tool.pinned"; at: number; tool: string; pin: string }
  /** In the home's own session: this person was told what is kept and who can see it. */
  | { type: "person.told"; at: number; person: string }
  /** In a session of its own: what nights did to the memory of its scope, shown from `due` on. */
  | { type: "digest.told"; at: number; due: number; title: string; lines: DigestLine[] }
  | { type: "digest.undone"; at: number; n: number; edit: number; by: Speaker }
  /** In the home's own session: a conversation was retired with all its events, as policy wants of old ones. */
  | { type: "session.retired"; at: number; session: SessionId };

/** Taken only under the lease, and only if it applies. */
export type Recorded =
  | { type: "noted"; at: number; text: string }
  | { type: "step.opened"; at: number; turn: number; step: number; upTo: number }
  | { type: "step.failed"; at: number; turn: number; step: number; reason: string; overflow: boolean; retryAt: number }
  | {
      type: "model.answered";
      at: number;
      turn: number;
      step: number;
      content: Block[];
      calls: { tool: string; input: JsonObject; broken?: string }[];
      usage: Usage;
    }
  /** `head`: the answer is too long for messages, so people get it up to there and the whole as a file. */
  | { type: "turn.ended"; at: number; turn: number; how: How; text: string; cuts: number[]; head?: number }
  | { type: "turn.closed"; at: number; turn: number }
  /** `call`: reminds people that it waits for their decision; else the agent is given the text. */
  | { type: "timer.set"; at: number; id: string; due: number; text: string; call?: CallId }
  | { type: "timer.fired"; at: number; id: string }
  | ({ type: "call.gated"; at: number; call: CallId } & Verdict)
  | { type: "approval.expired"; at: number; call: CallId }
  | { type: "call.started"; at: number; call: CallId; digest: string }
  | { type: "call.waiting"; at: number; call: CallId }
  /** A running call asks people something, and goes on with their answer. */
  | ({ type: "call.asked"; at: number; call: CallId } & Asking)
  /** Tokens that a running call used by itself. */
  | { type: "tokens.spent"; at: number; call: CallId; usage: Usage }
  /** These tools are told in full from now on. */
  | { type: "tools.loaded"; at: number; tools: string[] }
  /** `undoable`: it changed the home, whose history can take that back. */
  | ({ type: "call.finished"; at: number; call: CallId; undoable?: true; file?: Handed } & Result)
  /** A file that came with a message is there now, or why it cannot be had. */
  | { type: "file.fetched"; at: number; file: FileKey; problem?: string }
  /** What was kept of a file whose message is gone is gone as well. */
  | { type: "file.removed"; at: number; file: FileKey }
  | { type: "post.started"; at: number; slot: SlotKey; key: string; mark: boolean }
  | { type: "post.shown"; at: number; slot: SlotKey; ref: Ref; digest: string; final: boolean }
  | { type: "post.failed"; at: number; slot: SlotKey; unsure: boolean; until: number | null; reason: string }
  | { type: "post.hidden"; at: number; slot: SlotKey }
  | { type: "context.compacted"; at: number; cut: number; summary: string; redactions: number; usage: Usage | null }
  /** In entries before `upTo` the inputs of old calls are sent trimmed. */
  | { type: "context.trimmed"; at: number; upTo: number }
  /** In entries before `upTo` no text is sent with more tokens than its share. */
  | { type: "context.clipped"; at: number; upTo: number; share: number }
  | { type: "context.kept"; at: number; until: number; reason: string }
  | { type: "todos.written"; at: number; todos: Todo[] }
  | { type: "grant.used"; at: number; id: string; call: CallId };

export type Event = Received | Recorded;
export type EventType = Event["type"];

/** Brings an event written by an earlier version to today's shape. Throws if it comes from a newer version. */
export function upcast(version: number, event: unknown): Event {
  if (version > VERSION)
    throw new Error(`This journal was written by a newer version (event version ${version}; this one reads up to ${VERSION}).`);
  return event as Event;
}
