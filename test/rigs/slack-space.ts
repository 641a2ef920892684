/**
 * What a Slack workspace holds, as plain data: people, channels, messages, open forms. No network here.
 *
 * Everything Slack refuses is thrown as a `Refusal` with Slack's own error code.
 */
export type Fields = Record<string, unknown>;

export interface Person {
  id: string;
  name: string;
  bot?: boolean;
  guest?: boolean;
  owner?: boolean;
  /** Another workspace's id, for people of a shared channel. */
  team?: string;
  /** In an organisation: all the workspaces of somebody. */
  teams?: string[];
}
export interface Channel {
  id: string;
  name: string;
  kind: "channel" | "group" | "mpim" | "im";
  members: string[];
  archived?: boolean;
  shared?: boolean;
}
export interface Message {
  channel: string;
  ts: string;
  thread_ts?: string;
  user: string;
  /** Only on messages of the app. */
  bot_id?: string;
  text: string;
  blocks: Fields[];
  metadata?: Fields;
  /** Set on messages that one person sees. */
  onlyFor?: string;
  subtype?: string;
  files?: Fields[];
  attachments?: Fields[];
  edited?: { user: string; ts: string };
  removed?: boolean;
  /** How often the app edited it. */
  edits: number;
  /** Set on messages that were streamed. */
  stream?: { from: number; ended: boolean };
}
export interface OpenView {
  id: string;
  user: string;
  view: Fields;
}

export class Refusal extends Error {
  readonly code: string;
  readonly more: Fields;
  constructor(code: string, more: Fields = {}) {
    super(code);
    this.code = code;
    this.more = more;
  }
}
export const refuse = (code: string, more?: Fields): never => {
  throw new Refusal(code, more);
};
export const text = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : String(value);

export interface SpaceOptions {
  team: string;
  app: string;
  botUser: string;
  botId: string;
  people: Person[];
  channels: Channel[];
  /** The organisation it is part of. */
  enterprise?: string;
  /** The app is installed by the organisation as a whole. */
  wide?: boolean;
  /** User groups. */
  groups?: { id: string; name?: string; users: string[] }[];
}

/** The same small workspace for most tests: two members, a guest, an owner; a public channel, a private one. */
export const someSpace = (): SpaceOptions => {
  const everybody = ["U1ANN", "U2BEN", "U3GIL", "U4OLA", "UBOT"];
  return {
    team: "T1",
    app: "A1",
    botUser: "UBOT",
    botId: "B1",
    people: [
      { id: "U1ANN", name: "Ann" },
      { id: "U2BEN", name: "Ben" },
      { id: "U3GIL", name: "Gil", guest: true },
      { id: "U4OLA", name: "Ola", owner: true },
      { id: "U5XEN", name: "Xen", team: "T9" },
      { id: "U6ROB", name: "Rob", bot: true },
      { id: "UBOT", name: "denizen", bot: true },
    ],
    channels: [
      { id: "C1", name: "general", kind: "channel", members: everybody },
      { id: "C2", name: "random", kind: "channel", members: everybody },
      { id: "G1", name: "board", kind: "group", members: ["U1ANN", "UBOT"] },
      { id: "C3", name: "partners", kind: "channel", members: [...everybody, "U5XEN"], shared: true },
    ],
  };
};

export class Space {
  readonly facts: SpaceOptions;
  readonly messages: Message[] = [];
  /** What is kept for the workspace, by id: as Slack tells of it, and its bytes once they were handed over. */
  readonly files = new Map<string, { info: Fields; bytes?: Buffer }>();
  readonly views = new Map<string, OpenView>();
  /** What stands on people's Home tabs. */
  readonly homes = new Map<string, { id: string; view: Fields; times: number }>();
  readonly titles: Fields[] = [];
  /** What of a message is left out when it is told, where Slack need not tell it. */
  readonly silent = new Set<"latest_reply">();
  readonly prompts: Fields[] = [];
  readonly signs: { channel: string; ts: string; name: string }[] = [];
  readonly statuses: Fields[] = [];
  /** After that many ms a stream ends by itself. */
  streamsLast = 300_000;
  #lastMicros = 0;
  #triggers = new Map<string, { user: string; at: number; used: boolean }>();
  #count = 0;

  constructor(facts: SpaceOptions) {
    this.facts = facts;
  }

  /** A timestamp later than all before it. */
  ts(): string {
    this.#lastMicros = Math.max(Date.now() * 1000, this.#lastMicros + 1);
    return `${Math.floor(this.#lastMicros / 1e6)}.${String(this.#lastMicros % 1e6).padStart(6, "0")}`;
  }
  id(prefix: string): string {
    this.#count++;
    return `${prefix}${Date.now().toString(36).toUpperCase()}${this.#count}`;
  }

  channel(id: unknown): Channel {
    return this.facts.channels.find((channel) => channel.id === id) ?? refuse("channel_not_found");
  }
  /** The channel the app may write to and read from. */
  joined(id: unknown): Channel {
    const channel = this.channel(id);
    if (channel.archived) refuse("is_archived");
    if (!channel.members.includes(this.facts.botUser)) refuse("not_in_channel");
    return channel;
  }
  dm(person: string): Channel {
    const found = this.facts.channels.find((channel) => channel.kind === "im" && channel.members.includes(person));
    if (found) return found;
    const opened: Channel = { id: `D${person.slice(1)}`, name: person, kind: "im", members: [person, this.facts.botUser] };
    this.facts.channels.push(opened);
    return opened;
  }
  person(id: unknown): Person {
    return this.facts.people.find((person) => person.id === id) ?? refuse("user_not_found");
  }

  add(message: Omit<Message, "ts" | "edits" | "blocks"> & { blocks?: Fields[] }): Message {
    const added: Message = { ...message, blocks: message.blocks ?? [], ts: this.ts(), edits: 0 };
    this.messages.push(added);
    return added;
  }
  message(channel: string, ts: unknown): Message | undefined {
    return this.messages.find((message) => message.channel === channel && message.ts === ts && !message.removed);
  }
  /** A message of the app itself, which it may edit and delete. */
  own(channel: string, ts: unknown): Message {
    const message = this.message(channel, ts);
    if (!message || message.onlyFor) return refuse("message_not_found");
    if (message.bot_id !== this.facts.botId) return refuse("cant_update_message");
    return message;
  }
  thread(channel: string, root: string): Message[] {
    return this.messages.filter((m) => m.channel === channel && !m.removed && (m.ts === root || m.thread_ts === root));
  }
  /** What the app said in a thread, to everybody. */
  said(channel: string, root?: string): Message[] {
    return this.messages.filter(
      (m) =>
        m.channel === channel && m.bot_id === this.facts.botId && !m.removed && !m.onlyFor && (root === undefined || m.thread_ts === root),
    );
  }
  /** What only this person sees. */
  whispered(person: string): Message[] {
    return this.messages.filter((m) => m.onlyFor === person && !m.removed);
  }

  #latest(replies: readonly Message[]): Fields {
    return this.silent.has("latest_reply") ? {} : { latest_reply: replies.at(-1)?.ts };
  }
  /** A message as Slack tells it. */
  told(message: Message): Fields {
    const { channel: _channel, onlyFor: _onlyFor, removed: _removed, edits: _edits, stream: _stream, ...rest } = message;
    const replies = this.messages.filter((m) => m.channel === message.channel && m.thread_ts === message.ts && !m.removed);
    return {
      type: "message",
      team: this.facts.team,
      ...rest,
      ...(replies.length ? { thread_ts: message.ts, reply_count: replies.length, ...this.#latest(replies) } : {}),
    };
  }

  /** A file of somebody's. `at`: where it is fetched from. */
  keep(name: string, mimetype: string, bytes: Buffer, at: string, more: Fields = {}): Fields {
    const id = this.id("F");
    const info = {
      id,
      name,
      title: name,
      mimetype,
      size: bytes.byteLength,
      mode: "hosted",
      url_private: `${at}/files-pri/${id}/${name}`,
      ...more,
    };
    this.files.set(id, { info, bytes });
    return info;
  }

  trigger(user: string): string {
    const id = this.id("trigger.");
    this.#triggers.set(id, { user, at: Date.now(), used: false });
    return id;
  }
  useTrigger(id: unknown): string {
    const trigger = this.#triggers.get(text(id)) ?? refuse("invalid_trigger_id");
    if (Date.now() - trigger.at > 3000) refuse("expired_trigger_id");
    if (trigger.used) refuse("exchanged_trigger_id");
    trigger.used = true;
    return trigger.user;
  }
}
