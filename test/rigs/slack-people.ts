/** What people do in Slack, and what Slack then tells the app. Everything resolves with the deliveries it caused. */
import { type Fields, type Message, type Space, text } from "./slack-space.ts";
import type { Delivery, Kind } from "./slack-wire.ts";

const CHANNEL_TYPE = { channel: "channel", group: "group", mpim: "mpim", im: "im" } as const;

export interface Said {
  channel: string;
  ts: string;
  message: Message;
  /** Resolves when Slack was told that the app has it, or gave up. */
  told: Promise<Delivery[]>;
}

/** A workspace, as those in it see it. */
export interface Line {
  readonly space: Space;
  readonly url: string;
  event(event: Fields, more?: { shared?: boolean }): Promise<Delivery>;
  deliver(kind: Kind, body: Fields): Promise<Delivery>;
}

export class SlackPerson {
  readonly #rig: Line;
  readonly id: string;

  constructor(rig: Line, id: string) {
    this.#rig = rig;
    this.id = id;
  }

  /** Writes. In a channel, a message that names the bot is told twice: as `message` and as `app_mention`. */
  say(
    channelId: string,
    words: string,
    more: {
      thread?: string;
      files?: Fields[];
      attachments?: Fields[];
      subtype?: string;
      only?: "message" | "app_mention";
      beside?: Fields;
    } = {},
  ): Said {
    const { space } = this.#rig;
    const channel = space.channel(channelId);
    const message = space.add({
      channel: channel.id,
      user: this.id,
      text: words,
      ...(more.thread === undefined ? {} : { thread_ts: more.thread }),
      ...(more.files ? { files: more.files, subtype: "file_share" } : {}),
      ...(more.attachments ? { attachments: more.attachments } : {}),
      ...(more.subtype ? { subtype: more.subtype } : {}),
    });
    const inner: Fields = { ...space.told(message), channel: channel.id, event_ts: message.ts, ...more.beside };
    if (space.person(this.id).team) inner.user_team = space.person(this.id).team;
    const events: Fields[] = [];
    if (more.only !== "app_mention") events.push({ ...inner, channel_type: CHANNEL_TYPE[channel.kind] });
    const names = words.includes(`<@${space.facts.botUser}>`) && channel.kind !== "im";
    if (names && more.only !== "message") events.push({ ...inner, type: "app_mention", subtype: undefined });
    const told = Promise.all(events.map((event) => this.#rig.event(event, { shared: channel.shared ?? false })));
    return { channel: channel.id, ts: message.ts, message, told };
  }
  mention(channel: string, words: string, thread?: string): Said {
    return this.say(channel, `<@${this.#rig.space.facts.botUser}> ${words}`, thread === undefined ? {} : { thread });
  }
  dm(words: string, thread?: string): Said {
    return this.say(this.#rig.space.dm(this.id).id, words, thread === undefined ? {} : { thread });
  }
  /** Writes to the app with something open beside it. */
  dmBeside(words: string, ...entities: Fields[]): Said {
    return this.say(this.#rig.space.dm(this.id).id, words, { beside: { app_context: entities.length ? { entities } : {} } });
  }

  edit(message: Message, words: string): Promise<Delivery> {
    const { space } = this.#rig;
    const before = space.told(message);
    message.text = words;
    message.edited = { user: this.id, ts: space.ts() };
    return this.#changed(message, before);
  }
  /** Slack looked at a link: the message changes, its words do not. */
  unfurl(message: Message): Promise<Delivery> {
    const before = this.#rig.space.told(message);
    return this.#changed(message, before, { attachments: [{ text: "a page" }] });
  }
  #changed(message: Message, before: Fields, more: Fields = {}): Promise<Delivery> {
    const { space } = this.#rig;
    return this.#rig.event({
      type: "message",
      subtype: "message_changed",
      hidden: true,
      channel: message.channel,
      channel_type: CHANNEL_TYPE[space.channel(message.channel).kind],
      ts: space.ts(),
      message: { ...space.told(message), ...more },
      previous_message: before,
    });
  }
  react(message: Message, name: string): Promise<Delivery> {
    const { ts, channel, user } = message;
    const item = { type: "message", channel, ts };
    return this.#rig.event({
      type: "reaction_added",
      user: this.id,
      reaction: name,
      item,
      item_user: user,
      event_ts: this.#rig.space.ts(),
    });
  }
  remove(message: Message): Promise<Delivery> {
    const { space } = this.#rig;
    const before = space.told(message);
    message.removed = true;
    return this.#rig.event({
      type: "message",
      subtype: "message_deleted",
      hidden: true,
      channel: message.channel,
      channel_type: CHANNEL_TYPE[space.channel(message.channel).kind],
      ts: space.ts(),
      deleted_ts: message.ts,
      previous_message: before,
    });
  }

  /** Presses the first button with this word on a message, as the message is now or as it was seen. */
  press(message: Message, word: string): Promise<Delivery> {
    const found = buttonsOf(message).find((button) => button.word === word);
    if (!found) throw new Error(`No button "${word}" on ${message.ts}.`);
    const { space } = this.#rig;
    return this.#rig.deliver("interactive", {
      type: "block_actions",
      ...this.#about(),
      container: {
        type: "message",
        message_ts: message.ts,
        channel_id: message.channel,
        is_ephemeral: message.onlyFor !== undefined,
        thread_ts: message.thread_ts,
      },
      channel: { id: message.channel, name: space.channel(message.channel).name },
      // Slack does not tell what one person alone was shown.
      ...(message.onlyFor === undefined ? { message: space.told(message) } : {}),
      trigger_id: space.trigger(this.id),
      response_url: `${this.#rig.url}/response/${message.ts}`,
      actions: [{ ...found.element, block_id: found.block, action_ts: space.ts() }],
    });
  }
  /** Looks at the app's Home tab, or at its messages. */
  opens(tab: "home" | "messages"): Promise<Delivery> {
    const { space } = this.#rig;
    const channel = space.dm(this.id).id;
    return this.#rig.event({ type: "app_home_opened", user: this.id, channel, tab, event_ts: space.ts() });
  }
  /** Presses a button on the own Home tab, or in an open modal: the first with this word, or the one with this id. */
  pressIn(view: { id: string; view: Fields }, word: string): Promise<Delivery> {
    const { space } = this.#rig;
    const found = buttonsIn(view.view).find((button) => button.word === word);
    if (!found) throw new Error(`No button "${word}" in ${view.id}.`);
    return this.#rig.deliver("interactive", {
      type: "block_actions",
      ...this.#about(),
      container: { type: "view", view_id: view.id },
      view: { ...view.view, id: view.id, team_id: space.facts.team },
      trigger_id: space.trigger(this.id),
      actions: [{ ...found.element, block_id: found.block, action_ts: space.ts() }],
    });
  }
  home(): { id: string; view: Fields } {
    const found = this.#rig.space.homes.get(this.id);
    if (!found) throw new Error(`${this.id} has no Home tab.`);
    return found;
  }
  /** A message's shortcut. */
  shortcut(message: Message, callback: string): Promise<Delivery> {
    const { space } = this.#rig;
    return this.#rig.deliver("interactive", {
      type: "message_action",
      ...this.#about(),
      callback_id: callback,
      trigger_id: space.trigger(this.id),
      action_ts: space.ts(),
      message_ts: message.ts,
      response_url: `${this.#rig.url}/response/${message.ts}`,
      channel: { id: message.channel, name: space.channel(message.channel).name },
      message: space.told(message),
    });
  }
  /** Sends the form with changed values; fields that are not named keep what stands in them. */
  submit(viewId: string, values: Record<string, string>): Promise<Delivery> {
    const opened = this.#rig.space.views.get(viewId);
    if (!opened) throw new Error(`No form ${viewId}.`);
    const state: Record<string, Fields> = {};
    for (const block of opened.view.blocks as Fields[]) {
      if (block.type !== "input") continue;
      const element = block.element as Fields;
      const id = text(block.block_id);
      state[id] = { [text(element.action_id)]: { type: element.type, ...left(element, values[id]) } };
    }
    return this.#rig.deliver("interactive", {
      type: "view_submission",
      ...this.#about(),
      trigger_id: this.#rig.space.trigger(this.id),
      view: { ...opened.view, id: opened.id, team_id: this.#rig.space.facts.team, state: { values: state } },
    });
  }
  slash(channelId: string, command: string, words = ""): Promise<Delivery> {
    const { space } = this.#rig;
    const channel = space.channel(channelId);
    return this.#rig.deliver("slash_commands", {
      team_id: space.facts.team,
      channel_id: channel.id,
      channel_name: channel.kind === "im" ? "directmessage" : channel.name,
      user_id: this.id,
      user_name: space.person(this.id).name,
      command,
      text: words,
      api_app_id: space.facts.app,
      trigger_id: space.trigger(this.id),
      response_url: `${this.#rig.url}/response/${channel.id}/${this.id}`,
      is_enterprise_install: String(space.facts.wide ?? false),
      ...(space.facts.enterprise ? { enterprise_id: space.facts.enterprise } : {}),
    });
  }
  #about(): Fields {
    const { facts } = this.#rig.space;
    const name = this.#rig.space.person(this.id).name.toLowerCase();
    return {
      team: { id: facts.team, domain: "team" },
      user: { id: this.id, username: name, name, team_id: facts.team },
      api_app_id: facts.app,
      ...(facts.enterprise ? { enterprise: { id: facts.enterprise, name: "Org" } } : {}),
      is_enterprise_install: facts.wide ?? false,
    };
  }
}

export interface SeenButton {
  word: string;
  block: string;
  element: Fields;
}
export const buttonsOf = (message: Message): SeenButton[] => buttonsIn(message);
export function buttonsIn(view: { blocks?: unknown }): SeenButton[] {
  return ((view.blocks ?? []) as Fields[]).flatMap((block, index) =>
    (Array.isArray(block.elements) ? (block.elements as Fields[]) : [])
      .filter((element) => element.type === "button")
      .map((element) => ({ word: text((element.text as Fields).text), block: text(block.block_id) || `b${index}`, element })),
  );
}

/** All words of a message as people read them: those of its blocks, else its text. */
export function wordsOf(message: Message): string {
  return message.blocks.length ? [...words(message.blocks)].join("\n") : message.text;
}
/** All words of a view: a modal's, or a Home tab's. */
export const wordsIn = (view: Fields): string => [...words(view.blocks)].join("\n");
function* words(node: unknown): Generator<string> {
  if (Array.isArray(node)) {
    for (const each of node) yield* words(each);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const fields = node as Fields;
  if (fields.type === "button") return;
  if (typeof fields.text === "string") yield fields.text;
  if (typeof fields.title === "string") yield fields.title;
  for (const value of Object.values(fields)) if (typeof value === "object") yield* words(value);
}

/** What stands in an element when the form is sent. Of a menu only its own options can be chosen, several with lines between. */
function left(element: Fields, given: string | undefined): Fields {
  if (element.options === undefined) return { value: (given ?? text(element.initial_value)) || null };
  const options = element.options as { value: string }[];
  const several = element.type === "multi_static_select";
  const first = several ? element.initial_options : [element.initial_option].filter(Boolean);
  const chosen = given === undefined ? ((first ?? []) as { value: string }[]) : given.split("\n").filter(Boolean).map(option);
  return several ? { selected_options: chosen } : { selected_option: chosen[0] ?? null };

  function option(value: string): { value: string } {
    const found = options.find((one) => one.value === value);
    if (!found) throw new Error(`There is no option ${value}; there are ${options.map((one) => one.value).join(", ")}`);
    return found;
  }
}
