/**
 * Listens to messages, edits and deletions, and hands them to the inbox.
 *
 * N1. A listener resolves once the inbox has what it was told, so that only then Slack is told that we have it.
 * N2. A word that begins with a slash, said to the bot, is a command: it is answered to who asked, and the model never sees it. The two
 *     events of one message run it once.
 */
import type { App, webApi } from "@slack/bolt";
import type { Incoming } from "../../src/core/ports.ts";
import { slashed } from "../shared/slashed.ts";
import { answer } from "./answer.ts";
import type { Assistant } from "./assistant.ts";
import { background } from "./background.ts";
import { type Desk, placeAt } from "./desk.ts";
import { kindOf } from "./people.ts";
import { heard, mentions, micros, millis, named, toOthers } from "./text.ts";
import { type MessageEvent, type Told, told } from "./told.ts";
import { turns } from "./turn.ts";
import { viewing } from "./viewing.ts";

const REMEMBERED = 1000;

/** `missed`: it was said while nobody listened. Whoever gave a command then has helped themselves since. */
export type Take = (event: MessageEvent, shared: boolean, missed?: boolean) => Promise<void>;

/** `failed`: something was not taken, and Slack tells it only a few times more. */
export function hear(app: App, desk: Desk, look: webApi.WebClient, { title }: Pick<Assistant, "title">, failed: () => void): Take {
  const commands = new Map<string, Promise<void>>();
  const turn = turns();
  const looksAt = viewing(look, desk.shared);
  const take: Take = async (event, shared, missed = false) => {
    const facts = told(event, desk.self);
    if (facts.kind === "ignored") return;
    if (event.channel_type) desk.people.learn(event.channel, { kind: kindOf(event.channel_type), shared });
    if (facts.kind !== "message") {
      await turn(event.channel, event.ts);
      return desk.order.run(event.channel, () => change(desk, event.channel, facts));
    }
    const done = desk.seen.begin(String(micros(facts.ts)));
    const incoming = incomingOf(desk, event, facts, look, looksAt);
    await turn(event.channel, event.ts);
    await desk.order.run(event.channel, async () => {
      const known = desk.seen.places();
      const one = await incoming;
      const { thread, known: before } = await receive(desk, one, missed ? undefined : commands);
      // Taken before, with the words it had then.
      const now = missed && before ? changedSince(event, desk.self) : undefined;
      if (now) await change(desk, event.channel, now);
      if (one.channel === "dm" && thread !== undefined && !known.includes(thread)) title(event.channel, facts.thread ?? facts.ts, one.text);
    });
    done(true);
  };
  const live = ({ event, body }: { event: object; body: { is_ext_shared_channel?: boolean } }): Promise<void> =>
    take(event as MessageEvent, body.is_ext_shared_channel === true).catch((error: unknown) => {
      failed();
      throw error;
    });
  app.event("message", live);
  app.event("app_mention", live);
  return take;
}

async function incomingOf(
  desk: Desk,
  event: MessageEvent,
  facts: Told & { kind: "message" },
  look: webApi.WebClient,
  looksAt: ReturnType<typeof viewing>,
): Promise<Incoming> {
  const { people, self, seen } = desk;
  const called = event.type === "app_mention" || mentions(facts.raw, self.bot);
  const joins = called && facts.thread !== null && facts.thread !== facts.ts && !seen.places().includes(`${event.channel} ${facts.thread}`);
  const alone = event.channel_type === "im";
  const [by, nameOf, channel, before, open] = await Promise.all([
    people.speaker(facts.author.id, facts.author),
    people.names(named(facts.raw)),
    people.channel(event.channel),
    joins ? background(look, desk, event) : [],
    alone ? looksAt(facts.author.id, event.app_context) : undefined,
  ]);
  return {
    place: placeAt(self, event.channel, facts.thread),
    channel: channel.kind,
    shared: channel.shared,
    id: facts.ts,
    by,
    text: heard(facts.raw, self.bot, nameOf),
    ...(facts.files.length ? { files: facts.files } : {}),
    mentioned: called,
    toOthers: toOthers(facts.raw, self.bot),
    own: facts.own,
    at: millis(facts.ts),
    ...(open === undefined ? {} : { viewing: open }),
    ...(before.length ? { background: before } : {}),
  };
}

/** The conversation that a message belongs to now, if it does; and whether it was there before. */
interface Received {
  thread?: string;
  known?: true;
}
async function receive(desk: Desk, incoming: Incoming, commands: Map<string, Promise<void>> | undefined): Promise<Received> {
  const person = incoming.by.id.replace(/^slack:/, "");
  const addressed = (incoming.mentioned || incoming.channel === "dm") && !incoming.own && incoming.by.kind !== "bot";
  if (addressed && slashed(incoming.text) !== undefined) {
    if (!commands) return {};
    const key = `${incoming.place.channel} ${incoming.id}`;
    const under = commands.get(key) ?? command(desk, incoming, person);
    commands.set(key, under);
    const [oldest] = commands.keys();
    if (commands.size > REMEMBERED && oldest !== undefined) commands.delete(oldest);
    // What failed may be tried again when Slack repeats it.
    await under.catch((error: unknown) => {
      commands.delete(key);
      throw error;
    });
    return {};
  }
  const { taken, reply, session } = await desk.inbox.message(incoming);
  const thread = session === undefined ? undefined : `${incoming.place.channel} ${incoming.place.thread ?? incoming.id}`;
  if (thread !== undefined) {
    desk.seen.place(thread);
    desk.taken.keep({ id: incoming.id, channel: thread, root: null });
  }
  if (reply) void answer(desk, reply, threadFor(incoming), person);
  return thread === undefined ? {} : { thread, ...(taken ? {} : { known: true }) };
}

async function command(desk: Desk, incoming: Incoming, person: string): Promise<void> {
  const { place, channel, shared, by, at } = incoming;
  const reply = await desk.inbox.command({ place, channel, shared, by, text: slashed(incoming.text) ?? "", at });
  void answer(desk, reply, place, person);
}

/** A private sentence about a message that began no thread yet still belongs below it. */
const threadFor = ({ place, id }: Incoming) => ({ ...place, thread: place.thread ?? id });

function changedSince(event: MessageEvent, self: Desk["self"]): (Told & { kind: "edited" }) | undefined {
  const { channel, channel_type: kind, ts } = event;
  const type = { type: "message", subtype: "message_changed", channel, ts, message: event };
  const facts = told({ ...type, ...(kind === undefined ? {} : { channel_type: kind }) }, self);
  return facts.kind === "edited" ? facts : undefined;
}

async function change({ people, self, taken, inbox }: Desk, channel: string, facts: Told & { kind: "edited" | "deleted" }): Promise<void> {
  const place = placeAt(self, channel, facts.thread);
  if (facts.kind === "deleted") {
    await inbox.deleted(place, facts.ts, Date.now());
    return taken.forget(facts.ts);
  }
  const nameOf = await people.names(named(facts.raw));
  return inbox.edited(place, facts.ts, facts.rev, heard(facts.raw, self.bot, nameOf), Math.floor(facts.rev / 1000));
}
