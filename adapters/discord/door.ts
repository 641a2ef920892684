/**
 * Everything that is written to Discord goes out through here.
 *
 * D1. Whatever carries words says whom they call, on every path: nobody, but for those whom the product itself calls.
 * D2. A post carries a nonce made of its key, enforced: sent once more within some minutes, Discord gives back the message it has.
 *     History does not tell nonces, but the numbers of components: where a post has buttons, their row bears its key as a number.
 * D3. Nothing is repeated by itself; a rate limit is an answer. Look-ups wait for their turn instead.
 */
import { createHash } from "node:crypto";
import {
  type APIApplicationCommand,
  type APIChannel,
  type APIMessage,
  type APIModalInteractionResponseCallbackData,
  InteractionResponseType,
  MessageFlags,
  type REST,
  Routes,
} from "discord.js";
import type { Outcome } from "../shared/failure.ts";
import { attempt } from "./outcome.ts";
import type { Rendered } from "./render.ts";

/** What identifies an interaction to the routes that answer it. */
export interface Answerable {
  id: string;
  token: string;
  application_id: string;
}
export interface CreateOptions {
  key?: string;
  replyTo?: string | undefined;
}

export interface Door {
  create(channel: string, message: Rendered, options?: CreateOptions): Promise<Outcome<APIMessage>>;
  message(channel: string, id: string): Promise<Outcome<APIMessage>>;
  /** The newest messages of a channel, at most `NEWEST`; of those before one, if it is named. */
  newest(channel: string, before?: string): Promise<Outcome<APIMessage[]>>;
  edit(channel: string, id: string, message: Rendered): Promise<Outcome<APIMessage>>;
  remove(channel: string, id: string): Promise<Outcome<unknown>>;
  startThread(channel: string, message: string, name: string): Promise<Outcome<APIChannel>>;
  /** Takes a thread out of the archive. */
  wake(thread: string): Promise<Outcome<unknown>>;
  typing(channel: string): Promise<Outcome<unknown>>;
  react(channel: string, message: string, sign: string): Promise<Outcome<unknown>>;
  /** The channel of a person's direct messages. */
  direct(person: string): Promise<Outcome<APIChannel>>;
  answer(to: Answerable, answer: InteractionAnswer): Promise<Outcome<unknown>>;
  /** After an answer: one more message for who asked, and for nobody else. */
  followUp(to: Answerable, message: Rendered): Promise<Outcome<unknown>>;
  /** Fills in an answer that was promised. */
  fulfil(to: Answerable, message: Rendered): Promise<Outcome<unknown>>;
  setCommands(application: string, commands: readonly object[]): Promise<Outcome<APIApplicationCommand[]>>;
}
export type InteractionAnswer =
  | { kind: "later" }
  | { kind: "promise" }
  | { kind: "say"; message: Rendered; toAll: boolean }
  | { kind: "form"; form: APIModalInteractionResponseCallbackData }
  | { kind: "choices"; choices: { name: string; value: string }[] };

/** As many as Discord tells at once. */
export const NEWEST = 100;
const NOBODY = { parse: [] };
const digest = (key: string): Buffer => createHash("sha256").update(key).digest();
export const nonceOf = (key: string): string => digest(key).toString("base64url").slice(0, 25);
/** The number that the first row of buttons of a post bears: seen by nobody, told by history, gone with the first edit. */
export const rowOf = (key: string): number => (digest(key).readUInt32BE() % 2 ** 30) + 2 ** 30;

/** `answers`: for interactions. */
export function door(rest: REST, answers: REST): Door {
  const answering = { auth: false } as const;
  const hook = (to: Answerable) => Routes.webhook(to.application_id, to.token);
  return {
    create: (channel, message, { key, replyTo } = {}) =>
      attempt(
        rest.post(Routes.channelMessages(channel), {
          ...wire(key === undefined ? message : numbered(message, key), {
            ...(key === undefined ? {} : { nonce: nonceOf(key), enforce_nonce: true }),
            ...(replyTo === undefined ? {} : { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
          }),
        }) as Promise<APIMessage>,
      ),
    message: (channel, id) => attempt(rest.get(Routes.channelMessage(channel, id)) as Promise<APIMessage>),
    newest: (channel, before) => {
      const query = new URLSearchParams({ limit: String(NEWEST), ...(before === undefined ? {} : { before }) });
      return attempt(rest.get(Routes.channelMessages(channel), { query }) as Promise<APIMessage[]>);
    },
    edit: (channel, id, message) =>
      attempt(rest.patch(Routes.channelMessage(channel, id), wire(message, kept(message))) as Promise<APIMessage>),
    remove: (channel, id) => attempt(rest.delete(Routes.channelMessage(channel, id))),
    startThread: (channel, message, name) =>
      attempt(rest.post(Routes.threads(channel, message), { body: { name, auto_archive_duration: 1440 } }) as Promise<APIChannel>),
    wake: (thread) => attempt(rest.patch(Routes.channel(thread), { body: { archived: false } })),
    react: (channel, message, sign) => attempt(rest.put(Routes.channelMessageOwnReaction(channel, message, encodeURIComponent(sign)))),
    typing: (channel) => attempt(rest.post(Routes.channelTyping(channel))),
    direct: (person) => attempt(rest.post(Routes.userChannels(), { body: { recipient_id: person } }) as Promise<APIChannel>),
    answer: (to, answer) => attempt(answers.post(Routes.interactionCallback(to.id, to.token), { ...answering, ...callback(answer) })),
    followUp: (to, message) => attempt(answers.post(hook(to), { ...answering, ...wire(message, privately(message)) })),
    fulfil: (to, message) =>
      attempt(answers.patch(`${hook(to)}/messages/@original`, { ...answering, ...wire(message, { flags: undefined }) })),
    setCommands: (application, commands) =>
      attempt(rest.put(Routes.applicationCommands(application), { body: commands }) as Promise<APIApplicationCommand[]>),
  };
}

const privately = ({ flags }: Rendered) => ({ flags: flags | MessageFlags.Ephemeral });

const numbered = (message: Rendered, key: string): Rendered => {
  const [first, ...others] = message.components;
  return first ? { ...message, components: [{ ...first, id: rowOf(key) }, ...others] } : message;
};

/** The files of an edited message are those it is edited with, and no others. */
const kept = ({ files }: Rendered) => ({ attachments: files.map((file, id) => ({ id, filename: file.name })) });

function wire({ content, embeds, components, flags, files, called }: Rendered, more: object) {
  const body = { content, embeds, components, flags, ...more, allowed_mentions: called ? { parse: [], users: called } : NOBODY };
  return files.length
    ? {
        body,
        files: files.map(({ name, text, bytes }) => ({
          name,
          data: Buffer.from(bytes ?? text),
          contentType: bytes ? "application/octet-stream" : "text/plain",
        })),
      }
    : { body };
}

function callback(answer: InteractionAnswer) {
  switch (answer.kind) {
    case "later":
      return { body: { type: InteractionResponseType.DeferredMessageUpdate } };
    case "promise":
      return {
        body: {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          data: { flags: MessageFlags.Ephemeral, allowed_mentions: NOBODY },
        },
      };
    case "say": {
      const { body, ...rest } = wire(answer.message, answer.toAll ? {} : privately(answer.message));
      return { body: { type: InteractionResponseType.ChannelMessageWithSource, data: body }, ...rest };
    }
    case "form":
      return { body: { type: InteractionResponseType.Modal, data: answer.form } };
    case "choices":
      return { body: { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices: answer.choices } } };
  }
}
