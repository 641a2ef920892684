/** What a page may post, checked by hand: a sentence instead of a value says what is wrong with it. */
import type { Act } from "../../src/core/view.ts";
import type { Operated, Press } from "./desk.ts";
import { byKey, PEOPLE, type Person } from "./people.ts";

export interface Written {
  person: Person;
  /** Empty: it begins one. */
  thread: string;
  id: string;
  text: string;
}

const TEXT = 100_000;
/** Made by the page. Never the shape of what the board itself makes. */
const MESSAGE = /^m[\w-]{8,48}$/;
const THREAD = /^([\w-]{1,64})?$/;
const CODE = /^[\w.-]{1,80}$/;
const ACTS: readonly Act[] = ["approve", "edit", "deny", "thread", "always", "answer", "stop", "withdraw"];

const MALFORMED = "This page sent something that cannot be understood. Load it again.";

export function readWrite(body: unknown): Written | string {
  const { person, thread } = sender(body);
  const { id, text } = textsOf(body);
  if (!person || thread === undefined || !id || !MESSAGE.test(id) || text === undefined) return MALFORMED;
  if (text.trim() === "") return "There is nothing in this message.";
  if (text.length > TEXT)
    return `This message is too long: ${TEXT} characters are the most. Put the rest into a file, or send it in parts.`;
  return { person, thread, id, text };
}

export function readPress(body: unknown): Press | string {
  const { person, thread } = sender(body);
  const { code, act: given } = textsOf(body);
  const act = ACTS.find((one) => one === given);
  const values = valuesOf(body);
  if (!person || thread === undefined || !act || !code || !CODE.test(code) || values === null) return MALFORMED;
  return { person, thread, act, code, values };
}

/** A button of any home's card, pressed by the operator. */
export function readOperated(body: unknown): Operated | string {
  const { home, code, act: given } = textsOf(body);
  const act = ACTS.find((one) => one === given);
  const values = valuesOf(body);
  if (!home || !act || !code || !CODE.test(code) || values === null) return MALFORMED;
  return { home, act, code, values };
}

/** Something done in a home; what it takes is the act's own to judge. */
export function readAct(body: unknown): { home: string; given: Partial<Record<string, string>> } | string {
  const { home, ...given } = textsOf(body);
  return home ? { home, given } : MALFORMED;
}

function sender(body: unknown): { person: Person | undefined; thread: string | undefined } {
  const { as, thread } = textsOf(body);
  const known = PEOPLE.some(({ key }) => key === as);
  return { person: known ? byKey(as) : undefined, thread: thread !== undefined && THREAD.test(thread) ? thread : undefined };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** The texts in an object; whatever else is in it is not there. */
function textsOf(value: unknown): Partial<Record<string, string>> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function valuesOf(body: unknown): Record<string, string> | undefined | null {
  const values = isObject(body) ? body.values : undefined;
  if (values === undefined) return undefined;
  if (!isObject(values) || Object.values(values).some((value) => typeof value !== "string")) return null;
  return Object.fromEntries(Object.entries(textsOf(values)).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
