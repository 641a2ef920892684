/**
 * The inbox: message, edit, delete, click, command, stop → receive → acknowledge → wake. All that adapters call.
 *
 * Y1. A call resolves once what it took is durable; only then may the platform be told that we have it.
 * Y2. What people write is scrubbed before it reaches the journal.
 * Y3. At start every unsettled session is woken; what another process received is noticed and wakes its session here.
 */
import type { Place, Received } from "../core/event.ts";
import { rootOf, type SessionId } from "../core/id.ts";
import type { Click, Command, Inbox, Incoming, Opening, Reply, Rules } from "../core/ports.ts";
import { type Known, route } from "../core/route.ts";
import { scopeOf } from "../core/scope.ts";
import type { State } from "../core/state.ts";
import { say } from "../core/view.ts";
import { click } from "./click.ts";
import { newCode } from "./gate.ts";
import { mailbox } from "./mailbox.ts";
import { Reasons } from "./reasons.ts";
import type { World } from "./world.ts";

/** Answers the words of `/denizen`; its own room, since it knows more than the harness. */
export type Commands = (
  command: Command,
  on: { home: string; session: SessionId; stop: () => Promise<Reply>; why: string[] },
) => Promise<Reply>;

export interface Harness extends Inbox {
  /** Wakes what is unsettled in these homes and goes on watching them. Returns how many sessions were woken. */
  resume(homes: readonly string[]): Promise<number>;
  wake(home: string, session: SessionId): void;
  close(ms: number): Promise<void>;
}

const POLL = 500;
/** Edits that came before a message no session knows yet. */
const EARLY = 1_000;

export function harness(world: World, commands: Commands): Harness {
  const box = mailbox(world);
  const reasons = new Reasons();
  const early = new Map<string, Received>();
  const watched = new Set<string>();
  const poll = setInterval(() => void lookAround(), POLL).unref();
  const wake = (home: string, session: SessionId) => box.wake(home, rootOf(session));

  async function lookAround(): Promise<void> {
    for (const home of watched) {
      try {
        for (const root of await (await world.journal(home)).foreign()) box.wake(home, root);
      } catch (error) {
        world.log.error({ home, err: error }, "a journal could not be looked at");
      }
    }
  }

  async function take(home: string, session: SessionId, key: string, event: Received, opening?: Opening): Promise<boolean> {
    const journal = await world.journal(home);
    watched.add(home);
    const receipt = await journal.receive(session, key, event, opening);
    if (receipt.fresh) wake(home, session);
    return receipt.fresh;
  }

  async function message(incoming: Incoming): ReturnType<Inbox["message"]> {
    if (incoming.own) return { taken: false, reason: "it is our own message" };
    const found = await world.homes.find(incoming.place.platform, incoming.place.team);
    const session = sessionOf(incoming.place, incoming.id);
    if (!found.ok) return refuse(incoming, found.why);
    const { home } = found;
    const state = await (await world.journal(home)).state(session);
    const rules = await world.homes.rules(home);
    const way = route(incoming, knownOf(state), { followUps: rules.followUps, mayTalk: await mayTalk(world, rules, incoming) });
    reasons.add(incoming, way.reason);
    if (way.do === "ignore") return { taken: false, reason: way.reason };
    if (way.do === "refuse") return refuse(incoming, `I may not talk with you here: ${rules.who("talk")}.`);
    const { id, by, at } = incoming;
    const event: Received = { type: "message.received", at, id, by, text: world.scrub(incoming.text), heard: way.do === "hear" };
    const fresh = await take(home, session, `m:${id}`, event, openingOf(home, incoming));
    const edit = early.get(`${session} ${id}`);
    if (edit?.type === "message.edited") {
      early.delete(`${session} ${id}`);
      await take(home, session, `e:${id}:${edit.rev}`, edit);
    }
    return { taken: fresh, session, reason: way.reason };
  }

  async function changed(place: Place, id: string, key: string, event: Received): Promise<void> {
    const found = await world.homes.find(place.platform, place.team);
    if (!found.ok) return;
    const session = sessionOf(place, id);
    const state = await (await world.journal(found.home)).state(session);
    if (state.opened) {
      await take(found.home, session, key, event);
      return;
    }
    early.set(`${session} ${id}`, event);
    const oldest = early.keys().next().value;
    if (early.size > EARLY && oldest !== undefined) early.delete(oldest);
  }

  async function command(given: Command): Promise<Reply> {
    const found = await world.homes.find(given.place.platform, given.place.team);
    if (!found.ok) return { to: "asker", view: say(found.why) };
    const session = sessionOf(given.place, given.place.thread ?? "");
    const stop = () => stopped(found.home, session, given);
    return commands(given, { home: found.home, session, stop, why: reasons.of(given.place) });
  }

  async function stopped(home: string, session: SessionId, { by, place, at }: Command): Promise<Reply> {
    const journal = await world.journal(home);
    const state = await journal.state(session);
    const { code } = state.opened ?? { code: "" };
    return click(world, { platform: place.platform, act: "stop", code, by, place, at }, wake);
  }

  return {
    message,
    command,
    wake,
    edited: (place, id, rev, text, at) =>
      changed(place, id, `e:${id}:${rev}`, { type: "message.edited", at, id, rev, text: world.scrub(text) }),
    deleted: (place, id, at) => changed(place, id, `d:${id}`, { type: "message.deleted", at, id }),
    click: (given: Click) => click(world, given, wake),
    notice: () => (world.model.kind === "offline" ? "Offline model: no key is set, so answers are only a demonstration." : undefined),
    async resume(homes) {
      let woken = 0;
      for (const home of homes) {
        watched.add(home);
        try {
          const { roots } = await (await world.journal(home)).unsettled(Number.MAX_SAFE_INTEGER);
          for (const root of roots) box.wake(home, root);
          woken += roots.length;
        } catch (error) {
          world.log.error({ home, err: error }, "a home stays closed");
        }
      }
      return woken;
    },
    async close(ms) {
      clearInterval(poll);
      await box.close(ms);
    },
  };
}

/** The session a message belongs to: its thread, or the one it would begin. */
export const sessionOf = ({ platform, team, channel, thread }: Place, id: string): SessionId =>
  `${platform}:${team}:${channel}:${thread ?? id}`;

function openingOf(home: string, { place, channel, shared, id, by }: Incoming): Opening {
  const scope = scopeOf(channel, shared, `${place.platform}:${place.channel}`, by.id);
  return { home, scope, place: { ...place, thread: place.thread ?? id }, code: newCode() };
}

function knownOf({ opened, talk }: State): Known {
  return { session: opened !== undefined, talkers: talk.talkers, others: talk.others };
}

async function mayTalk(world: World, rules: Rules, { place, by }: Incoming): Promise<boolean> {
  const standing = await world.platforms.get(place.platform)?.standing(place, by.id);
  return standing !== undefined && rules.may("talk", by.id, standing);
}

const refuse = (incoming: Incoming, text: string): { taken: false; reason: string; reply?: Reply } => {
  const direct = incoming.mentioned || incoming.channel === "dm";
  return direct ? { taken: false, reason: text, reply: { to: "asker", view: say(text) } } : { taken: false, reason: text };
};
