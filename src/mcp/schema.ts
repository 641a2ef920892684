/**
 * The input schemas of servers' tools: one that a model's provider accepts, and one that inputs are held to.
 *
 * S1. What the provider is given is always an object schema of draft 2020-12 without combinations at its top. It may say less than the
 *     server's schema, never something else; inputs are checked against the server's own.
 * S2. Numbers and truth values sent as text are accepted where the schema wants them, and nothing else is changed.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../core/event.ts";

const OPTIONS = {
  strict: false,
  validateFormats: false,
  allErrors: true,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
} as const;
let latest: Ajv2020 | undefined;
const judge = (): Ajv2020 => (latest ??= new Ajv2020({ ...OPTIONS }));

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The schema as it is offered to the model. */
export function offered(given: unknown): JsonObject {
  const { $schema: _draft, $id: _id, ...schema } = isObject(given) ? given : {};
  const flat = flatten({ ...schema, type: "object" });
  const keys = Object.keys(isObject(flat.properties) ? flat.properties : {});
  const valid = keys.every((key) => KEY.test(key)) && judge().validateSchema(flat) === true;
  return valid ? flat : bare(flat);
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
  const properties = known.map(([key, value]) => {
    const { type, description } = isObject(value) ? value : {};
    return [key, { ...(typeof type === "string" && TYPES.has(type) && { type }), ...(typeof description === "string" && { description }) }];
  });
  return { type: "object", properties: Object.fromEntries(properties) };
}
const TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

export type Fit = { ok: true; input: JsonObject } | { ok: false; error: string };

/** Checks inputs against the server's schema. A schema that cannot be compiled holds nothing back: the server checks too. */
export function fitter(given: unknown): (input: JsonObject) => Fit {
  let validate: ValidateFunction | undefined;
  let compiled = false;
  return (input) => {
    if (!compiled) validate = compile(given);
    compiled = true;
    return validate ? held(validate, input) : { ok: true, input };
  };
}

function compile(given: unknown): ValidateFunction | undefined {
  if (!isObject(given)) return undefined;
  const { $schema, $id: _id, ...schema } = given;
  // Each schema has a compiler of its own: names inside one must not meet those of another.
  const old = typeof $schema === "string" && /draft-0[4-7]/.test($schema);
  try {
    return (old ? new Ajv({ ...OPTIONS }) : new Ajv2020({ ...OPTIONS })).compile(schema);
  } catch {
    return undefined;
  }
}

function held(validate: ValidateFunction, input: JsonObject): Fit {
  if (validate(input)) return { ok: true, input };
  const copy = structuredClone(input);
  const errors = validate.errors ?? [];
  const changed = errors.filter((error) => convert(copy, error)).length;
  if (changed > 0 && validate(copy)) return { ok: true, input: copy };
  const words = (changed > 0 ? (validate.errors ?? errors) : errors).map(sentence);
  return { ok: false, error: `The input does not fit the tool's schema: ${[...new Set(words)].slice(0, 5).join("; ")}.` };
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const extra = "additionalProperty" in params ? ` (${String(params.additionalProperty)})` : "";
  const values = "allowedValues" in params ? ` (${(params.allowedValues as Json[]).slice(0, 20).join(", ")})` : "";
  return `${instancePath || "it"} ${message ?? "is wrong"}${extra}${values}`;
}

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
