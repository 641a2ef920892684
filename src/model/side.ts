/**
 * Side work without a model: a plain extract instead of a summary, and the emptiest JSON that fits a schema. Pure.
 */
import type { Json, JsonObject } from "../core/event.ts";
import type { Request } from "../core/ports.ts";

const LONGEST = 800;

export function sideWork(request: Request): string {
  if (request.format) return JSON.stringify(emptiest(request.format, request.format, 0));
  const texts = request.messages.flatMap(({ content }) => content.map((block) => (typeof block.text === "string" ? block.text : "")));
  const plain = texts
    .join("\n")
    .replace(/<\/?[a-z]+\b[^>]*>/gi, " ")
    .replace(/[^\S\n]+/g, " ")
    .trim();
  const short = plain.length > LONGEST ? `${plain.slice(0, LONGEST / 2)}\n…\n${plain.slice(-LONGEST / 2)}` : plain;
  return `An extract made without a model:\n${short || "(nothing was said)"}`;
}

function emptiest(schema: JsonObject, root: JsonObject, depth: number): Json {
  if (depth > 20) return null;
  const inner = (part: Json | undefined): Json => emptiest((part ?? {}) as JsonObject, root, depth + 1);
  if (typeof schema.$ref === "string") return inner(lookUp(root, schema.$ref));
  if ("const" in schema) return schema.const ?? null;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  for (const key of ["anyOf", "oneOf", "allOf"]) if (Array.isArray(schema[key])) return inner(schema[key][0]);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object":
      return Object.fromEntries(Object.entries((schema.properties ?? {}) as JsonObject).map(([key, part]) => [key, inner(part)]));
    case "array":
      return [];
    case "string":
      return "";
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 0;
    case "boolean":
      return false;
    default:
      return null;
  }
}

const lookUp = (root: JsonObject, ref: string): Json | undefined =>
  ref
    .replace(/^#\/?/, "")
    .split("/")
    .filter(Boolean)
    .reduce<Json | undefined>((at, key) => (at as JsonObject | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], root);
