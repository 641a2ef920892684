/** The five points at which a hook may look and give something. */
import type { Consent, JsonObject, Place, Result, Speaker } from "../event.ts";
import type { CallId, SessionId } from "../id.ts";
import type { Scope } from "../scope.ts";
import type { State } from "../state.ts";
import type { Spending, Tool } from "./tool.ts";

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

export interface SystemPart {
  rank: Rank;
  text: string;
  /** Takes the place of the other parts of its rank. */
  alone?: boolean;
}
export interface Offer {
  /** Parts of the system prompt; put in the order of `RANKS`, within a rank in the hooks' order. */
  system?: SystemPart[];
  tools?: Tool[];
  /** There as well, but too many to be told in full: a call of one is answered with its definition, and from then on it is told. */
  untold?: Tool[];
  /** Narrows what all hooks together offer: a tool for which any hook says no is not offered. */
  keeps?(tool: Tool): boolean;
  /** The model for this session, and the most steps of its turn. The last hook that names one has it. */
  model?: string;
  steps?: number;
  /** Said to people once, privately or in the thread: a broken file, a server that does not start. */
  warnings?: string[];
  /** Said once to the person the turn is for, to them alone, and never logged: a link of their own. */
  asks?: string[];
}
export interface Gate {
  verdict: "allow" | "ask" | "deny";
  reason?: string;
  /** How many have to decide; whoever has to agree (`consent`) is asked besides. */
  quorum?: number;
  expires?: number | null;
  offers?: ("approve" | "edit" | "deny" | "thread" | "always")[];
  /** Whose decision it is; see `Verdict`. */
  level?: "approve" | "admin" | "asker";
  consent?: Consent;
  notBy?: string | null;
  /** Who may decide, in words; without it the product says so itself. */
  deciders?: string;
  /** Whose agreement it needs as well, in words: said where others decide. */
  besides?: string;
  /** Those of the deciders that policy names by id. */
  named?: string[];
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
  postCall?(moment: Moment): Promise<{ notes?: string[]; spent?: Spending[] } | undefined>;
}
