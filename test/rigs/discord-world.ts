/**
 * Who and what is in a small Discord: guilds, channels, threads, people, messages. Keeps Discord's rules about them; knows no network.
 *
 * D1. What is refused is refused with Discord's own code.
 * D2. Ids are snowflakes: they grow with time.
 */
import { faults } from "./discord-limits.ts";
import type { Channel, Draft, Guild, Member, Message, Upload, User } from "./discord-shapes.ts";

export type { Channel, Component, Draft, Guild, Message, Upload, User } from "./discord-shapes.ts";

export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const TEXT = 0;
export const DM = 1;
export const VOICE = 2;
export const FORUM = 15;
export const MEDIA = 16;
const PUBLIC_THREAD = 11;
export const EPHEMERAL = 64;
const HOUR = 3600_000;
const VIEW_AND_MORE = String((1n << 10n) | (1n << 11n) | (1n << 14n) | (1n << 16n) | (1n << 35n) | (1n << 38n));
const EPOCH = 1_420_070_400_000n;

/** Tells what happened to whoever listens. */
export type Tell = (event: string, data: object, guild: string | undefined) => void;

export class World {
  readonly guilds = new Map<string, Guild>();
  readonly users = new Map<string, User>();
  readonly channels = new Map<string, Channel>();
  readonly messages = new Map<string, Message>();
  readonly bot: User;
  /** Edits of a message older than an hour are refused beyond so many. */
  oldEdits = 3;
  /** Where files are given out; the links to them, by file: only the newest that was told of each is good. */
  cdn = "";
  readonly links = new Map<string, string>();
  tell: Tell = () => {};
  #last = 0n;
  #nonces = new Map<string, string>();
  #edited = new Map<string, number>();

  constructor() {
    this.bot = this.person("denizen", { bot: true });
  }

  /** `age`: made so many ms ago. */
  id(age = 0): string {
    const now = (BigInt(Date.now() - age) - EPOCH) << 22n;
    if (age) return String(now + BigInt(this.messages.size));
    this.#last = now > this.#last ? now : this.#last + 1n;
    return String(this.#last);
  }
  person(username: string, { bot = false, guild }: { bot?: boolean; guild?: Guild } = {}): User {
    const user = { id: this.id(), username, global_name: username.replace(/^./, (letter) => letter.toUpperCase()), bot };
    this.users.set(user.id, user);
    if (guild) this.join(guild, user);
    return user;
  }
  join(guild: Guild, user: User, roles: string[] = []): Member {
    const joined = new Date(0).toISOString();
    const member = { user, nick: null, roles, pending: false, flags: 0, joined_at: joined, deaf: false, mute: false };
    guild.members.set(user.id, member);
    return member;
  }
  guild(name: string, more: { everyone?: string; age?: number } = {}): Guild {
    const id = this.id(more.age);
    const own = { id: this.id(), name: "denizen", permissions: "0", tags: { bot_id: this.bot.id } };
    const everyone = { id, name: "@everyone", permissions: more.everyone ?? VIEW_AND_MORE };
    const guild: Guild = { id, name, owner_id: this.id(), roles: [everyone, own], members: new Map() };
    this.guilds.set(id, guild);
    this.join(guild, this.bot, [own.id]);
    return guild;
  }
  channel(guild: Guild, name: string, type = TEXT, more: Partial<Channel> = {}): Channel {
    const channel = {
      id: this.id(),
      type,
      guild_id: guild.id,
      name,
      parent_id: null,
      permission_overwrites: [],
      last_message_id: null,
      ...more,
    };
    this.channels.set(channel.id, channel);
    return channel;
  }
  /** Only those with this role, and the bot, may view it. */
  hidden(guild: Guild, name: string, role: string): Channel {
    const view = String(1n << 10n);
    return this.channel(guild, name, TEXT, {
      permission_overwrites: [
        { id: guild.id, type: 0, allow: "0", deny: view },
        { id: role, type: 0, allow: view, deny: "0" },
        { id: this.bot.id, type: 1, allow: view, deny: "0" },
      ],
    });
  }
  direct(user: User): Channel {
    const known = [...this.channels.values()].find((one) => one.type === DM && one.recipients?.[0]?.id === user.id);
    if (known) return known;
    const channel: Channel = { id: this.id(), type: DM, recipients: [user], last_message_id: null };
    this.channels.set(channel.id, channel);
    return channel;
  }

  at(channel: string): Channel {
    const found = this.channels.get(channel);
    if (!found) throw new Refusal(404, 10003, "Unknown Channel");
    return found;
  }
  said(channel: string): Message[] {
    return [...this.messages.values()]
      .filter((one) => one.channel_id === channel)
      .sort((one, other) => (BigInt(one.id) > BigInt(other.id) ? 1 : -1));
  }
  message(channel: string, id: string): Message {
    const found = this.messages.get(id);
    if (!found || found.channel_id !== channel) throw new Refusal(404, 10008, "Unknown Message");
    return found;
  }

  create(
    channel: Channel,
    author: User,
    draft: Draft,
    { files = [], age = 0, webhook, id = this.id(age) }: { files?: Upload[]; age?: number; webhook?: string; id?: string } = {},
  ): Message {
    this.#open(channel, true);
    if (author.id === this.bot.id) this.#check(draft, files);
    const nonce = `${channel.id} ${draft.nonce}`;
    const twin = draft.enforce_nonce ? this.messages.get(this.#nonces.get(nonce) ?? "") : undefined;
    if (twin) return twin;
    const { message_reference: reply } = draft;
    const to = reply && this.messages.get(reply.message_id);
    if (reply && !to && reply.fail_if_not_exists !== false) throw new Refusal(400, 50035, "Invalid Form Body");
    const message: Message = {
      id,
      channel_id: channel.id,
      type: to ? 19 : 0,
      author,
      content: draft.content ?? "",
      timestamp: new Date(Date.now() - age).toISOString(),
      edited_timestamp: null,
      embeds: draft.embeds ?? [],
      components: draft.components ?? [],
      attachments: files.map((file) => this.#attached(file)),
      flags: draft.flags ?? 0,
      ...this.#mentions(draft, author, to),
      pinned: false,
      tts: false,
      ...(draft.nonce === undefined ? {} : { nonce: draft.nonce }),
      ...(webhook === undefined ? {} : { webhook_id: webhook }),
      ...(to ? { message_reference: { message_id: to.id, channel_id: channel.id }, referenced_message: to } : {}),
    };
    if (draft.nonce !== undefined) this.#nonces.set(nonce, message.id);
    this.messages.set(message.id, message);
    channel.last_message_id = message.id;
    if (!(message.flags & EPHEMERAL)) this.tell("MESSAGE_CREATE", message, channel.guild_id);
    return message;
  }
  edit(channel: Channel, id: string, draft: Draft, files: Upload[] = []): Message {
    const message = this.message(channel.id, id);
    if (message.author.id !== this.bot.id) throw new Refusal(403, 50005, "Cannot edit a message authored by another user");
    if (channel.thread_metadata?.archived) throw new Refusal(400, 50083, "Thread is archived");
    const old = Date.now() - Date.parse(message.timestamp) > HOUR;
    const times = (this.#edited.get(id) ?? 0) + 1;
    this.#edited.set(id, times);
    if (old && times > this.oldEdits)
      throw new Refusal(400, 30046, "Maximum number of edits to messages older than 1 hour reached. Try again later");
    const { content = message.content, embeds = message.embeds, components = message.components } = draft;
    this.#check({ content, embeds, components }, files);
    const kept = draft.attachments
      ? message.attachments.filter((one) => draft.attachments?.some(({ id: kept }) => String(kept) === one.id))
      : message.attachments;
    const added = files.map((file) => this.#attached(file));
    const changes = { content, embeds, components, attachments: [...kept, ...added], edited_timestamp: new Date().toISOString() };
    Object.assign(message, changes, this.#mentions({ ...draft, content }, this.bot, undefined));
    if (!(message.flags & EPHEMERAL)) this.tell("MESSAGE_UPDATE", message, channel.guild_id);
    return message;
  }
  #attached({ name, text, type }: Upload): Message["attachments"][number] {
    const id = this.id();
    return { id, filename: name, size: text.length, url: this.sign(id, name), text, ...(type ? { content_type: type } : {}) };
  }
  /** A new link to a file; those before it die. */
  sign(id: string, name: string): string {
    const link = `/attachments/1/${id}/${encodeURIComponent(name)}?hm=${this.links.size}${Math.random().toString(36).slice(2)}`;
    this.links.set(id, link);
    return `${this.cdn}${link}`;
  }
  remove(channel: Channel, id: string): void {
    this.message(channel.id, id);
    this.messages.delete(id);
    this.tell(
      "MESSAGE_DELETE",
      { id, channel_id: channel.id, ...(channel.guild_id ? { guild_id: channel.guild_id } : {}) },
      channel.guild_id,
    );
  }
  /** On a message (its id becomes the thread's), or a forum's post. */
  thread(parent: Channel, name: string, owner: User, message?: string): Channel {
    if (name.length < 1 || name.length > 100) throw new Refusal(400, 50035, "Invalid Form Body");
    if (message !== undefined) this.message(parent.id, message);
    if (![TEXT, 5, FORUM, MEDIA].includes(parent.type)) throw new Refusal(400, 50024, "Cannot execute action on this channel type");
    if (message !== undefined && this.channels.has(message))
      throw new Refusal(400, 160004, "A thread has already been created for this message");
    const thread = this.channel({ id: parent.guild_id ?? "" } as Guild, name, PUBLIC_THREAD, {
      id: message ?? this.id(),
      parent_id: parent.id,
      owner_id: owner.id,
      thread_metadata: { archived: false, locked: false, auto_archive_duration: 1440, archive_timestamp: new Date().toISOString() },
    });
    this.tell("THREAD_CREATE", thread, thread.guild_id);
    return thread;
  }
  /** Somebody writes in an archived thread: it opens again, unless it is locked. */
  #open(channel: Channel, writing: boolean): void {
    const archive = channel.thread_metadata;
    if (!archive?.archived) return;
    if (archive.locked || !writing) throw new Refusal(400, 50083, "Thread is archived");
    archive.archived = false;
    this.tell("THREAD_UPDATE", channel, channel.guild_id);
  }
  #check(draft: Draft, files: Upload[]): void {
    if (!draft.content && !draft.embeds?.length && !draft.components?.length && !files.length)
      throw new Refusal(400, 50006, "Cannot send an empty message");
    const wrong = faults(draft, files);
    if (wrong.length) throw new Refusal(400, 50035, `Invalid Form Body: ${wrong.join("; ")}`);
  }
  /** Whom the words would call. What people write calls whom they name; a bot may say whom its words may call. */
  #mentions({ content = "", allowed_mentions: allowed }: Draft, author: User, to: Message | undefined) {
    const may = (kind: string, id?: string): boolean => {
      if (!author.bot || !allowed) return true;
      const listed = kind === "users" ? allowed.users : allowed.roles;
      return allowed.parse?.includes(kind) === true || (id !== undefined && listed?.includes(id) === true);
    };
    const ids = [...content.matchAll(/<@!?(\d+)>/g)].map((match) => match[1] ?? "").filter((id) => may("users", id));
    const replied = to && (allowed ? allowed.replied_user : true) ? [to.author.id] : [];
    return {
      mentions: [...new Set([...ids, ...replied])].flatMap((id) => this.users.get(id) ?? []),
      mention_roles: [...content.matchAll(/<@&(\d+)>/g)].map((match) => match[1] ?? "").filter((id) => may("roles", id)),
      mention_everyone: /@(everyone|here)\b/.test(content) && may("everyone"),
    };
  }
}
