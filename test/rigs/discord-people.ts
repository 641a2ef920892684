/** What people do at Discord, and what they can see there. */
import { randomUUID } from "node:crypto";
import type { DiscordRig } from "./discord.ts";
import type { Interaction } from "./discord-api.ts";
import { type Channel, type Component, EPHEMERAL, type Message, type Upload, type User } from "./discord-world.ts";

type Fields = Record<string, unknown>;

export class DiscordPerson {
  readonly user: User;
  readonly #rig: DiscordRig;

  constructor(rig: DiscordRig, user: User) {
    this.#rig = rig;
    this.user = user;
  }

  say(channel: Channel, content: string, more: { replyTo?: Message; files?: (string | Upload)[]; age?: number } = {}): Message {
    const draft = { content, ...(more.replyTo ? { message_reference: { message_id: more.replyTo.id } } : {}) };
    const files = (more.files ?? []).map((file) => (typeof file === "string" ? { name: file, text: "" } : file));
    return this.#rig.world.create(channel, this.user, draft, { files, ...(more.age ? { age: more.age } : {}) });
  }
  mention(channel: Channel, text: string, more: { replyTo?: Message } = {}): Message {
    return this.say(channel, `<@${this.#rig.world.bot.id}> ${text}`, more);
  }
  /** A post in a forum or media channel: a thread whose first message bears its id. */
  post(forum: Channel, title: string, content: string, files: Upload[] = []): { post: Channel; first: Message } {
    const post = this.#rig.world.thread(forum, title, this.user);
    return { post, first: this.#rig.world.create(post, this.user, { content }, { files, id: post.id }) };
  }
  edit(message: Message, content: string): void {
    const { world } = this.#rig;
    Object.assign(message, { content, edited_timestamp: new Date().toISOString() });
    world.tell("MESSAGE_UPDATE", message, world.at(message.channel_id).guild_id);
  }
  remove(message: Message): void {
    this.#rig.world.remove(this.#rig.world.at(message.channel_id), message.id);
  }

  /** Presses a button of a message as it was seen, also if the message changed since. */
  press(message: Message, word: string): Interaction {
    const button = buttonsOf(message).find(({ label }) => label === word);
    if (!button) throw new Error(`There is no button “${word}”; there are ${buttonsOf(message).map(({ label }) => label)}`);
    return this.act(3, message.channel_id, { component_type: 2, custom_id: button.custom_id }, { message });
  }
  /** Sends the form that an interaction opened. */
  submit(opened: Interaction, values: Record<string, string>, message?: Message): Interaction {
    const rows = (opened.modal?.components ?? []) as { component: Asked }[];
    const components = rows.map(({ component }) => ({ type: 18, component: left(component, values[component.custom_id] ?? "") }));
    return this.act(5, opened.channel, { custom_id: opened.modal?.custom_id, components }, message ? { message } : {});
  }
  slash(name: string, channel: Channel, options: Record<string, string> = {}): Interaction {
    return this.act(2, channel.id, { type: 1, id: "1", name, options: optionsOf(options) });
  }
  /** `before`: what stands in the other options. */
  typing(name: string, channel: Channel, option: string, value: string, before: Record<string, string> = {}): Interaction {
    const options = [...optionsOf(before), { name: option, type: 3, value, focused: true }];
    return this.act(4, channel.id, { type: 1, id: "1", name, options });
  }
  /** From a message's menu. */
  menu(name: string, message: Message): Interaction {
    return this.act(2, message.channel_id, {
      type: 3,
      id: "2",
      name,
      target_id: message.id,
      resolved: { messages: { [message.id]: message } },
    });
  }
  act(type: number, channelId: string, data: Fields, more: Fields = {}): Interaction {
    const { world, interactions, gateway } = this.#rig;
    const channel = world.at(channelId);
    const one: Interaction = { id: world.id(), token: randomUUID(), type, channel: channelId, at: Date.now(), followUps: [] };
    interactions.set(one.id, one);
    const member = world.guilds.get(channel.guild_id ?? "")?.members.get(this.user.id);
    const who = channel.guild_id
      ? { guild_id: channel.guild_id, member: { ...member, user: this.user, permissions: "0" } }
      : { user: this.user };
    const body = {
      id: one.id,
      application_id: world.bot.id,
      type,
      data,
      channel_id: channelId,
      channel,
      token: one.token,
      version: 1,
      locale: "en-US",
      entitlements: [],
      authorizing_integration_owners: {},
      attachment_size_limit: 10 << 20,
      ...who,
      ...more,
    };
    gateway.tell("INTERACTION_CREATE", body, channel.guild_id);
    return one;
  }
}

interface Asked {
  type: number;
  custom_id: string;
  options?: { value: string }[];
  min_values?: number;
  max_values?: number;
}
/** What is in a field when the form is sent. Of a menu only its own options can be chosen, several with lines between. */
function left({ type, custom_id, options, min_values: least = 1, max_values: most = 1 }: Asked, given: string) {
  if (type !== 3) return { type, custom_id, value: given };
  const values = given.split("\n").filter(Boolean);
  const strange = values.filter((one) => !options?.some(({ value }) => value === one));
  if (strange.length || values.length < least || values.length > most) throw new Error(`Nobody can choose ${JSON.stringify(values)} here.`);
  return { type, custom_id, values };
}

const optionsOf = (options: Record<string, string>) => Object.entries(options).map(([name, value]) => ({ name, type: 3, value }));

export const buttonsOf = ({ components }: Message): Component[] => components.flatMap((row) => row.components ?? []);
export const wordsOf = ({ content, embeds }: Message): string =>
  [
    content,
    ...embeds.flatMap(({ title, description, fields }) => [
      title,
      description,
      ...(fields ?? []).flatMap(({ name, value }) => [name, value]),
    ]),
  ]
    .filter(Boolean)
    .join("\n");
export const isPrivate = ({ flags }: Message): boolean => (flags & EPHEMERAL) !== 0;
