/**
 * Takes what people do on a page to the inbox, and what the inbox replies back to them.
 *
 * D1. A message stands on the board before the inbox hears of it, and is marked as taken after: whenever the process dies between
 *     the two, it is handed in again at the next start, and the inbox acts once.
 * D2. The page makes the id of what it sends, so that a second send of it is the same: it acts once and gets the same outcome.
 * D3. What is for one person goes to that person's pages only.
 */
import type { Place } from "../../src/core/event.ts";
import type { Inbox, Log, Reply } from "../../src/core/ports.ts";
import type { Act, Form, View } from "../../src/core/view.ts";
import { type Scrub, scrubbed } from "../shared/scrubbed.ts";
import type { Board } from "./board.ts";
import { byId, idOf, PEOPLE, type Person, speaker } from "./people.ts";
import { PLATFORM } from "./posts.ts";
import type { Present } from "./present.ts";
import type { Message } from "./shelf.ts";

const HOME = "console";
const REMEMBERED = 500;

export const placeOf = (thread: string | null): Place => ({ platform: PLATFORM, team: HOME, channel: HOME, thread });

/** What the page that asked does next. */
export interface Outcome {
  /** The thread that was begun. */
  thread?: string;
  form?: { form: Form; act: Act; code: string };
  /** Said to the person alone, besides standing on their page. */
  view?: View;
}

export interface Press {
  person: Person;
  thread: string;
  act: Act;
  code: string;
  values: Record<string, string> | undefined;
}

export interface Desk {
  write(person: Person, thread: string, id: string, text: string): Promise<Outcome>;
  press(press: Press): Promise<Outcome>;
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

export function desk({ board, present, inbox, ring, scrub, log }: Room): Desk {
  const written = new Map<string, Promise<Outcome>>();

  async function reply(reply: Reply | undefined, person: Person, thread: string, key: string, asked?: string): Promise<Outcome> {
    if (!reply || reply.to === "nobody") return {};
    if ("form" in reply) return { form: reply };
    if (reply.to === "all" && thread) {
      const slot = { key: "reply", kind: "answer", view: scrubbed(reply.view, scrub), digest: "", final: true } as const;
      await board.post({ thread, key: `reply ${key}`, mark: false, slot, at: Date.now() });
    } else {
      present.whisper(thread, idOf(person), reply.view, asked);
    }
    ring(thread);
    return reply.to === "asker" ? { view: reply.view } : {};
  }

  async function deliver(message: Message): Promise<Outcome> {
    const person = byId(message.person);
    const first = message.id === message.thread;
    if (!person) return {};
    const answer = await inbox.message({
      place: placeOf(first ? null : message.thread),
      channel: "public",
      shared: false,
      id: message.id,
      by: speaker(person),
      text: message.text,
      mentioned: first || /(^|\s)@denizen\b/i.test(message.text),
      toOthers: PEOPLE.some(({ name }) => new RegExp(`^\\s*@${name}\\b`, "i").test(message.text)),
      own: false,
      at: message.at,
    });
    await board.take(message.id);
    ring(message.thread);
    return reply(answer.reply, person, message.thread, message.id);
  }

  async function message(person: Person, thread: string, id: string, text: string): Promise<Outcome> {
    const said = await board.say({ id, thread: thread || id, person: idOf(person), text: scrub(text), at: Date.now() });
    ring(said.thread);
    const outcome = said.taken ? {} : await deliver(said);
    return thread ? outcome : { ...outcome, thread: said.thread };
  }

  async function command(person: Person, thread: string, id: string, text: string): Promise<Outcome> {
    const place = placeOf(thread || null);
    const answer = await inbox.command({
      place,
      channel: "public",
      shared: false,
      by: speaker(person),
      text: text.slice(1),
      at: Date.now(),
    });
    return reply(answer, person, thread, id, text);
  }

  return {
    write(person, thread, id, text) {
      const known = written.get(id);
      if (known) return known;
      const outcome = text.startsWith("/") ? command(person, thread, id, text) : message(person, thread, id, text);
      written.set(id, outcome);
      outcome.catch(() => written.delete(id));
      for (const old of written.keys()) if (written.size > REMEMBERED) written.delete(old);
      return outcome;
    },
    async press({ person, thread, act, code, values }) {
      const at = Date.now();
      const click = { platform: PLATFORM, act, code, by: speaker(person), place: placeOf(thread || null), at };
      return reply(await inbox.click(values ? { ...click, values } : click), person, thread, `${code} ${at}`);
    },
    async handIn() {
      for (const message of board.untaken()) {
        await deliver(message).catch((error: unknown) =>
          log.error({ error, message: message.id }, "a message could not be handed in again"),
        );
      }
    },
  };
}
