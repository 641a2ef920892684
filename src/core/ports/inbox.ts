/** The way in for adapters. */
import type { Place, Speaker } from "../event.ts";
import type { Attachment } from "../file.ts";
import type { SessionId } from "../id.ts";
import type { ChannelKind } from "../scope.ts";
import type { Act, Form, View } from "../view.ts";

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
  /** What came with it. */
  files?: readonly Attachment[];
  /** Names the bot. */
  mentioned: boolean;
  /** Names somebody else at its beginning. */
  toOthers: boolean;
  /** Said in a form or a menu: nobody in the thread sees it unless it is shown there. */
  unseen?: true;
  /** What its author has open beside it, as the platform names it; only what the agent and they both may see. */
  viewing?: string;
  /** Written by this bot. */
  own: boolean;
  at: number;
  /** What was said in its thread before it, the oldest first, where the adapter knows of no conversation there yet. */
  background?: readonly Pick<Incoming, "id" | "by" | "text" | "at" | "files">[];
}

export type Reply =
  /** Nothing to say. */
  | { to: "nobody" }
  /** For the person who pressed or asked, only. */
  | { to: "asker"; view: View }
  | { to: "all"; view: View }
  | { to: "asker"; form: Form; act: Act; code: string };

export interface Click {
  /** The message it was said in, where it was said: such a click acts once, however often it is told. */
  message?: string;
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
  /** The platform's id of what said it: a stop said with it acts once, however often it is told. */
  message?: string;
  at: number;
}

/** Something that can be said to the agent: short words for a button, and what is said then. */
export interface Suggestion {
  title: string;
  text: string;
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
  /** What a home is good for, for people who do not know what to ask. */
  suggestions(platform: string, team: string): Promise<Suggestion[]>;
  /** Messages that the team's conversations have since a time, of those talked in last: what became of them meanwhile is asked of the platform. */
  said(platform: string, team: string, since: number): Promise<{ place: Place; id: string }[]>;
  /** A label that never lies: `offline model`, or nothing. */
  notice(): string | undefined;
}
