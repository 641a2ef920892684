/**
 * What a server wants to ask people, as questions of ours, or why it is not put to anybody. Pure.
 *
 * E1. A form is flat: texts, numbers, yes or no, choices. Anything else is declined.
 * E2. Nobody is asked for a secret in a form: what people write there is kept in the conversation.
 * E3. A page is shown with its whole address; it is reached by https, or on this very machine, and nothing rides along in it.
 * E4. The largest forms of some platforms hold five fields, so more are asked for in several forms.
 */
import { z } from "zod";
import type { Field, Question } from "../core/event.ts";

export type Wish = { ok: true; questions: Question[] } | { ok: false; why: string };

const A_FORM = 5;
const MOST_FIELDS = 20;
const MOST_CHOICES = 50;
const LONGEST = 1500;

const page = z.looseObject({ mode: z.literal("url"), message: z.string(), url: z.string() });
const form = z.looseObject({
  message: z.string(),
  requestedSchema: z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}), required: z.array(z.string()).default([]) }),
});

export function wished(server: string, params: unknown): Wish {
  const asked = page.safeParse(params);
  if (asked.success) return pageOf(server, asked.data);
  const given = form.safeParse(params);
  if (!given.success) return { ok: false, why: "what it asked for could not be understood" };
  const { message, requestedSchema } = given.data;
  const { properties, required } = requestedSchema;
  const names = Object.keys(properties);
  if (names.length > MOST_FIELDS) return { ok: false, why: `it asked for ${names.length} values at once` };
  const fields: Field[] = [];
  for (const [id, value] of Object.entries(properties)) {
    const field = fieldOf(id, value, required.includes(id));
    if (!field) return { ok: false, why: `it asked for “${clip(id, 60)}”, which no form can hold` };
    fields.push(field);
  }
  if (fields.some(isSecret) || ASKS_SECRET.test(unwarned(message)))
    return { ok: false, why: "it asked for what looks like a password, key or other secret" };
  return { ok: true, questions: forms(server, clip(message, LONGEST), fields) };
}

function forms(from: string, message: string, fields: Field[]): Question[] {
  const ordered = [...fields.filter(({ required }) => required), ...fields.filter(({ required }) => !required)];
  const count = Math.max(1, Math.ceil(ordered.length / A_FORM));
  return Array.from({ length: count }, (_, index): Question => {
    const text = count > 1 ? `${message} (${index + 1} of ${count})` : message;
    return { text, options: [], from, fields: ordered.slice(index * A_FORM, (index + 1) * A_FORM) };
  });
}

function pageOf(from: string, { message, url }: z.infer<typeof page>): Wish {
  const found = URL.canParse(url) ? new URL(url) : undefined;
  const local = found !== undefined && ["localhost", "127.0.0.1", "[::1]"].includes(found.hostname);
  if (!found || !(found.protocol === "https:" || (found.protocol === "http:" && local)) || found.username || found.password)
    return { ok: false, why: "it asked people to open an address that is not safe to open" };
  return { ok: true, questions: [{ text: clip(message, LONGEST), options: [], from, url: found.href }] };
}

const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

const SECRET =
  "pass(?:word|phrase|code|wd)|secret|(?:api|access|private|signing|encryption)[-_ ]?key|(?:access|auth|api|bearer|refresh|session|bot)[-_ ]?token|credentials?|credit[-_ ]?card|card[-_ ]?number|\\bcvv\\b|\\bcvc\\b|\\bpin\\b|\\bssn\\b|social[-_ ]?security";
const NAMES_SECRET = new RegExp(`${SECRET}|^tokens?$`, "i");
const ASKS_SECRET = new RegExp(
  `\\b(?:enter|type|paste|provide|supply|give|send|share|what is|confirm)\\b\\W+(?:[\\w']+\\W+){0,4}?(?:${SECRET})`,
  "i",
);
/** A plea to leave secrets out asks for none. */
const WARNS =
  /\b(?:do not|don[’']t|never|please no)\s+(?:ever\s+)?(?:give|enter|send|share|type|include|provide|paste|put|use|write|tell)\b[^.;:!?)\n]*/gi;
const unwarned = (text: string): string => text.replace(WARNS, "");
/** What is chosen from a list cannot hold one. */
const isSecret = ({ id, label, kind, hint = "" }: Field): boolean =>
  !["boolean", "choice", "choices"].includes(kind) && [id, label, unwarned(hint)].some((text) => NAMES_SECRET.test(text));

const titled = z.array(z.looseObject({ const: z.string(), title: z.string().optional() }));
const values = z.array(z.string());
const primitive = z.looseObject({
  type: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: values.optional(),
  enumNames: values.optional(),
  oneOf: titled.optional(),
  format: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  items: z.looseObject({ enum: values.optional(), anyOf: titled.optional(), oneOf: titled.optional() }).optional(),
});
type Primitive = z.infer<typeof primitive>;

function fieldOf(id: string, value: unknown, required: boolean): Field | undefined {
  const parsed = primitive.safeParse(value);
  if (!parsed.success) return undefined;
  const given = parsed.data;
  const kind = kindOf(given);
  if (!kind) return undefined;
  const hint = clip(given.description ?? "", 200);
  const first = startOf(given.default);
  const base = {
    id,
    label: clip(given.title?.trim() || id, 80),
    required,
    ...(hint ? { hint } : {}),
    ...(first === undefined ? {} : { value: first }),
  };
  return { ...base, ...kind };
}

type Kind = Pick<Field, "kind" | "choices" | "min" | "max" | "format">;
function kindOf(given: Primitive): Kind | undefined {
  switch (given.type) {
    case "boolean":
      return { kind: "boolean" };
    case "number":
    case "integer":
      return { kind: given.type, ...bounds(given.minimum, given.maximum) };
    case "string": {
      const choices = choicesOf(given.enum, given.oneOf, given.enumNames);
      if (choices) return choices.length <= MOST_CHOICES ? { kind: "choice", choices } : undefined;
      const format = FORMATS.find((one) => one === given.format);
      return { kind: "text", ...bounds(given.minLength, given.maxLength), ...(format ? { format } : {}) };
    }
    case "array": {
      const choices = choicesOf(given.items?.enum, given.items?.anyOf ?? given.items?.oneOf);
      return choices && choices.length <= MOST_CHOICES
        ? { kind: "choices", choices, ...bounds(given.minItems, given.maxItems) }
        : undefined;
    }
    default:
      return undefined;
  }
}
const FORMATS = ["email", "uri", "date", "date-time"] as const;
const bounds = (min: number | undefined, max: number | undefined): Pick<Field, "min" | "max"> => ({
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
});

function choicesOf(plain?: string[], rich?: z.infer<typeof titled>, names: string[] = []): Field["choices"] {
  if (rich) return rich.map(({ const: value, title }) => ({ value, label: title ?? value }));
  return plain?.map((value, index) => ({ value, label: names[index] ?? value }));
}

function startOf(value: unknown): string | undefined {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" || typeof value === "number") return String(value);
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").join("\n") : undefined;
}
