/** The routes of Discord's REST API that a bot like this uses, each on the world. */
import { commandFaults, modalFaults } from "./discord-limits.ts";
import { type Draft, EPHEMERAL, type Message, Refusal, type Upload, type World } from "./discord-world.ts";

type Fields = Record<string, unknown>;
export interface Asked {
  body: Fields;
  files: Upload[];
  query: URLSearchParams;
}
/** What was pressed, called or sent, waiting for its answer. */
export interface Interaction {
  id: string;
  token: string;
  type: number;
  channel: string;
  at: number;
  answeredAt?: number;
  /** Type of the first answer. */
  kind?: number;
  answer?: Fields;
  modal?: Fields;
  /** The message it was pressed on, or its answer. */
  original?: string;
  followUps: string[];
}
export interface Desk {
  world: World;
  interactions: Map<string, Interaction>;
  commands: Fields[];
  typing: { channel: string; at: number }[];
  gatewayUrl: string;
  answerWithin: number;
  /** As many as are recommended. */
  shards: number;
}
type Run = (desk: Desk, ids: string[], asked: Asked) => unknown;

export const ROUTES: Record<string, Run> = {
  "GET /gateway/bot": ({ gatewayUrl: url, shards }) => ({
    url,
    shards,
    session_start_limit: { total: 1000, remaining: 999, reset_after: 1000, max_concurrency: shards },
  }),
  "GET /applications/@me": ({ world }) => ({ id: world.bot.id, name: "denizen" }),
  "POST /users/@me/channels": ({ world }, _, { body }) => {
    const user = world.users.get(String(body.recipient_id));
    if (!user) throw new Refusal(400, 50033, "Invalid Recipient(s)");
    return world.direct(user);
  },
  "GET /applications/:a/commands": ({ commands }) => commands,
  "PUT /applications/:a/commands": (desk, _, { body }) => {
    const wanted = body as unknown as Fields[];
    const wrong = commandFaults(wanted);
    if (wrong.length) throw new Refusal(400, 50035, wrong.join("; "));
    desk.commands = wanted.map((one) => ({ ...one, id: desk.world.id(), version: desk.world.id() }));
    return desk.commands;
  },
  "GET /users/:u": ({ world }, [id = ""]) => {
    const found = world.users.get(id);
    if (!found) throw new Refusal(404, 10013, "Unknown User");
    return found;
  },
  "GET /guilds/:g/members/:u": ({ world }, [guild = "", user = ""]) => {
    const found = world.guilds.get(guild)?.members.get(user);
    if (!found) throw new Refusal(404, 10007, "Unknown Member");
    return found;
  },
  "GET /channels/:c": ({ world }, [id = ""]) => world.at(id),
  "PATCH /channels/:c": ({ world }, [id = ""], { body }) => {
    const channel = world.at(id);
    if (channel.thread_metadata?.locked) throw new Refusal(403, 50013, "Missing Permissions");
    if (channel.thread_metadata && typeof body.archived === "boolean") channel.thread_metadata.archived = body.archived;
    world.tell("THREAD_UPDATE", channel, channel.guild_id);
    return channel;
  },
  "POST /channels/:c/typing": ({ world, typing }, [id = ""]) => {
    typing.push({ channel: world.at(id).id, at: Date.now() });
    return undefined;
  },
  "POST /channels/:c/messages/:m/threads": ({ world }, [id = "", message = ""], { body }) =>
    world.thread(world.at(id), String(body.name), world.bot, message),
  "GET /channels/:c/messages": ({ world }, [id = ""], { query }) => {
    const after = query.get("after");
    const before = query.get("before");
    const limit = Number(query.get("limit") ?? 50);
    const found = world
      .said(world.at(id).id)
      .filter((one) => (after === null || BigInt(one.id) > BigInt(after)) && (before === null || BigInt(one.id) < BigInt(before)))
      .filter((one) => !(one.flags & EPHEMERAL));
    // History does not tell what a message was marked with when it was sent.
    return (after === null ? found.slice(-limit) : found.slice(0, limit)).reverse().map(({ nonce: _, ...one }) => one);
  },
  "PUT /channels/:c/messages/:m/reactions/:e/@me": ({ world }, [id = "", message = "", sign = ""]) => {
    const one = world.message(world.at(id).id, message);
    one.signs = [...new Set([...(one.signs ?? []), decodeURIComponent(sign)])];
    return undefined;
  },
  "GET /channels/:c/messages/:m": ({ world }, [id = "", message = ""]) => {
    const found = world.message(world.at(id).id, message);
    for (const file of found.attachments) file.url = world.sign(file.id, file.filename);
    return found;
  },
  "POST /channels/:c/messages": ({ world }, [id = ""], { body, files }) => world.create(world.at(id), world.bot, body as Draft, { files }),
  "PATCH /channels/:c/messages/:m": ({ world }, [id = "", message = ""], { body, files }) =>
    world.edit(world.at(id), message, body as Draft, files),
  "DELETE /channels/:c/messages/:m": ({ world }, [id = "", message = ""]) => world.remove(world.at(id), message),
  "POST /interactions/:i/:t/callback": answered,
  "POST /webhooks/:a/:t": (desk, [, token = ""], { body, files }) => {
    const interaction = ofToken(desk, token);
    const made = desk.world.create(desk.world.at(interaction.channel), desk.world.bot, body as Draft, {
      files,
      webhook: desk.world.bot.id,
    });
    interaction.followUps.push(made.id);
    return made;
  },
  "PATCH /webhooks/:a/:t/messages/@original": (desk, [, token = ""], { body, files }) => {
    const { original = "", channel } = ofToken(desk, token);
    return desk.world.edit(desk.world.at(channel), original, body as Draft, files);
  },
};

function ofToken({ interactions }: Desk, token: string): Interaction {
  const found = [...interactions.values()].find((one) => one.token === token);
  if (!found?.answeredAt) throw new Refusal(404, 10015, "Unknown Webhook");
  return found;
}

/** By type of interaction: what may be its first answer. */
const MAY_ANSWER: Record<number, number[]> = { 2: [4, 5, 9], 3: [4, 5, 6, 7, 9], 4: [8], 5: [4, 5, 6, 7] };

function answered({ world, interactions, answerWithin }: Desk, [id = "", token = ""]: string[], { body, files }: Asked): undefined {
  const interaction = interactions.get(id);
  const late = interaction && !interaction.answeredAt && Date.now() - interaction.at > answerWithin;
  if (!interaction || interaction.token !== token || late) throw new Refusal(404, 10062, "Unknown interaction");
  if (interaction.answeredAt) throw new Refusal(400, 40060, "Interaction has already been acknowledged.");
  const kind = Number(body.type);
  const data = (body.data ?? {}) as Fields;
  if (!MAY_ANSWER[interaction.type]?.includes(kind)) throw new Refusal(400, 50035, "Invalid Form Body: type");
  if (kind === 9) {
    const wrong = modalFaults(data);
    if (wrong.length) throw new Refusal(400, 50035, wrong.join("; "));
    interaction.modal = data;
  }
  let made: Message | undefined;
  if (kind === 4) made = world.create(world.at(interaction.channel), world.bot, data as Draft, { files, webhook: world.bot.id });
  if (kind === 5)
    made = world.create(world.at(interaction.channel), world.bot, { ...data, content: "…" } as Draft, { webhook: world.bot.id });
  Object.assign(interaction, { answeredAt: Date.now(), kind, answer: data, ...(made ? { original: made.id } : {}) });
  return undefined;
}
