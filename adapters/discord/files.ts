/**
 * Files that came with messages, fetched from Discord.
 *
 * F1. A link is signed and dies within a day, so it is kept nowhere: the message is asked for again, and tells one that is new.
 * F2. Nothing is fetched from anywhere but Discord's own hosts, or the one that stands for its API, and nothing of ours goes with it.
 */
import type { APIAttachment, APIMessage } from "discord.js";
import type { Place } from "../../src/core/event.ts";
import type { Fetched } from "../../src/core/ports.ts";
import { download } from "../shared/download.ts";
import type { Door } from "./door.ts";
import { CODE } from "./outcome.ts";
import { atMessage } from "./places.ts";

const HOSTS = new Set(["cdn.discordapp.com", "media.discordapp.net"]);
/** Bytes of a file that Discord takes from a bot, wherever it is. */
export const LARGEST = 10 * 1024 * 1024;
const no = (why: string): Fetched => ({ ok: false, retryIn: null, why });

export interface Wanted {
  place: Place;
  message: string;
  file: string;
  most: number;
  signal: AbortSignal;
}

export async function fetchFile(door: Pick<Door, "message">, apiUrl: string | undefined, wanted: Wanted): Promise<Fetched> {
  const { place, message, file, most, signal } = wanted;
  const asked = await atMessage(place, message, (channel) => door.message(channel, message));
  if (!asked.ok) {
    const gone = asked.code === CODE.unknownMessage || asked.code === CODE.unknownChannel;
    return gone ? no("its message is not there any more") : { ok: false, retryIn: asked.retryIn, why: asked.reason.replace(/\.$/, "") };
  }
  const found = filesIn(asked.value).find(({ id }) => id === file);
  if (!found) return no("it is not there any more");
  const own = apiUrl === undefined ? undefined : new URL(apiUrl).origin;
  const allowed = (url: URL) => (url.protocol === "https:" && HOSTS.has(url.hostname)) || url.origin === own;
  return download(found.url, { platform: "Discord", most, signal, allowed });
}

/** With those of what was forwarded. */
export function filesIn(message: Partial<Pick<APIMessage, "attachments" | "message_snapshots">>): APIAttachment[] {
  return [...(message.attachments ?? []), ...(message.message_snapshots ?? []).flatMap((one) => one.message.attachments ?? [])];
}
