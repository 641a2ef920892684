/**
 * The input schemas of servers' tools: one that a model's provider accepts, and one that inputs are held to.
 *
 * S1. What the provider is given is always an object schema of draft 2020-12 without combinations at its top. It may say less than the
 *     server's schema, never something else; inputs are checked against the server's own, brought into the same draft.
 * S3. Where no input can be written that the server takes, the tool is refused in words.
 * S4. Judging ends, whatever patterns and references a server wrote: what takes too long holds nothing back.
 * S2. Numbers and truth values sent as text are accepted where the schema wants them, and nothing else is changed.
 */
import { createRequire } from "node:module";
import type { ErrorObject, ValidateFunction } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../core/event.ts";
import { isObject, modern } from "./draft.ts";
import { limited } from "./limited.ts";

const OPTIONS = {
  strict: false,
  validateFormats: false,
  allErrors: true,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
} as const;
/** Loaded with its first use: a start does not pay for it. */
const compiler = (more: object = {}): Ajv2020 => {
  const { Ajv2020: Compiler } = createRequire(import.meta.url)("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  return new Compiler({ ...OPTIONS, ...more });
};
let latest: Ajv2020 | undefined;
const judge = (): Ajv2020 => (latest ??= compiler());

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The schema as it is offered to the model. */
export function offered(given: unknown): JsonObject {
  const schema = modern(given);
  const flat = flatten({ ...(schema ?? (isObject(given) ? given : {})), type: "object" });
  const keys = Object.keys(isObject(flat.properties) ? flat.properties : {});
  const fits = schema && JSON.stringify(flat).length <= LARGEST && keys.every((key) => KEY.test(key));
  return fits && limited(() => judge().validateSchema(flat), ONCE)?.value === true ? flat : bare(flat);
}
/** Characters: a larger schema is told by its names and kinds, as many as there is room for. */
const LARGEST = 30_000;
const LONGEST_HINT = 300;
/** Milliseconds for what is done once with each tool. */
const ONCE = 1000;

/** Why no input of a tool can be written, in words. */
export function unusable(given: unknown): string | undefined {
  if (given === false) return "its schema takes no input at all";
  const schema = modern(given);
  if (!schema) return undefined;
  if (schema.type !== undefined && ![schema.type].flat().includes("object")) return "its schema does not take an object";
  const { required } = flatten(schema);
  const odd = (Array.isArray(required) ? required : []).find((key) => !KEY.test(String(key)));
  return odd === undefined ? undefined : `it needs a value named “${String(odd).slice(0, 60)}”, and no model takes such a name`;
}

/** Alternatives at the top become one list of properties; only what all of `allOf` require stays required. */
function flatten(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const all = objects(allOf);
  const branches = [...all, ...objects(anyOf), ...objects(oneOf)];
  if (!("anyOf" in schema || "oneOf" in schema || "allOf" in schema)) return schema;
  const properties = [...branches, rest].map((branch) => (isObject(branch.properties) ? branch.properties : {}));
  const required = [...all, rest].flatMap((branch) => (Array.isArray(branch.required) ? branch.required : []));
  return {
    ...rest,
    properties: Object.assign({}, ...properties) as JsonObject,
    ...(required.length && { required: [...new Set(required)] }),
  };
}

/** What is left of a schema that no provider takes: names, kinds and descriptions. */
function bare(schema: JsonObject): JsonObject {
  const known = Object.entries(isObject(schema.properties) ? schema.properties : {}).filter(([key]) => KEY.test(key));
  const needed = new Set(Array.isArray(schema.required) ? schema.required : []);
  const first = [...known.filter(([key]) => needed.has(key)), ...known.filter(([key]) => !needed.has(key))];
  const properties: JsonObject = {};
  let left = LARGEST;
  for (const [key, value] of first) {
    const { type, description } = isObject(value) ? value : {};
    const hint = typeof description === "string" ? description.slice(0, LONGEST_HINT) : undefined;
    const told = { ...(typeof type === "string" && TYPES.has(type) && { type }), ...(hint !== undefined && { description: hint }) };
    left -= key.length + JSON.stringify(told).length;
    if (left < 0) break;
    properties[key] = told;
  }
  return { type: "object", properties };
}
const TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

export type Fit = { ok: true; input: JsonObject } | { ok: false; error: string };

/** Checks inputs against the server's schema. A schema that cannot be compiled holds nothing back: the server checks too. */
export const fitter =
  (given: unknown) =>
  (input: JsonObject): Fit => {
    const judged = judgedBy(given);
    return judged.validate ? held(judged, judged.validate, input) : { ok: true, input };
  };

/** What is wrong with a value, in words; undefined: it fits, or the schema cannot be used. */
export function misfit(schema: unknown, value: unknown): string | undefined {
  const judged = judgedBy(schema);
  if (!judged.validate || takes(judged, judged.validate, value)) return undefined;
  return [...new Set((judged.validate.errors ?? []).map(sentence))].slice(0, 3).join("; ");
}

/** What judges by a schema: nothing, where it cannot be compiled, or took too long once. */
interface Judged {
  validate: ValidateFunction | undefined;
}
const known = new WeakMap<object, Judged>();

function judgedBy(given: unknown): Judged {
  if (!isObject(given)) return { validate: undefined };
  const judged = known.get(given) ?? { validate: compile(given) };
  known.set(given, judged);
  return judged;
}

function compile(given: JsonObject): ValidateFunction | undefined {
  const schema = modern(given);
  try {
    // Each schema has a compiler of its own: names inside one must not meet those of another.
    const own = compiler({ addUsedSchema: true });
    return schema && limited(() => own.compile(schema), ONCE)?.value;
  } catch {
    return undefined;
  }
}

/** A schema that goes round in circles holds nothing back: the server checks too. */
function takes(judged: Judged, validate: ValidateFunction, value: unknown): boolean {
  try {
    const taken = limited(() => validate(value) === true);
    if (!taken) judged.validate = undefined;
    return taken === undefined || taken.value;
  } catch {
    return true;
  }
}

function held(judged: Judged, validate: ValidateFunction, input: JsonObject): Fit {
  if (takes(judged, validate, input)) return { ok: true, input };
  const copy = structuredClone(input);
  const errors = validate.errors ?? [];
  const changed = errors.filter((error) => convert(copy, error)).length;
  if (changed > 0 && takes(judged, validate, copy)) return { ok: true, input: copy };
  const words = (changed > 0 ? (validate.errors ?? errors) : errors).map(sentence);
  return { ok: false, error: `The input does not fit the tool's schema: ${[...new Set(words)].slice(0, 5).join("; ")}.` };
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const extra = "additionalProperty" in params ? ` (${String(params.additionalProperty)})` : "";
  const values = "allowedValues" in params ? ` (${(params.allowedValues as Json[]).slice(0, 20).map(inWords).join(", ")})` : "";
  return `${instancePath || "it"} ${message ?? "is wrong"}${extra}${values}`;
}

const inWords = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 100);

/** Turns text into the number or truth value that is wanted at this place, if it is one. */
function convert(input: JsonObject, { keyword, instancePath, params }: ErrorObject): boolean {
  if (keyword !== "type") return false;
  const path = instancePath.split("/").slice(1).map(unescaped);
  const last = path.pop();
  const holder = path.reduce<Json | undefined>((at, key) => (at as JsonObject | undefined)?.[key], input) as JsonObject | undefined;
  if (last === undefined || !holder) return false;
  const value = valueFor([params.type as string | string[]].flat(), holder[last]);
  if (value === undefined) return false;
  holder[last] = value;
  return true;
}

const unescaped = (key: string): string => key.replaceAll("~1", "/").replaceAll("~0", "~");

function valueFor(types: string[], value: Json | undefined): Json | undefined {
  if (typeof value !== "string") return undefined;
  const numeric = /^\s*-?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/.test(value) ? Number(value) : undefined;
  if (
    numeric !== undefined &&
    Number.isFinite(numeric) &&
    (types.includes("number") || (types.includes("integer") && Number.isInteger(numeric)))
  )
    return numeric;
  if (types.includes("boolean") && (value === "true" || value === "false")) return value === "true";
  return undefined;
}
