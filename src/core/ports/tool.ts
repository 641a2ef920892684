/** A tool as it is offered in a step, and what a call of it is given. */
import type { JsonObject, Place, Recorded, Result, Speaker } from "../event.ts";
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
}

/** What a tool did: its result for the model, and facts to be recorded with it. */
export interface Outcome extends Result {
  events?: Recorded[];
  /** It changed the home, whose history can take that back. */
  undoable?: true;
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
  /** Whether a run takes words out of the place they were said in: from a private one only with the agreement of who said them. */
  leaves?(input: JsonObject): boolean;
  /** The class of an input a standing grant would bind; null: this input can never be granted. */
  subject(input: JsonObject): string | null;
  /** A question for people instead of a run. */
  question?(input: JsonObject): { text: string; options: string[] };
  /** What the call would change now, as a unified diff: shown to people instead of the input. What runs is what was shown, or nothing. */
  preview?(input: JsonObject, context: ToolContext): Promise<string | undefined>;
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
}
export interface OfferedServers {
  tools: Tool[];
  /** What is wrong with the file, in a sentence. */
  problem?: string;
  /** Servers that are not there, and why. */
  down: { server: string; why: string }[];
}
/** The servers of all homes: what they offer follows tools.json as it is given. */
export interface ToolServers {
  offer(wanted: WantedServers): Promise<OfferedServers>;
}
