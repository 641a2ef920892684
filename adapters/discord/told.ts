/**
 * What Discord told us of a message, classified. Pure; what a channel is and who somebody is are looked up elsewhere.
 *
 * T1. An edit is one only if a person changed the words: not when Discord added a preview or a thread, and never of our own messages.
 * T2. Notices of Discord's own (joins, pins, threads begun) are no messages of anybody.
 */

import { type APIMessage, type GatewayMessageCreateDispatchData, MessageType } from "discord.js";
import type { Attachment } from "../../src/core/file.ts";
import { filesIn } from "./files.ts";

/** As the gateway tells it, or as history does. */
export type MessageData = Omit<GatewayMessageCreateDispatchData, "mentions"> & Pick<APIMessage, "mentions">;

export type Told =
  | { kind: "message"; raw: string; files: Attachment[]; own: boolean; bot: boolean }
  | { kind: "edited"; rev: number; raw: string }
  | { kind: "empty" }
  | { kind: "ignored"; why: string };

const SAID = new Set<MessageType>([MessageType.Default, MessageType.Reply, MessageType.ChatInputCommand, MessageType.ContextMenuCommand]);
const ignored = (why: string): Told => ({ kind: "ignored", why });

export function told(message: MessageData, bot: string): Told {
  if (!SAID.has(message.type)) return ignored("a notice of Discord's");
  const own = message.author.id === bot;
  const raw = wordsOf(message);
  const files = filesIn(message).map(({ id, filename: name, content_type: mime = "", size }) => ({ id, name, mime, size }));
  if (!raw && !files.length) return !own && hidden(message) ? { kind: "empty" } : ignored("a message without words");
  return { kind: "message", raw, files, own, bot: message.author.bot === true || message.webhook_id !== undefined };
}

export function changed(message: MessageData, bot: string): Told {
  if (!SAID.has(message.type)) return ignored("a notice of Discord's");
  if (message.author.id === bot) return ignored("an edit of our own");
  if (!message.edited_timestamp) return ignored("a change that is not of the words");
  return { kind: "edited", rev: Date.parse(message.edited_timestamp), raw: wordsOf(message) };
}

/** Nothing at all in it: Discord keeps the words of messages from an app that is not allowed to read them. */
const hidden = ({
  sticker_items: stickers,
  poll,
  components,
  author,
  webhook_id: hook,
  message_snapshots: forwarded,
}: MessageData): boolean => !stickers?.length && !poll && !components?.length && !forwarded?.length && !author.bot && !hook;

/** Words, else those of an alert's embeds; then what was forwarded. */
function wordsOf(message: MessageData): string {
  const spoken =
    message.content.trim() ||
    (message.embeds ?? []).map(({ title, description }) => [title, description].filter(Boolean).join("\n")).join("\n");
  const forwarded = (message.message_snapshots ?? []).map(({ message: { content } }) => content && `Forwarded:\n${content}`);
  const stickers = (message.sticker_items ?? []).map(({ name }) => `[sticker: ${name}]`);
  return [spoken.trim(), ...forwarded, ...stickers].filter(Boolean).join("\n");
}
