/**
 * The events of a session without what one person said. Pure.
 *
 * R1. What they wrote is gone, and so is whatever the agent wrote, called or got in their threads from their first word on: it may tell of it.
 * R2. Nothing else changes: each event still applies where it did, and calls, cards and posts stay what they were.
 * R3. Elsewhere their words are gone where they are repeated to the letter, and so are names, numbers and addresses that nobody but them
 *     wrote; everywhere a name that tells nothing stands for them.
 * R4. Ids of messages, channels, sessions and calls stay what they are, whatever somebody wrote: only the person's own id is taken out of them.
 */
import { createHash } from "node:crypto";
import type { Block, Event, JsonObject, Question } from "../core/event.ts";
import type { Bears } from "../core/file.ts";

export const GONE = "[erased]";

export interface Wanted {
  /** Platform-qualified. */
  person: string;
  /** What stands in the place of the person's id. */
  alias: string;
  /** Makes a text free of the person's id and of their words. */
  clean(text: string): string;
  /** What they called themselves. */
  names: ReadonlySet<string>;
  /** Makes a text free of the person's id only. */
  unnamed(text: string): string;
}

/** `words`: what they wrote, and facts from and about them; `others`: what everybody else wrote. */
export function wantedOf(
  person: string,
  words: readonly string[],
  others: readonly string[] = [],
  names: ReadonlySet<string> = new Set(),
): Wanted {
  const [platform = "", bare = ""] = [person.slice(0, person.indexOf(":")), person.slice(person.indexOf(":") + 1)];
  const alias = `${platform}:erased-${createHash("sha256").update(person).digest("hex").slice(0, 10)}`;
  const parts = new Set(words.flatMap((text) => [text.trim(), ...text.split(/\r?\n/).map((line) => line.trim())]));
  const lines = [...parts].filter((text) => text.length >= SHORTEST).sort((a, b) => b.length - a.length);
  const said = lines.length ? new RegExp(lines.map(literal).join("|"), "g") : undefined;
  const telling = tellingIn(words, others).sort((a, b) => b.length - a.length);
  const tokens = telling.length
    ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${telling.map(literal).join("|")})(?![\\p{L}\\p{N}])`, "giu")
    : undefined;
  const whole = new RegExp(`${literal(person)}(?![A-Za-z0-9])`, "g");
  const id = bare.length >= SHORTEST ? new RegExp(`(?<![A-Za-z0-9])${literal(bare)}(?![A-Za-z0-9])`, "g") : undefined;
  const unnamed = (text: string): string => {
    const without = text.replace(whole, alias);
    return id ? without.replace(id, "erased") : without;
  };
  const clean = (text: string): string => {
    const unsaid = said ? text.replace(said, GONE) : text;
    return unnamed(tokens ? unsaid.replace(tokens, GONE) : unsaid);
  };
  return { person, alias, clean, names, unnamed };
}
/** Shorter texts are in every other by chance. */
const SHORTEST = 8;
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

const WORD = /[\p{L}\p{N}][\p{L}\p{N}._@+:/#-]*[\p{L}\p{N}]/gu;
const DATE = /^\d{4}-\d\d-\d\d|^\d\d?[.:/]\d\d/;
/** Names with digits, long numbers and addresses: what tells of somebody wherever it stands. */
const tells = (word: string): boolean =>
  !DATE.test(word) && (/[@]|:\/\//.test(word) || (/\p{N}/u.test(word) && word.length >= (/^[\d.,:-]+$/.test(word) ? 6 : 5)));

function tellingIn(words: readonly string[], others: readonly string[]): string[] {
  const wordsIn = (texts: readonly string[]) => texts.flatMap((text) => text.match(WORD) ?? []);
  const theirs = new Set(wordsIn(others).map((word) => word.toLowerCase()));
  return [...new Set(wordsIn(words))].filter((word) => tells(word) && !theirs.has(word.toLowerCase()));
}

/** `touched`: it stands behind the person's first word in this thread. `own`: the ids of their messages in it. */
export function redacted(event: Event, wanted: Wanted, touched: boolean, own: ReadonlySet<string>): Event {
  const bare = touched ? unasked(emptied(event), wanted) : event;
  return cleaned(withoutWords(bare, wanted.person, own), wanted) as Event;
}

function withoutWords(event: Event, person: string, own: ReadonlySet<string>): Event {
  switch (event.type) {
    case "message.received":
      return event.by.id === person ? { ...withoutViewing(event), text: GONE, ...unnamed(event.files) } : event;
    case "message.edited":
      return own.has(event.id) ? { ...event, text: GONE } : event;
    case "approval.decided":
      if (event.by.id !== person) return event;
      if (event.verdict === "deny") return { ...event, reason: event.reason && GONE };
      if (event.verdict === "answer") return { ...event, text: GONE, ...(event.values ? { values: {} } : {}) };
      return event.verdict === "edit" ? { ...event, input: {} } : event;
    default:
      return event;
  }
}

/** The ids stay, or what became of each file would be told of nothing. */
const unnamed = (files: Bears["files"]): Bears => (files ? { files: files.map((file) => ({ ...file, name: GONE })) } : {});

const withoutViewing = <E extends { viewing?: string }>({ viewing: _, ...event }: E): Omit<E, "viewing"> => event;

function withoutHead({ head: _, ...event }: Extract<Event, { type: "turn.ended" }>): Event {
  return { ...event, text: GONE, cuts: [] };
}

export const SOMEBODY = "Somebody";
/** A card tells by name for whom a call is and who decides. */
function unasked(event: Event, { names }: Wanted): Event {
  if (event.type !== "call.gated" && event.type !== "call.asked") return event;
  const deciders = [...names].reduce((text, name) => text.replaceAll(name, SOMEBODY), event.deciders);
  const named = event.type === "call.gated" && names.has(event.asker ?? "");
  return { ...event, deciders, ...(named ? { asker: SOMEBODY } : {}) };
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
      return withoutHead(event);
    case "call.gated":
      return {
        ...event,
        reason: GONE,
        ...(event.question ? { question: emptyQuestion(event.question) } : {}),
        ...(event.preview === undefined ? {} : { preview: GONE }),
        ...(event.remarks ? { remarks: [] } : {}),
        ...(event.notices ? { notices: event.notices.map((notice) => ({ ...notice, text: GONE })) } : {}),
      };
    case "call.asked": {
      const { url: _, fields, ...question } = { ...event.question, ...emptyQuestion(event.question) };
      const bare = fields ? { fields: fields.map((field, index) => ({ ...field, label: `${index + 1}`, hint: "", value: "" })) } : {};
      return { ...event, question: { ...question, ...bare, text: GONE } };
    }
    case "approval.decided":
      return event.verdict === "edit" ? { ...event, input: {}, ...(event.preview === undefined ? {} : { preview: GONE }) } : event;
    case "call.finished":
      return {
        ...event,
        content: GONE,
        ...(event.file ? { file: { ...event.file, name: GONE, ...(event.file.comment ? { comment: GONE } : {}) } } : {}),
      };
    case "context.compacted":
      return { ...event, summary: GONE };
    case "digest.told":
      return { ...event, lines: event.lines.map((line) => ({ ...line, text: GONE })) };
    case "todos.written":
      return { ...event, todos: event.todos.map((todo) => ({ ...todo, content: GONE })) };
    default:
      return event;
  }
}

const emptyQuestion = ({ options, from }: Question): Question => ({
  text: GONE,
  options: options.map((_, index) => `${index + 1}`),
  ...(from === undefined ? {} : { from }),
});

/** The calls stay, since they have results; of thoughts and words one remains. */
function emptyBlocks(content: readonly Block[]): Block[] {
  const calls = content.filter((block) => block.type === "tool_use").map((block) => ({ ...block, input: {} as JsonObject }));
  return [{ type: "text", text: GONE }, ...calls];
}

/** Where the house itself writes: ids, keys and kinds. */
const OWN = new Set(
  "type id call calls turn channel message thread team platform session slot key code newCode digest newDigest previewed scope home pin verdict how kind mime status file".split(
    " ",
  ),
);
/** Below these everything is what somebody wrote. */
const WRITTEN = new Set(["input", "content", "values", "question", "lines", "todos"]);

function cleaned(value: unknown, wanted: Wanted, own = false, written = false): unknown {
  if (typeof value === "string") return own && !written ? wanted.unnamed(value) : wanted.clean(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, wanted, own, written));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(
    ([key, item]) => [key, cleaned(item, wanted, OWN.has(key), written || WRITTEN.has(key))] as const,
  );
  const result = Object.fromEntries(entries);
  // A speaker: the name goes with the id.
  return result.id === wanted.alias && typeof result.name === "string" ? { ...result, name: SOMEBODY } : result;
}
