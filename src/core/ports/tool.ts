/** A tool as it is offered in a step, and what a call of it is given. */
import type { Decided } from "../calls.ts";
import type { JsonObject, Place, Question, Recorded, Remark, Result, Speaker, Usage } from "../event.ts";
import type { Handed } from "../file.ts";
import type { CallId, SessionId } from "../id.ts";
import type { Scope } from "../scope.ts";
import type { State } from "../state.ts";
import type { ToolSpec } from "./model.ts";

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
  /** Says what it is at: shown live beside the call, never kept. */
  tell?(text: string): void;
  /** What became of the question it asked people: the run goes on with it. */
  answer?: Decided;
}

/** What a tool did: its result for the model, and facts to be recorded with it. */
export interface Outcome extends Result {
  events?: Recorded[];
  /** It is not done, but asks people something: it is run again with what became of that, and the rest of this counts for nothing. */
  asks?: Question;
  /** It changed the home, whose history can take that back. */
  undoable?: true;
  /** A file for people: posted in the session's thread, once. */
  file?: Handed;
  /** The turn ends with it, without words, if it was all the model wanted. */
  ends?: true;
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
  /** Nothing is different after it: it may run while its start is still being written. */
  reads?: boolean;
  /** What the product itself says without policy: `ask` is lifted only by `interruptOn: false`, `admin` by nothing. */
  risk(input: JsonObject, scope: Scope): "none" | "ask" | "admin";
  /** Whether a run takes words out of the place they were said in: from a private one only with the agreement of who said them. */
  leaves?(input: JsonObject): boolean;
  /** The class of an input a standing grant would bind; null: this input can never be granted. */
  subject(input: JsonObject): string | null;
  /** A question for people instead of a run. */
  question?(input: JsonObject): { text: string; options: string[] };
  /** What the call would change now, as a unified diff: shown to people instead of the input. What runs is what was shown, or nothing. */
  preview?(input: JsonObject, context: ToolContext): Promise<string | undefined>;
  /** What else people should know before they decide about it; looked up once, when they are asked. */
  remarks?(input: JsonObject, context: ToolContext): Promise<Remark[]>;
  /** What it is by its own account, where that is another's word: standing grants hold for this alone. */
  pin?: string;
  /** The tool that a call with this input really is: one way in to many, each with a label, a digest and risks of its own. */
  as?(input: JsonObject): Tool | undefined;
  helper?: boolean;
  /** Larger results are kept whole: they page themselves. */
  paging?: boolean;
  run(input: JsonObject, context: ToolContext): Promise<Outcome>;
}

/** What a home wants of its tool servers at this moment. */
export interface WantedServers {
  home: string;
  /** The home's directory. */
  directory: string;
  /** The text of tools.json. */
  text: string;
  /** From the policy: servers whose read-only hints count, and names of secrets. */
  trust: readonly string[];
  secrets: readonly string[];
  /** From the policy: servers that may ask the model. */
  sampling: readonly string[];
  /** Who the turn is for: some servers are used in each person's own name. */
  by?: Pick<Speaker, "id" | "name">;
}
export interface OfferedServers {
  tools: Tool[];
  /** What is wrong with the file, in a sentence. */
  problem?: string;
  /** For reading what servers have beside tools. */
  reading?: Tool[];
  /** What servers said of themselves, and what they have beside tools. */
  servers?: ServerNote[];
  /** Tools that cannot be offered, and why. */
  unfit?: { label: string; why: string }[];
  /** Servers that are not there, and why. `own`: only for the person the turn is for. `signIn`: it wants people to sign in. `starting`: it may be there in a moment. */
  down: { server: string; why: string; own?: true; signIn?: true; starting?: true }[];
  /** For the person the turn is for alone, each said once: what they have to do before a server works for them. */
  asks?: string[];
}
/** A server as a program, and what it offered when it was tried. */
export interface Program {
  command: string;
  args: string[];
  env: Record<string, string>;
}
export type Probed = { ok: true; tools: { name: string; description: string }[]; instructions: string } | { ok: false; why: string };
export interface ServerNote {
  server: string;
  /** In its own words, which nobody checked. */
  instructions?: string;
  resources: boolean;
  prompts: boolean;
}
/** What came of signing in somewhere: words, and the link to follow, for who asked alone. */
export type Connected = { ok: true; text: string; link?: string } | { ok: false; why: string };
/** Signing in at servers, for the whole home or for the person it is asked for. */
export interface ServerSigning {
  /** Whose sign-in a server takes; undefined: it is not in tools.json. */
  whose(wanted: WantedServers, server: string): "home" | "person" | undefined;
  /** A link to sign in with, or that none is needed. */
  connect(wanted: WantedServers, server: string): Promise<Connected>;
  disconnect(wanted: WantedServers, server: string): Promise<Connected>;
}
/** The servers of all homes: what they offer follows tools.json as it is given. */
export interface ToolServers {
  offer(wanted: WantedServers): Promise<OfferedServers>;
  /** Cancels what still waits for people in a root session. */
  release?(home: string, root: string): Spending[];
}

/** Tokens that a call of the turn used by itself, which nobody has counted yet. */
export interface Spending {
  session: SessionId;
  call: CallId;
  usage: Usage;
}
