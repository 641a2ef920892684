/**
 * A JSON schema of any draft (04 to 2020-12, or of none that it names) as one of 2020-12 that stands for itself. Pure; takes anything.
 *
 * D1. What later drafts say in other words is said in those. What cannot be said is left out: the result may say less, never something else.
 * D2. No reference leads out of it: what points elsewhere, or nowhere, is left out.
 * D3. It ends, whatever it is given: depth and size are bounded.
 */
import type { Json, JsonObject } from "../core/event.ts";

const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SINGLE = new Set([
  "additionalProperties",
  "items",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
/** Keywords that name a schema, or are other drafts' and said in other words. */
const LEFT = new Set([
  "$schema",
  "$id",
  "id",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "$vocabulary",
  "$comment",
  "additionalItems",
  "dependencies",
  "$recursiveRef",
  "$dynamicRef",
  "extends",
  "disallow",
  "divisibleBy",
]);
const TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);
const DEEPEST = 40;
const LARGEST = 4000;

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined: it is too deep or too large to be read. */
export function modern(given: unknown): JsonObject | undefined {
  const count = { left: LARGEST };
  const made = schemaOf(given, 0, count);
  if (count.left < 0) return undefined;
  const root = deref(made);
  return withoutDeadRefs(root, root) as JsonObject;
}

function schemaOf(given: unknown, depth: number, count: { left: number }): JsonObject {
  if (--count.left < 0 || depth > DEEPEST) {
    count.left = -1;
    return {};
  }
  if (given === false) return { not: {} };
  if (!isObject(given)) return {};
  const inside = (value: unknown): JsonObject => schemaOf(value, depth + 1, count);
  const made = Object.entries(given).flatMap(([key, value]): [string, Json][] => {
    if (LEFT.has(key)) return [];
    if (MAPS.has(key)) return isObject(value) ? [[key, mapped(value, inside)]] : [];
    if (key === "items" && Array.isArray(value)) return [];
    if (LISTS.has(key)) return Array.isArray(value) && value.length ? [[key, value.map(inside)]] : [];
    if (SINGLE.has(key))
      return typeof value === "boolean" || isObject(value) ? [[key, typeof value === "boolean" ? value : inside(value)]] : [];
    return plain(key, value);
  });
  return { ...Object.fromEntries(made), ...older(given, inside) };
}

const mapped = (map: JsonObject, inside: (value: unknown) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, inside(value)]));

/** A keyword that holds no schema, if it is what 2020-12 takes under this name. */
function plain(key: string, value: Json): [string, Json][] {
  if (key === "type") {
    const known = [value].flat().filter((one): one is string => typeof one === "string" && TYPES.has(one));
    const types = [...new Set(known)];
    return types.length === 0 ? [] : [["type", types.length === 1 ? (types[0] ?? "object") : types]];
  }
  if (key === "required") {
    const names = Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
    return names.length ? [[key, [...new Set(names)]]] : [];
  }
  if (key === "enum") return Array.isArray(value) && value.length ? [[key, value]] : [];
  if (/^(?:exclusiveM|m)(?:in|ax)imum$|^multipleOf$/.test(key)) return typeof value === "number" ? [[key, value]] : [];
  if (/^m(?:in|ax)(?:Length|Items|Properties|Contains)$/.test(key))
    return Number.isInteger(value) && Number(value) >= 0 ? [[key, value]] : [];
  return [[key, value]];
}

/** What earlier drafts said in other words. */
function older(given: JsonObject, inside: (value: unknown) => JsonObject): JsonObject {
  const made: JsonObject = {};
  if (Array.isArray(given.items)) {
    if (given.items.length) made.prefixItems = given.items.map(inside);
    if (given.additionalItems === false) made.items = false;
    else if (isObject(given.additionalItems)) made.items = inside(given.additionalItems);
  }
  for (const [bound, strict] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const)
    if (given[strict] === true && typeof given[bound] === "number") made[strict] = given[bound];
  if (given.$recursiveRef === "#") made.$ref = "#";
  else if (typeof given.$dynamicRef === "string" && given.$ref === undefined) made.$ref = given.$dynamicRef;
  if (isObject(given.dependencies)) Object.assign(made, dependencies(given.dependencies, inside));
  return made;
}

function dependencies(given: JsonObject, inside: (value: unknown) => JsonObject): JsonObject {
  const entries = Object.entries(given);
  const names = entries.flatMap(([key, value]) =>
    Array.isArray(value) ? [[key, value.filter((one) => typeof one === "string")] as const] : [],
  );
  const schemas = entries.flatMap(([key, value]) => (Array.isArray(value) ? [] : [[key, inside(value)] as const]));
  return {
    ...(names.length ? { dependentRequired: Object.fromEntries(names) } : {}),
    ...(schemas.length ? { dependentSchemas: Object.fromEntries(schemas) } : {}),
  };
}

/** A reference at the very top gives way to what it names: providers look there for the properties. */
function deref(root: JsonObject): JsonObject {
  let now = root;
  for (let hops = 0; hops < 5 && typeof now.$ref === "string" && now.$ref !== "#"; hops++) {
    const { $ref, ...rest } = now;
    const target = found(root, String($ref));
    now = { ...(isObject(target) ? target : {}), ...rest };
  }
  return now;
}

/** What a reference within a document names: a way of keys from its root. */
function found(root: JsonObject, ref: string): Json | undefined {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let now: Json | undefined = root;
  for (const part of ref.slice(2).split("/")) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    now = Array.isArray(now) ? now[Number(key)] : isObject(now) && Object.hasOwn(now, key) ? now[key] : undefined;
  }
  return now;
}
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Values that hold no schema may have a `$ref` of their own and are left alone. */
const VALUES = new Set(["enum", "const", "default", "examples", "example"]);
function withoutDeadRefs(value: Json, root: JsonObject): Json {
  if (Array.isArray(value)) return value.map((item) => withoutDeadRefs(item, root));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, item]) => key !== "$ref" || typeof item !== "string" || isObject(found(root, item)));
  return Object.fromEntries(kept.map(([key, item]) => [key, VALUES.has(key) ? item : withoutDeadRefs(item, root)]));
}
