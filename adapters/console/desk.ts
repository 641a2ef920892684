/**
 * Takes what people do on a page to the inbox, and what the inbox replies back to them.
 *
 * D1. A message stands on the board before the inbox hears of it, and is marked as taken after: whenever the process dies between
 *     the two, it is handed in again at the next start, and the inbox acts once.
 * D2. The page makes the id of what it sends, so that a second send of it is the same: it acts once and gets the same outcome.
 */

import type { Place } from "../../src/core/event.ts";
import type { Attachment } from "../../src/core/file.ts";
import type { Inbox, Incoming, Log } from "../../src/core/ports.ts";
import type { Act } from "../../src/core/view.ts";
import { type Scrub, scrubbed } from "../shared/scrubbed.ts";
import type { Board } from "./board.ts";
import { actingIn, byId, idOf, OPERATOR, PEOPLE, type Person, speaker } from "./people.ts";
import { PLATFORM } from "./posts.ts";
import type { Present } from "./present.ts";
import { bring, type Outcome } from "./reply.ts";
import type { Message } from "./shelf.ts";

export interface Press {
  person: Person;
  thread: string;
  act: Act;
  code: string;
  values: Record<string, string> | undefined;
}

export interface Operated extends Pick<Press, "act" | "code" | "values"> {
  home: string;
}

/** What somebody wrote, with what they uploaded for it. */
export interface Words {
  id: string;
  text: string;
  files: readonly Attachment[];
  /** In which it begins a thread; empty: the console's own. */
  home?: string;
}

export interface Desk {
  /** `thread`: empty if this begins one. */
  write(person: Person, thread: string, written: Words): Promise<Outcome>;
  press(press: Press): Promise<Outcome>;
  /** Presses a button of any home's card, as the operator. */
  operate(pressed: Operated): Promise<Outcome>;
  /** Hands in what an earlier process kept and could not hand in. */
  handIn(): Promise<void>;
}

export interface Room {
  board: Board;
  present: Present;
  inbox: Inbox;
  ring(thread: string): void;
  scrub: Scrub;
  log: Log;
}

const HOME = "console";
const REMEMBERED = 500;

export function desk(room: Room): Desk {
  const { board, inbox, ring, scrub } = room;
  const written = new Map<string, Promise<Outcome>>();
  const homeOf = (thread: string): string | undefined => board.thread(thread)?.home;

  async function deliver(message: Message, person: Person): Promise<Outcome> {
    const { reply } = await inbox.message(incoming(message, person));
    await board.take(message.id);
    const outcome = await bring(reply, { person, thread: message.thread, key: message.id }, room);
    ring(message.thread);
    return outcome;
  }

  async function say(person: Person, thread: string, { id, text, files }: Words, home: string | undefined): Promise<Outcome> {
    const more = { ...(files.length ? { files } : {}), ...(home === undefined ? {} : { home }) };
    const message = await board.say({ id, thread: thread || id, person: idOf(person), text: scrub(text), ...more, at: Date.now() });
    ring(message.thread);
    const outcome = message.taken ? {} : await deliver(message, person);
    return thread ? outcome : { ...outcome, thread: message.thread };
  }

  async function command(person: Person, thread: string, key: string, words: string, home: string | undefined): Promise<Outcome> {
    const asked = { place: placeOf(thread, home), by: speaker(person), text: words.slice(1), at: Date.now() };
    const outcome = await bring(await inbox.command({ ...asked, channel: "public", shared: false }), { person, thread, key, words }, room);
    ring(thread);
    return outcome;
  }

  return {
    write(given, thread, words) {
      const { id, text } = words;
      const home = thread ? homeOf(thread) : words.home || undefined;
      const person = actingIn(home, given);
      const known = written.get(id);
      if (known) return known;
      const outcome = text.startsWith("/") ? command(person, thread, id, text, home) : say(person, thread, words, home);
      written.set(id, outcome);
      outcome.catch(() => written.delete(id));
      for (const old of written.keys()) if (written.size > REMEMBERED) written.delete(old);
      return outcome;
    },
    async press({ person: given, thread, act, code, values }) {
      const at = Date.now();
      const home = homeOf(thread);
      const person = actingIn(home, given);
      const click = { platform: PLATFORM, act, code, by: speaker(person), place: placeOf(thread, home), at };
      const reply = await inbox.click(values ? { ...click, values } : click);
      const outcome = await bring(reply, { person, thread, key: `${code} ${at}`, form: values !== undefined }, room);
      ring(thread);
      return outcome;
    },
    operate: (pressed) => operate(room, pressed),
    handIn: () => handIn(room, deliver),
  };
}

async function handIn({ board, log }: Room, deliver: (message: Message, person: Person) => Promise<unknown>): Promise<void> {
  for (const message of board.untaken()) {
    const person = byId(message.person);
    if (!person) continue;
    await deliver(message, person).catch((error: unknown) =>
      log.error({ error, message: message.id }, "a message could not be handed in again"),
    );
  }
}

/** What comes of it is told to the page that asked: the operator has no thread here in which it could stand. */
async function operate({ inbox, scrub }: Room, { home, act, code, values }: Operated): Promise<Outcome> {
  const place: Place = { platform: PLATFORM, team: home, channel: home, thread: null };
  const click = { platform: PLATFORM, act, code, by: speaker(OPERATOR), place, at: Date.now() };
  const reply = await inbox.click(values ? { ...click, values } : click);
  if (reply.to === "nobody") return {};
  return "form" in reply ? { form: reply } : { view: scrubbed(reply.view, scrub) };
}

const placeOf = (thread: string, home = HOME): Place => ({ platform: PLATFORM, team: home, channel: home, thread: thread || null });

const NAMED = /(^|\s)@denizen\b/i;
const OTHERS = new RegExp(`^\\s*@(${PEOPLE.map(({ name }) => name).join("|")})\\b`, "i");

/** The message that begins a thread is the thread's name; everything in the console is the team's. */
function incoming({ id, thread, text, files, home, at }: Message, person: Person): Incoming {
  const first = id === thread;
  return {
    place: placeOf(first ? "" : thread, home),
    channel: "public",
    shared: false,
    id,
    by: speaker(person),
    text,
    ...(files ? { files } : {}),
    mentioned: first || NAMED.test(text),
    toOthers: OTHERS.test(text),
    own: false,
    at,
  };
}
