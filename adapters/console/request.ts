/** What a page may post, checked by hand: a sentence instead of a value says what is wrong with it. */
import type { Attachment } from "../../src/core/file.ts";
import type { Act } from "../../src/core/view.ts";
import type { Operated, Press } from "./desk.ts";
import { byKey, OPERATOR, PEOPLE, type Person } from "./people.ts";
import { isId } from "./store.ts";

export interface Written {
  person: Person;
  /** Empty: it begins one. */
  thread: string;
  id: string;
  text: string;
  files: Attachment[];
  /** In which it begins a thread; empty: the console's own. */
  home: string;
}

const FILES = 10;
const TEXT = 100_000;
/** Made by the page. Never the shape of what the board itself makes. */
const MESSAGE = /^m[\w-]{8,48}$/;
const THREAD = /^([\w-]{1,64})?$/;
const CODE = /^[\w.-]{1,80}$/;
const ACTS: readonly Act[] = ["approve", "edit", "deny", "thread", "always", "answer", "stop", "withdraw", "undo", "show"];

const MALFORMED = "This page sent something that cannot be understood. Load it again.";

export function readWrite(body: unknown): Written | string {
  const { person, thread } = sender(body);
  const { id, text, home = "" } = textsOf(body);
  const files = filesOf(body);
  if (!person || thread === undefined || !id || !MESSAGE.test(id) || text === undefined || !files) return MALFORMED;
  if (files.length > FILES) return `${FILES} files at once are the most.`;
  if (text.trim() === "" && !files.length) return "There is nothing in this message.";
  if (text.length > TEXT)
    return `This message is too long: ${TEXT} characters are the most. Put the rest into a file, or send it in parts.`;
  return { person, thread, id, text, files, home };
}

/** What was uploaded before, as the page tells of it: only the id says which file it is. */
function filesOf(body: unknown): Attachment[] | undefined {
  const listed = isObject(body) ? (body.files ?? []) : undefined;
  if (!Array.isArray(listed)) return undefined;
  const whole = listed.flatMap((file: unknown) => {
    const { id = "", name = "", mime = "" } = textsOf(file);
    const size = isObject(file) && typeof file.size === "number" ? file.size : 0;
    return isId(id) && name.trim() && size > 0 ? [{ id, name: name.slice(0, 200), mime: mime.slice(0, 100), size }] : [];
  });
  return whole.length === listed.length ? whole : undefined;
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
  // The operator is whoever acts in other homes, whatever a page says; here they take a role.
  const known = [...PEOPLE, OPERATOR].some(({ key }) => key === as);
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
