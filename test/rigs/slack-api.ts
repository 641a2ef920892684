/** The Web API methods that are modelled. Each gives its own fields back, or throws the refusal Slack would answer with. */
import { problems } from "../../adapters/slack/limits.ts";
import { type Fields, type Message, refuse, type Space, text } from "./slack-space.ts";
import { isStreaming, streamMethods } from "./slack-stream.ts";

type Method = (space: Space, args: Fields, at: string) => Fields;

const blocksOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

function checkContent(args: Fields): void {
  const blocks = blocksOf(args.blocks);
  if (!text(args.text) && blocks.length === 0) refuse("no_text");
  const wrong = problems(blocks, "message");
  if (wrong.length) refuse(wrong.some((line) => line.includes("together")) ? "msg_blocks_too_long" : "invalid_blocks", { errors: wrong });
}
function checkView(view: unknown): Fields {
  if (typeof view !== "object" || view === null) return refuse("invalid_arguments");
  const fields = view as Fields;
  const wrong = problems(blocksOf(fields.blocks), "modal");
  const title = fields.title as Fields | undefined;
  if (!text(title?.text) || text(title?.text).length > 24) wrong.push("title: 1 to 24 characters");
  if (text(fields.private_metadata).length > 3000) wrong.push("private_metadata: at most 3000 characters");
  if (blocksOf(fields.blocks).some((block) => block.type === "input") && !fields.submit) wrong.push("submit is required with inputs");
  if (wrong.length) refuse("invalid_arguments", { response_metadata: { messages: wrong } });
  return fields;
}

function history(all: Message[], space: Space, args: Fields): Fields {
  const list = all.filter(
    ({ ts }) => Number(ts) > Number(args.oldest ?? 0) && Number(ts) <= Number(args.latest ?? Number.POSITIVE_INFINITY),
  );
  const from = Number(text(args.cursor) || 0);
  const limit = Number(args.limit ?? 100);
  const more = from + limit < list.length;
  const withMetadata = text(args.include_all_metadata) === "true";
  const messages = list.slice(from, from + limit).map((message) => {
    const told = space.told(message);
    if (!withMetadata) delete told.metadata;
    return told;
  });
  return { messages, has_more: more, response_metadata: { next_cursor: more ? String(from + limit) : "" } };
}

const TYPES = { channel: "public_channel", group: "private_channel", mpim: "mpim", im: "im" } as const;

const user = (space: Space, args: Fields): Fields => {
  const person = space.person(args.user);
  return {
    user: {
      id: person.id,
      team_id: person.team ?? space.facts.team,
      name: person.name.toLowerCase(),
      real_name: person.name,
      is_bot: person.bot ?? false,
      is_restricted: person.guest ?? false,
      is_ultra_restricted: false,
      is_owner: person.owner ?? false,
      is_admin: person.owner ?? false,
      is_primary_owner: false,
      is_stranger: person.team !== undefined && person.teams === undefined,
      ...(person.teams ? { enterprise_user: { teams: person.teams } } : {}),
      profile: { display_name: person.name, real_name: person.name },
    },
  };
};

export const methods: Record<string, Method> = {
  ...streamMethods,
  "auth.revoke": () => ({ revoked: true }),
  "auth.teams.list": (space) => ({ teams: [{ id: space.facts.team, name: "Team" }] }),
  "auth.test": (space) => ({
    url: space.facts.team === "T1" ? "https://team.slack.com/" : `https://${space.facts.team.toLowerCase()}.slack.com/`,
    team: "Team",
    team_id: space.facts.team,
    user: "denizen",
    user_id: space.facts.botUser,
    bot_id: space.facts.botId,
  }),
  "users.info": user,
  "usergroups.list": (space, args) => ({
    usergroups: (space.facts.groups ?? []).map(({ id, name, users }) => ({
      id,
      ...(name === undefined ? {} : { name }),
      ...(text(args.include_users) === "true" ? { users } : {}),
    })),
  }),
  "users.conversations": (space, args) => {
    // Of somebody else: their public channels, and of all others those that the bot is in as well.
    const bot = space.facts.botUser;
    const who = text(args.user) || bot;
    if (who !== bot) space.person(who);
    const types = text(args.types).split(",");
    const all = space.facts.channels.filter(
      ({ kind, members, archived }) =>
        members.includes(who) &&
        (kind === "channel" || members.includes(bot)) &&
        types.includes(TYPES[kind]) &&
        !(archived && text(args.exclude_archived) === "true"),
    );
    const from = Number(text(args.cursor) || 0);
    const limit = Number(args.limit ?? 100);
    return {
      channels: all.slice(from, from + limit).map(({ id, kind, shared, archived }) => ({
        id,
        is_im: kind === "im",
        is_mpim: kind === "mpim",
        is_private: kind !== "channel",
        is_ext_shared: shared ?? false,
        is_archived: archived ?? false,
      })),
      response_metadata: { next_cursor: from + limit < all.length ? String(from + limit) : "" },
    };
  },
  "conversations.info": (space, args) => {
    const channel = space.channel(args.channel);
    return {
      channel: {
        id: channel.id,
        name: channel.name,
        is_im: channel.kind === "im",
        is_mpim: channel.kind === "mpim",
        is_private: channel.kind !== "channel",
        is_ext_shared: channel.shared ?? false,
        is_archived: channel.archived ?? false,
        is_member: channel.members.includes(space.facts.botUser),
      },
    };
  },
  "conversations.members": (space, args) => {
    const { members } = space.channel(args.channel);
    const from = Number(text(args.cursor) || 0);
    const limit = Number(args.limit ?? 100);
    return {
      members: members.slice(from, from + limit),
      response_metadata: { next_cursor: from + limit < members.length ? String(from + limit) : "" },
    };
  },
  "conversations.open": (space, args) => ({ channel: { id: space.dm(space.person(args.users).id).id } }),
  "conversations.history": (space, args) => {
    const channel = space.joined(args.channel);
    const roots = space.messages.filter(
      (m) => m.channel === channel.id && !m.removed && !m.onlyFor && (!m.thread_ts || m.thread_ts === m.ts),
    );
    return history(roots.reverse(), space, args);
  },
  "conversations.replies": (space, args) => {
    const channel = space.joined(args.channel);
    const thread = space.thread(channel.id, text(args.ts)).filter((m) => !m.onlyFor);
    return thread.length ? history(thread, space, args) : refuse("thread_not_found");
  },
  "chat.postMessage": (space, args) => {
    const channel = space.joined(args.channel);
    checkContent(args);
    if (args.thread_ts !== undefined && !/^\d+\.\d{6}$/.test(text(args.thread_ts))) refuse("invalid_thread_ts");
    const message = space.add(appMessage(space, channel.id, args));
    return { channel: channel.id, ts: message.ts, message: space.told(message) };
  },
  "chat.postEphemeral": (space, args) => {
    const channel = space.joined(args.channel);
    checkContent(args);
    if (!channel.members.includes(text(args.user))) refuse("user_not_in_channel");
    return { message_ts: space.add({ ...appMessage(space, channel.id, args), onlyFor: text(args.user) }).ts };
  },
  "chat.update": (space, args) => {
    const channel = space.channel(args.channel);
    checkContent(args);
    if (text(args.text).length > 4000 && args.blocks === undefined) refuse("msg_too_long");
    const message = space.own(channel.id, args.ts);
    if (isStreaming(space, message)) refuse("streaming_state_conflict");
    message.text = text(args.text);
    message.blocks = blocksOf(args.blocks);
    message.edits++;
    return { channel: channel.id, ts: message.ts, text: message.text };
  },
  "chat.delete": (space, args) => {
    const channel = space.channel(args.channel);
    const message = space.own(channel.id, args.ts);
    message.removed = true;
    return { channel: channel.id, ts: message.ts };
  },
  "assistant.threads.setStatus": (space, args) => {
    if (!space.message(text(args.channel_id), args.thread_ts)) refuse("invalid_thread_ts");
    space.statuses.push(args);
    return {};
  },
  "assistant.threads.setSuggestedPrompts": (space, args) => {
    const prompts = blocksOf(args.prompts);
    if (prompts.length < 1 || prompts.length > 4) refuse("invalid_arguments");
    if (prompts.some(({ title, message }) => !text(title) || !text(message))) refuse("invalid_arguments");
    if (args.thread_ts !== undefined && !space.message(space.channel(args.channel_id).id, args.thread_ts)) refuse("thread_not_found");
    space.prompts.push(args);
    return {};
  },
  "assistant.threads.setTitle": (space, args) => {
    if (!space.message(text(args.channel_id), args.thread_ts)) refuse("thread_not_found");
    space.titles.push(args);
    return {};
  },
  "reactions.add": (space, args) => {
    const channel = space.joined(args.channel);
    const message = space.message(channel.id, args.timestamp) ?? refuse("message_not_found");
    if (!/^[a-z0-9_+-]{1,60}$/.test(text(args.name))) refuse("invalid_name");
    const sign = { channel: channel.id, ts: message.ts, name: text(args.name) };
    if (space.signs.some((one) => one.ts === sign.ts && one.name === sign.name)) refuse("already_reacted");
    space.signs.push(sign);
    return {};
  },
  "views.publish": (space, args) => {
    const person = space.person(args.user_id).id;
    const view = (args.view ?? {}) as Fields;
    const wrong = problems(blocksOf(view.blocks), "modal");
    if (view.type !== "home" || wrong.length) refuse("invalid_arguments", { response_metadata: { messages: wrong } });
    const before = space.homes.get(person);
    const home = { id: before?.id ?? space.id("V"), view, times: (before?.times ?? 0) + 1 };
    space.homes.set(person, home);
    return { view: { ...view, id: home.id } };
  },
  "files.info": (space, args) => ({ file: (space.files.get(text(args.file)) ?? refuse("file_not_found")).info }),
  "files.getUploadURLExternal": (space, args, at) => {
    if (!text(args.filename) || !(Number(args.length) > 0)) refuse("invalid_arguments");
    const id = space.id("F");
    space.files.set(id, { info: { id, name: text(args.filename), length: Number(args.length), mode: "hosted" } });
    return { file_id: id, upload_url: `${at}/upload/${id}` };
  },
  "files.completeUploadExternal": (space, args) => {
    const channel = space.joined(args.channel_id);
    const files = blocksOf(args.files).map(({ id, title }) => {
      const kept = space.files.get(text(id)) ?? refuse("file_not_found");
      if (!kept.bytes || kept.bytes.byteLength !== kept.info.length) refuse("file_update_failed");
      return { kept, info: Object.assign(kept.info, { title: title ?? kept.info.name, size: kept.bytes?.byteLength }) };
    });
    const blocks = blocksOf(args.blocks);
    // As Slack does it, which answers a block of Markdown beside a file with a fault of its own.
    if (blocks.some(({ type }) => type === "markdown")) refuse("internal_error");
    checkContent({ blocks, text: args.initial_comment });
    const message = space.add({
      ...appMessage(space, channel.id, args),
      text: text(args.initial_comment),
      files: files.map(({ info }) => info),
    });
    for (const { info } of files) info.shares = { public: { [channel.id]: [{ ts: message.ts }] } };
    return { files: files.map(({ info: { shares: _, ...rest } }) => rest) };
  },
  "views.open": (space, args) => {
    const owner = space.useTrigger(args.trigger_id);
    const view = checkView(args.view);
    const opened = { id: space.id("V"), user: owner, view };
    space.views.set(opened.id, opened);
    return { view: { ...view, id: opened.id } };
  },
  "views.update": (space, args) => {
    const opened = space.views.get(text(args.view_id)) ?? refuse("not_found");
    opened.view = checkView(args.view);
    return { view: { ...opened.view, id: opened.id } };
  },
};

function appMessage(space: Space, channel: string, args: Fields) {
  return {
    channel,
    user: space.facts.botUser,
    bot_id: space.facts.botId,
    text: text(args.text),
    blocks: blocksOf(args.blocks),
    ...(args.thread_ts === undefined ? {} : { thread_ts: text(args.thread_ts) }),
    ...(args.metadata === undefined ? {} : { metadata: args.metadata as Fields }),
  };
}
