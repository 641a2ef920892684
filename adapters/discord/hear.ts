/**
 * Listens to messages, edits and deletions, and hands them to the inbox.
 *
 * N1. What came counts as taken once the inbox has it; until then a restart asks for it again.
 * N2. A word that begins with a slash, said to the bot, is a command: it is answered to who asked, and the model never sees it. What is
 *     caught up or tried again later runs no commands.
 * N3. The thread of a new conversation is opened once the inbox has its message, not before.
 * N4. A call into a thread, or a reply to somebody, brings what it is about.
 * N5. What the inbox stumbled over is tried again after a while, a few times, also what was caught up.
 */
import type { APIMessage } from "discord.js";
import type { Place } from "../../src/core/event.ts";
import type { Incoming, Reply } from "../../src/core/ports.ts";
import { say } from "../../src/core/view.ts";
import { slashed } from "../shared/slashed.ts";
import { background } from "./background.ts";
import { type Desk, DIRECT } from "./desk.ts";
import { isStranger } from "./people.ts";
import { placeAt, type Where } from "./places.ts";
import { heard, madeAt, type Names, toOthers } from "./text.ts";
import { changed, type MessageData, type Told, told } from "./told.ts";
import type { Patience } from "./watch.ts";

const STRANGER: Reply = {
  to: "asker",
  view: say("I answer direct messages only of members of the server I am there for, and could not see that you are one."),
};

export interface Hearing {
  created(message: MessageData): Promise<void>;
  /** What is caught up, one by one, in a turn of its channel that the caller has. */
  missed(message: MessageData): Promise<void>;
  updated(message: MessageData): Promise<void>;
  deleted(channel: string, ids: readonly string[]): Promise<void>;
}

export function hear(desk: Desk, { again }: Pick<Patience, "again">): Hearing {
  const roots = rootsOf(desk);
  const settled = (task: Promise<void>, channel: string, what: string): Promise<boolean> =>
    task.then(
      () => true,
      (error: unknown) => {
        desk.log.error({ adapter: "discord", channel, err: error }, `${what} could not be taken`);
        return false;
      },
    );
  const inTurn = (channel: string, what: string, task: () => Promise<void>) => settled(desk.order.run(channel, task), channel, what);
  async function take(message: MessageData, late: boolean, inOwnTurn: boolean, tries = 0): Promise<void> {
    const done = desk.seen.begin(message.id, laneOf(message));
    const receiving = () => receive(desk, roots, message, late);
    const channel = message.channel_id;
    const taken = await (inOwnTurn ? inTurn(channel, "A message", receiving) : settled(receiving(), channel, "A missed message"));
    done(taken);
    const wait = again[tries];
    if (!taken && wait !== undefined) setTimeout(() => void take(message, true, true, tries + 1), wait).unref();
  }
  return {
    async created(message) {
      if (message.author.id === desk.self.id) return desk.posts.echoed(message);
      await take(message, false, true);
    },
    async missed(message) {
      if (message.author.id === desk.self.id) return;
      await take(message, true, false);
    },
    async updated(message) {
      const facts = changed(message, desk.self.id);
      if (facts.kind !== "edited") return;
      await inTurn(message.channel_id, "An edit", async () => {
        const where = await desk.places.where(message.channel_id);
        if (where) await edited(desk, where, message, facts, roots.of(message));
      });
    },
    async deleted(channel, ids) {
      await inTurn(channel, "A deletion", async () => {
        const where = await desk.places.where(channel);
        if (!where) return;
        for (const id of ids) {
          await desk.inbox.deleted(placeAt(where, desk.taken.of(id)?.root ?? null), id, Date.now());
          desk.taken.forget(id);
        }
      });
    },
  };
}

/** What is told by one shard: a guild, or all direct messages. */
const laneOf = ({ guild_id: guild }: Pick<MessageData, "guild_id">): string => guild ?? DIRECT;

async function receive(desk: Desk, roots: Roots, message: MessageData, late: boolean): Promise<void> {
  const { inbox, self, places, people, seen, taken: kept } = desk;
  const where = await places.where(message.channel_id);
  if (!where) return;
  if (where.guild && message.member) people.learn(where.guild, message.author, message.member);
  if (where.kind === "dm") seen.place(message.channel_id);
  const facts = told(message, self.id);
  if (facts.kind === "empty") desk.blind();
  if (facts.kind !== "message") return;
  const incoming = await incomingOf(desk, where, message, facts, roots.of(message));
  const addressed = (incoming.mentioned || incoming.channel === "dm") && incoming.by.kind !== "bot";
  if (isStranger(where, incoming.by)) return void refuse(desk, STRANGER, message);
  if (addressed && slashed(incoming.text) !== undefined) return late ? undefined : command(desk, incoming, message);
  const { taken, session, reply } = await inbox.message(incoming);
  // Taken before, with the words it had then.
  const now = late && !taken && session !== undefined ? changed(message, self.id) : undefined;
  if (now?.kind === "edited") await edited(desk, where, message, now, roots.of(message));
  if (session !== undefined) {
    const root = where.thread === null && !where.threads ? (incoming.place.thread ?? message.id) : null;
    kept.keep({ id: message.id, channel: message.channel_id, root });
    // What began a thread stands beside it.
    for (const { id } of incoming.background ?? [])
      if (where.thread !== null && id !== where.thread) kept.keep({ id, channel: where.thread, root: null });
    const place = { ...incoming.place, thread: incoming.place.thread ?? message.id };
    if (taken && where.threads) void desk.threads.begin(place, incoming.text, incoming.by.name);
  }
  if (reply) void refuse(desk, reply, message);
}

type Edited = Extract<Told, { kind: "edited" }>;
async function edited(desk: Desk, where: Where, message: MessageData, { raw, rev }: Edited, root: string | null): Promise<void> {
  const text = heard(raw, selves(desk, where), namesFor(desk, where, message));
  await desk.inbox.edited(placeAt(where, root), message.id, rev, text, rev);
}

async function incomingOf(desk: Desk, where: Where, message: MessageData, { raw, files }: Said, root: string | null): Promise<Incoming> {
  const { people, self } = desk;
  const own = selves(desk, where);
  const replied = message.referenced_message?.author.id;
  const mentioned = message.mentions.some(({ id }) => id === self.id) || message.mention_roles.some((role) => own.includes(role));
  const joins = mentioned && (where.thread === null || !desk.taken.within(where.thread).length);
  const [by, before] = await Promise.all([
    people.speaker(where.team, message.author, message.member, { webhook: message.webhook_id !== undefined, direct: where.guild === null }),
    joins ? background(desk, where, message) : [],
  ]);
  return {
    place: placeAt(where, root),
    channel: where.kind,
    shared: false,
    id: message.id,
    by,
    text: heard(raw, own, namesFor(desk, where, message)),
    ...(files.length ? { files } : {}),
    mentioned,
    toOthers: !mentioned && (toOthers(raw, own) || (replied !== undefined && replied !== self.id && replied !== message.author.id)),
    own: false,
    at: madeAt(message.id),
    ...(before.length ? { background: before } : {}),
  };
}

type Said = Extract<Told, { kind: "message" }>;

const selves = ({ self }: Desk, where: Where): string[] => [self.id, ...self.roles(where.guild)];

function namesFor({ self, places }: Desk, where: Where, message: MessageData): Names {
  return {
    person: (id) => {
      const found = message.mentions.find((one) => one.id === id);
      return found && (found.global_name || found.username);
    },
    role: (id) => self.roleName(where.guild, id),
    channel: places.nameOf,
  };
}

/** To which root message the replies of a place without threads belong. */
interface Roots {
  of(message: MessageData): string | null;
}
function rootsOf({ self, taken }: Desk): Roots {
  const about = (to: APIMessage): string | null => {
    // What we say where there are no threads replies to the root.
    if (to.author.id === self.id) return to.message_reference?.message_id ?? to.id;
    return taken.of(to.id)?.root ?? (to.mentions.some(({ id }) => id === self.id) ? to.id : null);
  };
  return {
    of: (message) => taken.of(message.id)?.root ?? (message.referenced_message ? about(message.referenced_message) : null),
  };
}

async function command(desk: Desk, incoming: Incoming, message: MessageData): Promise<void> {
  const { place, channel, shared, by, at } = incoming;
  const reply = await desk.inbox.command({ place, channel, shared, by, text: slashed(incoming.text) ?? "", at });
  if (reply.to === "all") return void desk.posts.say(placeOfReply(place, message), reply.view);
  if (reply.to === "nobody" || !("view" in reply)) return;
  void desk.posts.whisper(message.author.id, reply.view).then(async (outcome) => {
    if (!outcome.ok)
      await desk.posts.say(
        placeOfReply(place, message),
        say("I could not answer privately. Use `/denizen` instead: only you see its answer."),
      );
  });
}

/** A refusal is for who asked; where their direct messages are closed, it is said where they asked. */
async function refuse(desk: Desk, reply: Reply, message: MessageData): Promise<void> {
  if (!("view" in reply)) return;
  const outcome = reply.to === "asker" ? await desk.posts.whisper(message.author.id, reply.view) : undefined;
  if (outcome?.ok) return;
  const said = await desk.door.create(message.channel_id, desk.posts.shape(reply.view), { replyTo: message.id });
  if (!said.ok) desk.log.warn({ adapter: "discord", code: said.code }, `A reply could not be shown: ${said.reason}`);
}

/** What all may see stands where the word was said, and begins no thread. */
const placeOfReply = (place: Place, message: MessageData): Place => ({ ...place, channel: message.channel_id, thread: null });
