/**
 * What Slack told us in an event, classified. Pure; who somebody is and what a channel is are looked up elsewhere.
 *
 * T1. `message` and `app_mention` of one message give the same facts.
 * T2. What is not in the shape of a message is none, whoever sent it.
 * T3. An edit is one only if a person changed the words: not when Slack added a preview, and never of our own messages.
 */
import type { Attachment as Came } from "../../src/core/file.ts";
import { isStamp, micros } from "./text.ts";
import type { AppContext } from "./viewing.ts";

interface File {
  id?: string;
  name?: string;
  title?: string;
  mimetype?: string;
  size?: number;
  mode?: string;
}
interface Attachment {
  fallback?: string;
  pretext?: string;
  text?: string;
  title?: string;
  fields?: { title?: string; value?: string }[];
  blocks?: unknown[];
}
/** The fields of a message event that are read here; Slack's own types say less than it sends. */
export interface MessageEvent {
  type: string;
  subtype?: string;
  channel: string;
  channel_type?: string;
  ts: string;
  thread_ts?: string;
  user?: string;
  username?: string;
  bot_id?: string;
  bot_profile?: { name?: string };
  user_team?: string;
  source_team?: string;
  text?: string;
  files?: File[];
  attachments?: Attachment[];
  blocks?: unknown[];
  edited?: { ts: string };
  message?: Omit<MessageEvent, "channel">;
  previous_message?: Omit<MessageEvent, "channel">;
  deleted_ts?: string;
  /** What they have open beside it. */
  app_context?: AppContext | null;
}

interface Author {
  id: string;
  name: string | undefined;
  bot: boolean;
  /** Belongs to another workspace, as far as the event says. */
  external: boolean;
}
export type Told =
  | { kind: "message"; ts: string; thread: string | null; author: Author; raw: string; files: Came[]; own: boolean }
  | { kind: "edited"; ts: string; thread: string | null; rev: number; raw: string }
  | { kind: "deleted"; ts: string; thread: string | null }
  | { kind: "ignored"; why: string };

export interface Self {
  team: string;
  /** The organisation the team is part of: its people belong to several workspaces. */
  enterprise?: string;
  bot: string;
  botId: string | undefined;
}

const SAID = new Set([undefined, "file_share", "thread_broadcast", "me_message", "bot_message"]);
const ignored = (why: string): Told => ({ kind: "ignored", why });

export function told(event: MessageEvent, self: Self): Told {
  if (typeof event.channel !== "string") return ignored("nothing that was said anywhere");
  if (event.subtype === "message_changed") return changed(event, self);
  if (event.subtype === "message_deleted") return deleted(event, self);
  if (!isStamp(event.ts)) return ignored("nothing in the shape of a message");
  if (!SAID.has(event.subtype)) return ignored(`a notice of Slack's (${event.subtype})`);
  const author = authorOf(event, self);
  if (!author) return ignored("a message without an author");
  const raw = wordsOf(event);
  const files = filesOf(event);
  if (!raw && !files.length) return ignored("a message without words");
  return { kind: "message", ts: event.ts, thread: threadOf(event, event), author, raw, files, own: isOwn(event, self) };
}

function changed(event: MessageEvent, self: Self): Told {
  const now = event.message;
  if (!now || !isStamp(now.ts)) return ignored("an edit without a message");
  if (isOwn(now, self)) return ignored("an edit of our own");
  // A root that has replies is not taken away: its words are.
  if (now.subtype === "tombstone") return { kind: "deleted", ts: now.ts, thread: threadOf(event, now) };
  if (!isStamp(now.edited?.ts) || wordsOf(now) === wordsOf(event.previous_message ?? {}))
    return ignored("a change that is not of the words");
  return { kind: "edited", ts: now.ts, thread: threadOf(event, now), rev: micros(now.edited.ts), raw: wordsOf(now) };
}

function deleted(event: MessageEvent, self: Self): Told {
  if (!isStamp(event.deleted_ts)) return ignored("a deletion without a message");
  if (event.previous_message && isOwn(event.previous_message, self)) return ignored("a deletion of our own");
  return { kind: "deleted", ts: event.deleted_ts, thread: threadOf(event, { ...event.previous_message, ts: event.deleted_ts }) };
}

/** In a DM every message has a thread: a root's is its own. */
function threadOf(event: { channel: string; channel_type?: string }, message: { ts: string; thread_ts?: string }): string | null {
  const thread = isStamp(message.thread_ts) ? message.thread_ts : undefined;
  if (event.channel_type === "im" || event.channel.startsWith("D")) return thread ?? message.ts;
  return thread === message.ts ? null : (thread ?? null);
}

function isOwn(message: { user?: string; bot_id?: string }, self: Self): boolean {
  return message.user === self.bot || (message.bot_id !== undefined && message.bot_id === self.botId);
}

function authorOf(event: MessageEvent, self: Self): Author | undefined {
  const id = textIn(event.user) || textIn(event.bot_id);
  if (!id) return undefined;
  const bot = textIn(event.bot_id) !== "" || event.subtype === "bot_message" || id === "USLACKBOT";
  const team = textIn(event.user_team) || textIn(event.source_team);
  // Within an organisation another workspace's id says little: who somebody is there is looked up.
  const external = self.enterprise === undefined && team !== "" && team !== self.team;
  return { id, bot, name: textIn(event.username ?? event.bot_profile?.name) || undefined, external };
}

/** Words, else those of its blocks or, for an alert, of its attachments; then the names of files that cannot be asked for. */
function wordsOf(message: Partial<MessageEvent>): string {
  const spoken =
    textIn(message.text).trim() || [...words(message.blocks)].join("\n") || listOf(message.attachments).map(attached).join("\n");
  const names = listOf(message.files)
    .filter(({ id }) => !textIn(id))
    .map((file) => `[file: ${nameOf(file)}]`);
  return [spoken.trim(), ...names].filter(Boolean).join("\n");
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");
/** What Slack leaves out or gives as null is an empty list, and what is null in it is not there. */
const listOf = <T extends object>(value: readonly T[] | undefined): T[] =>
  Array.isArray(value) ? value.filter((one: T | null) => typeof one === "object" && one !== null) : [];

const nameOf = ({ name, title }: File): string => textIn(name) || textIn(title) || "without a name";

/** What came with it. Of some files Slack tells no more than the id; all else is asked for when they are fetched. */
function filesOf({ files }: Pick<MessageEvent, "files">): Came[] {
  return listOf(files).flatMap((file) => {
    const id = textIn(file.id);
    const size = typeof file.size === "number" ? file.size : 0;
    return !id || file.mode === "tombstone" ? [] : [{ id, name: nameOf(file), mime: textIn(file.mimetype), size }];
  });
}

/** The fallback says least: where there are blocks it says that there is no preview. */
function attached({ fallback, pretext, title, text, fields, blocks }: Attachment): string {
  const said = [
    ...[pretext, title, text].map(textIn),
    ...listOf(fields).map((field) => [field.title, field.value].filter(Boolean).join(": ")),
    ...words(blocks),
  ];
  return said.filter(Boolean).join("\n") || textIn(fallback);
}

/** All text in blocks, in its order. */
function* words(node: unknown): Generator<string> {
  if (Array.isArray(node)) {
    for (const each of node) yield* words(each);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { text } = node as { text?: unknown };
  if (typeof text === "string") yield text;
  for (const value of Object.values(node)) if (typeof value === "object") yield* words(value);
}
