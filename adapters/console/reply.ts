/** What the inbox replies, brought to whom it is for: to one person's pages, to the thread, or to the page that asked, as a form. */
import type { Reply } from "../../src/core/ports.ts";
import type { Act, Form, View } from "../../src/core/view.ts";
import { type Scrub, scrubbed } from "../shared/scrubbed.ts";
import type { Board } from "./board.ts";
import { idOf, type Person } from "./people.ts";
import type { Present } from "./present.ts";

/** What the page that asked does next. */
export interface Outcome {
  /** The thread that was begun. */
  thread?: string;
  form?: { form: Form; act: Act; code: string };
  /** Said to the person alone; it stands on their pages already, unless it is about a form. */
  view?: View;
}

export interface Asked {
  person: Person;
  thread: string;
  /** Names this reply, so that it stands once. */
  key: string;
  /** What was typed to get it, if it was a command. */
  words?: string;
  /** It was sent from a form, which stays open and says what comes of it. */
  form?: boolean;
}

interface Ground {
  board: Board;
  present: Present;
  scrub: Scrub;
}

export async function bring(
  reply: Reply | undefined,
  { person, thread, key, words, form }: Asked,
  { board, present, scrub }: Ground,
): Promise<Outcome> {
  if (!reply || reply.to === "nobody") return {};
  if ("form" in reply) return { form: reply };
  if (reply.to === "all" && thread) {
    const slot = { key: "reply", kind: "answer", view: scrubbed(reply.view, scrub), digest: "", final: true } as const;
    await board.post({ thread, key: `reply ${key}`, mark: false, slot, at: Date.now() });
    return {};
  }
  if (!form) present.whisper(thread, idOf(person), reply.view, words);
  return { view: scrubbed(reply.view, scrub) };
}
