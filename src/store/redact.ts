/**
 * The events of a session without what one person said. Pure.
 *
 * R1. What they wrote is gone, and so is whatever the agent wrote, called or got in their threads from their first word on: it may tell of it.
 * R2. Nothing else changes: each event still applies where it did, and calls, cards and posts stay what they were.
 * R3. Elsewhere their words are gone where they are repeated to the letter, and everywhere a name that tells nothing stands for them.
 */
import { createHash } from "node:crypto";
import type { Block, Event, JsonObject } from "../core/event.ts";

export const GONE = "[erased]";

export interface Wanted {
  /** Platform-qualified. */
  person: string;
  /** What stands in the place of the person's id. */
  alias: string;
  /** Makes a text free of the person's id and of their words. */
  clean(text: string): string;
}

/** `words`: what they wrote, and facts from and about them. */
export function wantedOf(person: string, words: Iterable<string>): Wanted {
  const [platform = "", bare = ""] = [person.slice(0, person.indexOf(":")), person.slice(person.indexOf(":") + 1)];
  const alias = `${platform}:erased-${createHash("sha256").update(person).digest("hex").slice(0, 10)}`;
  const parts = new Set([...words].flatMap((text) => [text.trim(), ...text.split(/\r?\n/).map((line) => line.trim())]));
  const needles = [...parts].filter((text) => text.length >= SHORTEST).sort((a, b) => b.length - a.length);
  const said = needles.length ? new RegExp(needles.map(literal).join("|"), "g") : undefined;
  const whole = new RegExp(`${literal(person)}(?![A-Za-z0-9])`, "g");
  const id = bare.length >= SHORTEST ? new RegExp(`(?<![A-Za-z0-9])${literal(bare)}(?![A-Za-z0-9])`, "g") : undefined;
  const clean = (text: string): string => {
    const without = (said ? text.replace(said, GONE) : text).replace(whole, alias);
    return id ? without.replace(id, "erased") : without;
  };
  return { person, alias, clean };
}
/** Shorter texts are in every other by chance. */
const SHORTEST = 8;
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** `touched`: it stands behind the person's first word in this thread. `own`: the ids of their messages in it. */
export function redacted(event: Event, wanted: Wanted, touched: boolean, own: ReadonlySet<string>): Event {
  const bare = touched ? emptied(event) : event;
  return cleaned(withoutWords(bare, wanted.person, own), wanted) as Event;
}

function withoutWords(event: Event, person: string, own: ReadonlySet<string>): Event {
  switch (event.type) {
    case "message.received":
      return event.by.id === person ? { ...event, text: GONE } : event;
    case "message.edited":
      return own.has(event.id) ? { ...event, text: GONE } : event;
    case "approval.decided":
      if (event.by.id !== person) return event;
      if (event.verdict === "deny") return { ...event, reason: event.reason && GONE };
      if (event.verdict === "answer") return { ...event, text: GONE };
      return event.verdict === "edit" ? { ...event, input: {} } : event;
    default:
      return event;
  }
}

/** What the agent did, without its words. */
function emptied(event: Event): Event {
  switch (event.type) {
    case "noted":
    case "timer.set":
      return { ...event, text: GONE };
    case "model.answered":
      return { ...event, content: emptyBlocks(event.content), calls: event.calls.map((call) => ({ ...call, input: {} })) };
    case "turn.ended":
      return { ...event, text: GONE, cuts: [] };
    case "call.gated":
      return {
        ...event,
        reason: GONE,
        ...(event.question ? { question: { text: GONE, options: event.question.options.map((_, index) => `${index + 1}`) } } : {}),
        ...(event.preview === undefined ? {} : { preview: GONE }),
        ...(event.notices ? { notices: event.notices.map((notice) => ({ ...notice, text: GONE })) } : {}),
      };
    case "approval.decided":
      return event.verdict === "edit" ? { ...event, input: {}, ...(event.preview === undefined ? {} : { preview: GONE }) } : event;
    case "call.finished":
      return { ...event, content: GONE };
    case "context.compacted":
      return { ...event, summary: GONE };
    case "todos.written":
      return { ...event, todos: event.todos.map((todo) => ({ ...todo, content: GONE })) };
    default:
      return event;
  }
}

/** The calls stay, since they have results; of thoughts and words one remains. */
function emptyBlocks(content: readonly Block[]): Block[] {
  const calls = content.filter((block) => block.type === "tool_use").map((block) => ({ ...block, input: {} as JsonObject }));
  return [{ type: "text", text: GONE }, ...calls];
}

function cleaned(value: unknown, wanted: Wanted): unknown {
  if (typeof value === "string") return wanted.clean(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, wanted));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, item]) => [key, cleaned(item, wanted)] as const);
  const result = Object.fromEntries(entries);
  // A speaker: the name goes with the id.
  return result.id === wanted.alias && typeof result.name === "string" ? { ...result, name: "Somebody" } : result;
}
