/**
 * A question that came up while a call ran: its card, its form, and what the values mean that were written into it. Pure.
 *
 * Q1. The card names who asks, in its title; their words are quoted. A page to open is shown with its whole address and its host.
 * Q2. What is given back fits what was asked for, or the person who wrote it is told in words what does not.
 * Q3. What has few choices is chosen, by their places; their values and names may be anything. More than a menu holds are written.
 */
import { type Asked, type Call, openQuestion } from "./calls.ts";
import { cardView, decidedText, reveal, time } from "./card.ts";
import type { Field, Json, JsonObject, Question, Verdict } from "./event.ts";
import type { Button, Form, FormField, Menu, Part, View } from "./view.ts";

/** What a button's place among the others means. */
export const YES = 0;
export const NO = 1;

/** The card on which a call waits: whether it may run, or what it asked while it ran; and the slot it stands in. */
export function waitingCard(call: Call, gate: Verdict, helper?: string): { slot: string; view: View } {
  const asked = openQuestion(call);
  if (asked) return { slot: `card/${call.id}/${call.questions.length}`, view: inquiryView(gate.label, asked, helper) };
  return { slot: `card/${call.id}`, view: cardView(call, gate, helper) };
}

export function inquiryView(label: string, { question, code, answered, expires, deciders }: Asked, helper?: string): View {
  const who = helper === undefined ? "" : ` for the helper ${reveal(helper)}`;
  const parts: Part[] = [{ kind: "quoted", text: reveal(question.text) }, ...pageParts(question, !answered)];
  if (answered) parts.push({ kind: "text", text: decidedText({ decided: answered, status: "done" }) });
  else parts.push({ kind: "note", text: `${wanted(question)} ${deciders} Expires ${time(expires)}.`.trim() });
  const yes: Button = {
    word: question.url ? "I opened it" : question.fields?.length ? "Answer" : "Continue",
    act: "answer",
    code: `${code}.${YES}`,
  };
  const buttons: Button[] = [
    { ...yes, style: "primary" },
    { word: "Decline", act: "answer", code: `${code}.${NO}` },
  ];
  return { title: `${reveal(question.from ?? label)} asks${who}`, parts, buttons: answered ? [] : buttons };
}

function wanted({ fields = [], url, from }: Question): string {
  if (url) return "Open the page only if you expected this. Nothing of this conversation is handed over with it.";
  if (!fields.length) return "";
  const names = fields.map(({ label, required }) => `${reveal(label)}${required ? "" : " (optional)"}`).join(", ");
  return `It asks for: ${names}. What you write goes to ${reveal(from ?? "the server")}; never write a password or key.`;
}

function pageParts({ url }: Question, open: boolean): Part[] {
  if (url === undefined) return [];
  const host = hostOf(url);
  const parts: Part[] = [
    { kind: "fields", rows: [["Page on", host]] },
    { kind: "code", text: url },
  ];
  return open
    ? [
        ...parts,
        { kind: "text", text: `[Open the page on ${host}](${url.replace(/[()<>\s]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)})` },
      ]
    : parts;
}

/** As browsers would look it up: letters of other alphabets are spelled out. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "an address that cannot be read");

export const inquiryForm = ({ text, from, fields = [] }: Question): Form => ({
  title: `${from ?? "A server"} asks`,
  submit: "Send",
  intro: text,
  fields: fields.map(formField),
});

/** Names of fields may be anything; their places are not. */
const placeOf = (index: number): string => `f${index}`;

function formField(field: Field, index: number): FormField {
  const menu = menuOf(field);
  const hint = menu ? field.hint : hintOf(field);
  return {
    id: placeOf(index),
    label: field.label,
    value: menu ? placesOf(field) : (field.value ?? ""),
    multiline: field.kind === "text" && (field.max ?? 0) > 200,
    optional: !field.required,
    ...(hint ? { hint } : {}),
    ...(menu ? { menu } : {}),
  };
}

/** What the shortest menu among the platforms holds. */
const MENU = 25;
const BOTH: Menu["options"] = [
  { value: "yes", label: "Yes" },
  { value: "no", label: "No" },
];
const choicePlace = (index: number): string => `c${index}`;

function menuOf({ kind, choices = [], max = choices.length }: Field): Menu | undefined {
  if (kind === "boolean") return { options: BOTH, most: 1 };
  if (!choices.length || choices.length > MENU) return undefined;
  const options = choices.map(({ label, value }, index) => ({ value: choicePlace(index), label: label.trim() || value.trim() || "…" }));
  return { options, most: kind === "choice" ? 1 : Math.max(1, Math.min(max, choices.length)) };
}

/** What stands chosen at first. */
function placesOf(field: Field): string {
  const { kind, choices = [], value = "" } = field;
  if (kind === "boolean" || !value) return value;
  const found = (kind === "choice" ? [chosen(field, value)] : (chosenFrom(field, value) ?? [])).flatMap((one) => one ?? []);
  const places = found.map((one) => choicePlace(choices.findIndex((each) => each.value === one)));
  return places.slice(0, menuOf(field)?.most).join("\n");
}

function hintOf({ kind, hint = "", choices = [], format }: Field): string {
  const names = choices.map(({ label }) => label).join(", ");
  const shape = {
    text: format
      ? { email: "an e-mail address", uri: "a web address", date: "such as 2026-01-31", "date-time": "such as 2026-01-31T09:00Z" }[format]
      : "",
    number: "a number",
    integer: "a whole number",
    boolean: "yes or no",
    choice: `one of: ${names}`,
    choices: `some of: ${names}; with commas between`,
  }[kind];
  return [shape, hint].filter(Boolean).join(" · ");
}

type Read = { ok: true; value: Json } | { ok: false; error: string };
const fine = (value: Json): Read => ({ ok: true, value });
const wrong = (error: string): Read => ({ ok: false, error });

/** What a submitted form gives back, and the same in one line for people; or everything that does not fit. */
export function inquiryValues(
  { fields = [] }: Question,
  given: Readonly<Record<string, string>>,
): { ok: true; values: JsonObject; text: string } | { ok: false; error: string } {
  const values: [string, Json][] = [];
  const told: string[] = [];
  const errors: string[] = [];
  for (const [index, field] of fields.entries()) {
    const raw = given[placeOf(index)] ?? "";
    if (!raw.trim()) {
      if (field.required) errors.push(`“${field.label}” is needed`);
      continue;
    }
    const read = readValue(field, raw);
    if (!read.ok) errors.push(`“${field.label}” ${read.error}`);
    else {
      values.push([field.id, read.value]);
      told.push(
        `${field.label}: ${[read.value]
          .flat()
          .map((value) => inWords(field, value))
          .join(", ")}`,
      );
    }
  }
  if (errors.length) return { ok: false, error: `${errors.join("; ")}.` };
  return { ok: true, values: Object.fromEntries(values), text: told.join("; ").slice(0, 500) || "sent without values" };
}

function inWords({ choices = [] }: Field, value: Json): string {
  return choices.find((choice) => choice.value === value)?.label ?? (typeof value === "boolean" ? (value ? "yes" : "no") : String(value));
}

function readValue(field: Field, raw: string): Read {
  const text = raw.trim();
  switch (field.kind) {
    case "text":
      return textOf(field, raw);
    case "number":
    case "integer":
      return numberOf(field, text);
    case "boolean":
      if (/^(?:yes|y|true|on|1)$/i.test(text)) return fine(true);
      return /^(?:no|n|false|off|0)$/i.test(text) ? fine(false) : wrong("is answered with yes or no");
    case "choice": {
      const found = chosen(field, text);
      return found === undefined ? wrong(`is one of ${labels(field)}`) : fine(found);
    }
    case "choices":
      return several(field, text);
  }
}

const labels = ({ choices = [] }: Field): string => choices.map(({ label }) => label).join(", ");
function chosen(field: Field, text: string): string | undefined {
  const { choices = [] } = field;
  const placed = menuOf(field) && choices.find((_, index) => choicePlace(index) === text);
  if (placed) return placed.value;
  const same = (one: string): boolean => one.toLowerCase() === text.toLowerCase();
  return (choices.find(({ value }) => value === text) ?? choices.find(({ value, label }) => same(value) || same(label)))?.value;
}

/** Names with commas between, or one on a line; undefined if one is none of them. */
function chosenFrom(field: Field, text: string): string[] | undefined {
  const lines = text.split("\n").flatMap((line) => (chosen(field, line.trim()) === undefined ? line.split(",") : [line]));
  const parts = lines.map((part) => part.trim()).filter(Boolean);
  const found = parts.flatMap((part) => chosen(field, part) ?? []);
  return found.length === parts.length ? [...new Set(found)] : undefined;
}

function several(field: Field, text: string): Read {
  const values = chosenFrom(field, text);
  if (!values) return wrong(`is some of ${labels(field)}`);
  if (values.length < (field.min ?? 0)) return wrong(`has at least ${field.min} of ${labels(field)}`);
  return values.length > (field.max ?? Number.POSITIVE_INFINITY) ? wrong(`has at most ${field.max} of ${labels(field)}`) : fine(values);
}

function numberOf({ kind, min, max }: Field, text: string): Read {
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return wrong("is not a number");
  if (kind === "integer" && !Number.isInteger(value)) return wrong("is not a whole number");
  if (min !== undefined && value < min) return wrong(`is at least ${min}`);
  return max !== undefined && value > max ? wrong(`is at most ${max}`) : fine(value);
}

const FORMATS: Record<NonNullable<Field["format"]>, [(text: string) => boolean, string]> = {
  email: [(text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text), "is not an e-mail address"],
  uri: [(text) => URL.canParse(text), "is not a web address"],
  date: [isDate, "is not a date such as 2026-01-31"],
  "date-time": [
    (text) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/i.test(text) &&
      isDate(text.slice(0, 10)) &&
      !Number.isNaN(Date.parse(text)),
    "is not a time such as 2026-01-31T09:00Z",
  ],
};
function isDate(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function textOf({ format, min, max }: Field, raw: string): Read {
  const text = format ? raw.trim() : raw;
  const length = [...text].length;
  if (min !== undefined && length < min) return wrong(`has at least ${min} characters`);
  if (max !== undefined && length > max) return wrong(`has at most ${max} characters`);
  if (!format) return fine(text);
  const [fits, why] = FORMATS[format];
  return fits(text) ? fine(text) : wrong(why);
}
