/**
 * What was said before the bot was called: in its thread, or in the message that the call replies to.
 *
 * B1. Asked for only where no conversation is known, and never waited for long: the call itself matters more.
 * B2. The root of a thread stands beside it, the first post of a forum's in it.
 */
import type { APIMessage } from "discord.js";
import { EACH, type Earlier, fitting, PATIENCE } from "../shared/earlier.ts";
import { clip } from "../shared/escape.ts";
import { isLater } from "../shared/seen.ts";
import { within } from "../shared/within.ts";
import type { Desk } from "./desk.ts";
import { NEWEST } from "./door.ts";
import type { Where } from "./places.ts";
import { heard, madeAt, type Names } from "./text.ts";
import { type MessageData, told } from "./told.ts";

type Spoken = Pick<APIMessage, "id" | "type" | "author" | "content" | "attachments" | "mentions" | "webhook_id"> &
  Partial<Pick<APIMessage, "message_snapshots">>;
type Call = Pick<MessageData, "id" | "referenced_message">;
interface Said {
  message: Spoken;
  raw: string;
  files: Earlier[number]["files"];
}

export const background = (desk: Desk, where: Where, message: Call): Promise<Earlier> =>
  within(PATIENCE, earlier(desk, where, message), []);

async function earlier(desk: Desk, where: Where, message: Call): Promise<Earlier> {
  const { thread } = where;
  if (where.guild === null) return [];
  if (thread === null) return spoken(desk, where, message.referenced_message ? [message.referenced_message] : []);
  const [page, beside] = await Promise.all([desk.door.newest(thread, message.id), desk.door.message(where.channel, thread)]);
  const found = page.ok ? [...page.value].sort((one, other) => (isLater(one.id, other.id) ? 1 : -1)) : [];
  const inside = beside.ok || found.length < NEWEST ? undefined : await desk.door.message(thread, thread);
  const root = beside.ok ? beside.value : inside?.ok ? inside.value : found.find(({ id }) => id === thread);
  return spoken(
    desk,
    where,
    found.filter(({ id }) => id !== root?.id),
    root?.id === message.id ? undefined : root,
  );
}

/** Messages as they are told to the conversation; our own, and notices of Discord's, are none. */
export async function spoken(desk: Desk, where: Where, rest: readonly Spoken[], root?: Spoken): Promise<Earlier> {
  const { self, people, places } = desk;
  const own = [self.id, ...self.roles(where.guild)];
  const said = (message: Spoken): Said[] => {
    const facts = told(message as MessageData, self.id);
    return facts.kind === "message" && !facts.own ? [{ message, raw: facts.raw, files: facts.files }] : [];
  };
  const [first] = root ? said(root) : [];
  return Promise.all(
    fitting(first, rest.flatMap(said)).map(async ({ message, raw, files = [] }) => {
      const names: Names = {
        person: (id) => {
          const named = message.mentions.find((one) => one.id === id);
          return named && (named.global_name || named.username);
        },
        role: (id) => self.roleName(where.guild, id),
        channel: places.nameOf,
      };
      const by = await people.speaker(where.team, message.author, undefined, { webhook: message.webhook_id !== undefined });
      const text = clip(heard(raw, own, names), EACH);
      return { id: message.id, by, text, at: madeAt(message.id), ...(files.length ? { files } : {}) };
    }),
  );
}
