/**
 * The inbox: message, edit, delete, click, command, stop → receive → acknowledge → wake. All that adapters call.
 *
 * Y1. A call resolves once what it took is durable; only then may the platform be told that we have it.
 * Y2. What people write is scrubbed before it reaches the journal, and what they call themselves is one plain line.
 * Y3. At start every unsettled session is woken; what another process received is noticed and wakes its session here.
 */
import type { Place, Received } from "../core/event.ts";
import type { Bears } from "../core/file.ts";
import { rootOf, type SessionId } from "../core/id.ts";
import { named } from "../core/name.ts";
import {
  type Command,
  type Inbox,
  type Incoming,
  type Offered,
  type Opening,
  type Reply,
  type Silence,
  type Suggestion,
  UserError,
} from "../core/ports.ts";
import { route } from "../core/route.ts";
import type { State } from "../core/state.ts";
import { isOpen } from "../core/talk.ts";
import { say } from "../core/view.ts";
import { aside } from "./aside.ts";
import { click } from "./click.ts";
import { changedSince, knownOf, openingOf, sessionOf, waysOf } from "./incoming.ts";
import { type Mailbox, mailbox } from "./mailbox.ts";
import { offered } from "./offered.ts";
import { Reasons } from "./reasons.ts";
import { saidSince } from "./said.ts";
import { Unplaced } from "./unplaced.ts";
import type { World } from "./world.ts";

/** Answers the words of `/denizen`; its own room, since it knows more than the harness. */
export type Commands = (command: Command, on: CommandedOn) => Promise<Reply>;
/** What a home is good for, in a few things to say. */
export type Suggest = (home: string) => Promise<Suggestion[]>;
export interface CommandedOn {
  home: string;
  session: SessionId;
  /** Why the last messages of this place were or were not answered. */
  why: string[];
  stop(): Promise<Reply>;
  /** Looks anew at everything of the home that has something to do. */
  wake(): Promise<void>;
}

/** A message that is nothing but this word stops what runs. */
const STOP = /^\s*\/?stop[.!]*\s*$/i;
const POLL = 500;
/** Edits kept that came before a message no session knows yet. */
const EARLY = 1_000;
type Taken = Awaited<ReturnType<Inbox["message"]>>;

export class Harness implements Inbox {
  readonly #world: World;
  readonly #commands: Commands;
  readonly #suggest: Suggest;
  readonly #mailbox: Mailbox;
  readonly #reasons = new Reasons();
  readonly #early = new Map<string, Received>();
  readonly #unplaced = new Unplaced();
  readonly #watched = new Set<string>();
  readonly #poll: NodeJS.Timeout;

  constructor(world: World, commands: Commands, suggest: Suggest) {
    this.#world = world;
    this.#commands = commands;
    this.#suggest = suggest;
    this.#mailbox = mailbox(world);
    this.#poll = setInterval(() => void this.#lookAround(), POLL).unref();
  }

  async message(given: Incoming): Promise<Taken> {
    const incoming = { ...given, by: named(given.by) };
    if (incoming.own) return { taken: false, reason: "it is our own message" };
    try {
      return await this.#receive(incoming);
    } catch (error) {
      // A journal that is closed or cannot write is told to who asked: nothing was taken, and they know.
      if (!(error instanceof UserError)) throw error;
      this.#world.log.error({ place: incoming.place }, error.message);
      return refused(incoming, error.message);
    }
  }

  async #receive(incoming: Incoming): Promise<Taken> {
    const world = this.#world;
    const { place, id, by, at } = incoming;
    const found = await world.homes.find(place.platform, place.team);
    if (!found.ok) return refused(incoming, found.why);
    const session = sessionOf(place, id);
    const state = await (await world.journal(found.home)).state(session);
    const changed = incoming.by.kind === "bot" ? undefined : changedSince(state, incoming);
    if (changed) {
      this.#reasons.add(found.home, incoming, changed);
      return refused(incoming, changed);
    }
    const rules = await world.homes.rules(found.home);
    const way = route(incoming, knownOf(state), await waysOf(world, rules, incoming));
    this.#reasons.add(found.home, incoming, way.reason);
    if (way.do === "ignore") {
      if (place.thread !== null && !state.opened) this.#unplaced.keep(session, incoming);
      return { taken: false, reason: way.reason };
    }
    if (way.do === "refuse") return refused(incoming, `I may not talk with you here. Who may: ${rules.who("talk", place.platform)}.`);
    if (STOP.test(incoming.text) && isOpen(state.talk) && incoming.by.kind !== "bot") {
      const reply = await this.#stop(found.home, session, incoming, id);
      // Whom it was not said to is not told that they may not.
      if (reply.to === "nobody") return { taken: true, session, reason: "it stops the turn" };
      if (way.do === "answer") return { taken: true, session, reason: "it asks to stop the turn", reply };
    }
    if (this.#early.get(`${session} ${id}`)?.type === "message.deleted") return { taken: false, reason: "it was deleted before it came" };
    const said = { type: "message.received", at, id, by, text: world.scrub(incoming.text), heard: way.do === "hear" } as const;
    const manner = {
      ...(isDirect(incoming) ? { direct: true as const } : {}),
      ...(incoming.unseen ? { unseen: true as const } : {}),
      ...(incoming.viewing ? { viewing: world.scrub(incoming.viewing) } : {}),
    };
    const event: Received = { ...said, ...manner, ...this.#files(incoming) };
    const opening = openingOf(found.home, incoming);
    if (way.do === "answer" && !state.talk.talkers.length) await this.#before(found.home, session, incoming, opening);
    const fresh = await this.#take(found.home, session, takenBy(way.do, id, state), event, opening);
    await this.#takeEarly(found.home, session, id);
    if (!state.opened) for (const late of this.#unplaced.take(session, incoming)) await this.message(late);
    const reply = fresh && way.do === "answer" ? await aside(await world.journal(found.home), incoming, state.talk) : undefined;
    return { taken: fresh, session, reason: way.reason, ...(reply ? { reply } : {}) };
  }

  edited(place: Place, id: string, rev: number, text: string, at: number): Promise<void> {
    return this.#changed(place, id, `e:${id}:${rev}`, { type: "message.edited", at, id, rev, text: this.#world.scrub(text) });
  }

  deleted(place: Place, id: string, at: number): Promise<void> {
    return this.#changed(place, id, `d:${id}`, { type: "message.deleted", at, id });
  }

  click(given: Parameters<Inbox["click"]>[0]): Promise<Reply> {
    return click(this.#world, { ...given, by: named(given.by) }, this.wake);
  }

  async command(asked: Command): Promise<Reply> {
    const given = { ...asked, by: named(asked.by) };
    const found = await this.#world.homes.find(given.place.platform, given.place.team);
    if (!found.ok) return { to: "asker", view: say(found.why) };
    const { home } = found;
    const session = sessionOf(given.place, given.place.thread ?? "");
    const stop = () => this.#stop(home, session, given, given.message);
    return this.#commands(given, {
      home,
      session,
      why: this.#reasons.of(given.place),
      stop,
      wake: async () => void (await this.resume([home])),
    });
  }

  async #stop(home: string, session: SessionId, { by, place, at }: Pick<Command, "by" | "place" | "at">, message?: string): Promise<Reply> {
    const { opened } = await (await this.#world.journal(home)).state(session);
    return this.click({ platform: place.platform, act: "stop", code: opened?.code ?? "", by, place, at, ...(message ? { message } : {}) });
  }

  /** Why the last messages of a home's places were or were not answered. */
  silences(home: string): Silence[] {
    return this.#reasons.all(home);
  }

  /** What would be sent before the messages of a session now. */
  offered(home: string, session: SessionId, state: State): Promise<Offered | undefined> {
    return offered(this.#world, home, session, state);
  }

  async suggestions(platform: string, team: string): Promise<Suggestion[]> {
    const found = await this.#world.homes.find(platform, team);
    return found.ok ? this.#suggest(found.home) : [];
  }

  said(...asked: Parameters<Inbox["said"]>): ReturnType<Inbox["said"]> {
    return saidSince(this.#world, ...asked);
  }

  notice(): string | undefined {
    return this.#world.model.kind === "offline" ? "Offline model: no key is set, so answers are only a demonstration." : undefined;
  }

  readonly wake = (home: string, session: SessionId): void => this.#mailbox.wake(home, rootOf(session));

  /** Wakes what is unsettled in these homes and goes on watching them. Returns how many sessions were woken. */
  async resume(homes: readonly string[]): Promise<number> {
    let woken = 0;
    for (const home of homes) {
      this.#watched.add(home);
      try {
        const { roots } = await (await this.#world.journal(home)).unsettled(Number.MAX_SAFE_INTEGER);
        for (const root of roots) this.wake(home, root);
        woken += roots.length;
      } catch (error) {
        this.#world.log.error({ home, err: error }, "a home stays closed");
      }
    }
    return woken;
  }

  /** Nothing new is begun; resolves when what is being done has ended, or after `ms`. */
  async close(ms: number): Promise<void> {
    clearInterval(this.#poll);
    await this.#mailbox.close(ms);
  }

  async #take(home: string, session: SessionId, key: string, event: Received, opening?: Opening): Promise<boolean> {
    const journal = await this.#world.journal(home);
    this.#watched.add(home);
    const receipt = await journal.receive(session, key, event, opening);
    if (receipt.fresh) this.wake(home, session);
    return receipt.fresh;
  }

  #files({ files = [] }: Pick<Incoming, "files">): Bears {
    return files.length ? { files: files.map((file) => ({ ...file, name: this.#world.scrub(file.name) })) } : {};
  }

  /** What was said before the agent was called; it wakes nobody. */
  async #before(home: string, session: SessionId, { background = [] }: Incoming, opening: Opening): Promise<void> {
    const journal = await this.#world.journal(home);
    for (const earlier of background) {
      const { id, by, text, at } = earlier;
      const said = { type: "message.received", at, id, by: named(by), text: this.#world.scrub(text), heard: true, before: true } as const;
      const event: Received = { ...said, ...this.#files(earlier) };
      await journal.receive(session, `m:${id}`, event, opening);
    }
  }

  async #changed(place: Place, id: string, key: string, event: Received): Promise<void> {
    const found = await this.#world.homes.find(place.platform, place.team);
    if (!found.ok) return;
    const session = sessionOf(place, id);
    const { opened } = await (await this.#world.journal(found.home)).state(session);
    if (opened) {
      await this.#take(found.home, session, key, event);
      if (event.type === "message.deleted") void this.#unsaid(found.home, session, id);
      return;
    }
    if (isLater(event, this.#early.get(`${session} ${id}`))) this.#early.set(`${session} ${id}`, event);
    const oldest = this.#early.keys().next().value;
    if (this.#early.size > EARLY && oldest !== undefined) this.#early.delete(oldest);
  }

  /** What was learned from it goes as well; what a crash or a trouble leaves of that is the next night's. */
  async #unsaid(home: string, session: SessionId, id: string): Promise<void> {
    try {
      await this.#world.memory?.unsaid(home, session, id);
    } catch (err) {
      this.#world.log.debug({ home, session, err }, "what was learned from a deleted message could not be taken out yet");
    }
  }

  /** What came before its message, now that the message is there. */
  async #takeEarly(home: string, session: SessionId, id: string): Promise<void> {
    const event = this.#early.get(`${session} ${id}`);
    if (!event) return;
    this.#early.delete(`${session} ${id}`);
    await this.#take(home, session, event.type === "message.edited" ? `e:${id}:${event.rev}` : `d:${id}`, event);
  }

  async #lookAround(): Promise<void> {
    for (const home of this.#watched) {
      try {
        for (const root of await (await this.#world.journal(home)).foreign()) this.wake(home, root);
      } catch (error) {
        this.#world.log.error({ home, err: error }, "a journal could not be looked at");
      }
    }
  }
}

/** The key under which a message is taken once. One that was only told as background of a later one is still to be answered. */
function takenBy(way: "answer" | "hear", id: string, { talk }: State): string {
  const told = [...talk.queue, ...talk.entries].some((it) => "before" in it && it.before === true && it.id === id);
  return way === "answer" && told ? `a:${id}` : `m:${id}`;
}

/** Of what came before its message the newest words count, and nothing comes after a deletion. */
function isLater(event: Received, before: Received | undefined): boolean {
  if (before?.type !== "message.edited") return before === undefined;
  return event.type !== "message.edited" || event.rev > before.rev;
}

const isDirect = ({ mentioned, channel }: Incoming): boolean => mentioned || channel === "dm";

function refused(incoming: Incoming, text: string): Taken {
  return isDirect(incoming) ? { taken: false, reason: text, reply: { to: "asker", view: say(text) } } : { taken: false, reason: text };
}
