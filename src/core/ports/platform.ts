/** What a platform can do for a session, and its connection. */
import type { Place, Ref } from "../event.ts";
import type { SessionId } from "../id.ts";
import type { Scope } from "../scope.ts";
import type { Slot } from "../slots.ts";
import type { View } from "../view.ts";
import type { Inbox } from "./inbox.ts";

export type Posted =
  | { ok: true; ref: Ref }
  /**
   * `unsure`: it may have arrived (a timeout, a cut). Else certainly not; `retryIn` ms, or null: never try again.
   * `gone`: there is no message to edit any more.
   */
  | { ok: false; unsure: boolean; retryIn: number | null; reason: string; gone?: true };

/** The bytes of a file that came with a message, or why it cannot be had, in a sentence. `retryIn` as for posts. */
export type Fetched = { ok: true; bytes: Uint8Array } | { ok: false; retryIn: number | null; why: string };

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
  /** Messages of one answer beyond which it is posted as its beginning and a file. Without it: as many as it takes. */
  readonly mostParts?: number;
  /** `bytes`: of the slot's file. */
  post(place: Place, slot: Slot, key: string, mark: boolean, bytes?: Uint8Array): Promise<Posted>;
  /** A file that came with a message, by the platform's ids of both; at most so many bytes. */
  fetch?(place: Place, message: string, file: string, most: number, signal: AbortSignal): Promise<Fetched>;
  edit(place: Place, ref: Ref, slot: Slot): Promise<Posted>;
  hide(place: Place, ref: Ref): Promise<Posted>;
  /** Looks for a post in doubt by its key. `unknown`: could not look. */
  find(place: Place, key: string): Promise<{ found: Ref } | "absent" | "unknown">;
  live(session: SessionId, place: Place, live: Live): void;
  /** Visible to this person only. */
  whisper(place: Place, person: string, view: View): Promise<void>;
  standing(place: Place, person: string): Promise<Standing>;
  /** Of these private places those of a team that both this person and the agent are members of now; what cannot be found out is left out. */
  places?(team: string, person: string, among: readonly Scope[]): Promise<Scope[]>;
  /** Puts a sign on a message of the place; the same one twice is one. */
  react?(place: Place, message: string, sign: Reaction): Promise<{ ok: true } | { ok: false; reason: string }>;
  /**
   * Where the platform keeps messages itself: what stands in a home's threads since before `before` goes, as its policy says of old
   * conversations, but for those that `standing` still has.
   */
  retire?(home: string, before: number, standing: ReadonlySet<SessionId>): Promise<void>;
  /** A link to a message of a place, for lists and memory. */
  link(place: Place, message: string): string | undefined;
}

/** What a message can be reacted with: known on every platform. */
export const REACTIONS = ["👍", "👀", "✅", "🎉", "❤️", "🙏", "😄", "🤔", "😢", "👋"] as const;
export type Reaction = (typeof REACTIONS)[number];

/** A platform's connection: started by main, reports its health. */
export interface Adapter extends Platform {
  /** Resolves once connected. Rejects with a UserError whose text says what to mend. */
  start(inbox: Inbox): Promise<void>;
  /** Takes no more events; resolves when those under way are acknowledged. */
  stop(): Promise<void>;
  health(): { ok: boolean; detail: string };
}
