/** The Web API methods that are modelled. Each gives its own fields back, or throws the refusal Slack would answer with. */
import { problems } from "../../adapters/slack/limits.ts";
import { type Fields, type Message, refuse, type Space, text } from "./slack-space.ts";

type Method = (space: Space, args: Fields) => Fields;

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
      is_stranger: person.team !== undefined,
      profile: { display_name: person.name, real_name: person.name },
    },
  };
};

export const methods: Record<string, Method> = {
  "auth.test": (space) => ({
    url: "https://team.slack.com/",
    team: "Team",
    team_id: space.facts.team,
    user: "denizen",
    user_id: space.facts.botUser,
    bot_id: space.facts.botId,
  }),
  "users.info": user,
  "usergroups.list": (space, args) => ({
    usergroups: (space.facts.groups ?? []).map(({ id, users }) => (text(args.include_users) === "true" ? { id, users } : { id })),
  }),
  "users.conversations": (space) => ({
    channels: space.facts.channels
      .filter(({ members }) => members.includes(space.facts.botUser))
      .map(({ id, kind, shared }) => ({
        id,
        is_im: kind === "im",
        is_mpim: kind === "mpim",
        is_private: kind !== "channel",
        is_ext_shared: shared ?? false,
      })),
  }),
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
      },
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
