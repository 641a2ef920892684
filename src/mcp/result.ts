/**
 * What a server's tool gave back, as a result for the model. Pure; takes anything, because a server may send anything.
 *
 * R1. What a model cannot be shown is named, with its kind and size, and where it can be had.
 * R3. A picture is shown only if it is one, as what it is: providers refuse what is not, and with it every request from then on.
 * R2. Structured content that says more than the words is told as well; where it does not fit what the tool promised, that is said.
 */
import { isDeepStrictEqual } from "node:util";
import type { Block, Json, JsonObject, Result } from "../core/event.ts";
import { isObject } from "./draft.ts";
import { misfit } from "./schema.ts";

/** Beginnings of the pictures that models read, in base64; `.` stands for anything. */
const BEGINNINGS: readonly [string, RegExp][] = [
  ["image/png", /^iVBORw0KGgo/],
  ["image/jpeg", /^\/9j\//],
  ["image/gif", /^R0lGOD/],
  ["image/webp", /^UklGR.{6}XRUJQ/],
];
const IMAGES = new Set(BEGINNINGS.map(([type]) => type));
/** Base64 characters; providers refuse larger images, and with them the whole request. */
const LARGEST_IMAGE = 5_000_000;
/** Of one result. */
const [MOST_IMAGES, ALL_IMAGES] = [10, 10_000_000];

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** `promised`: the tool's own schema of its structured content. */
export function resultOf(given: unknown, promised?: unknown): Result {
  const { content, structuredContent, isError } = isObject(given) ? given : {};
  const failed = isError === true;
  const blocks = fewPictures((Array.isArray(content) ? content : []).filter(isObject).map(blockOf));
  if (structuredContent !== undefined && !blocks.some((block) => says(block, structuredContent)))
    blocks.push(say(JSON.stringify(structuredContent)));
  const broken = failed || promised === undefined ? undefined : whyBroken(promised, structuredContent);
  const solid = joined(blocks.filter((block) => block.type !== "text" || text(block.text).trim() !== ""));
  if (broken) solid.push(say(`[${broken}]`));
  if (solid.length === 0) return { content: failed ? "The tool failed without a word." : "(no output)", failed };
  const told = joined(solid);
  return { content: told.every((block) => block.type === "text") ? told.map((block) => text(block.text)).join("\n") : told, failed };
}

function whyBroken(promised: unknown, value: Json | undefined): string | undefined {
  if (value === undefined) return "The tool promises structured content and gave none: check what it says";
  const wrong = misfit(promised, value);
  return wrong && `The structured content is not what the tool promises: ${wrong}`;
}

/** Whether a text is this very value. */
function says(block: Block, value: Json): boolean {
  if (block.type !== "text") return false;
  try {
    return isDeepStrictEqual(JSON.parse(text(block.text)), value);
  } catch {
    return false;
  }
}

const say = (words: string): Block => ({ type: "text", text: words });

/** Neighbouring texts become one. */
function joined(blocks: Block[]): Block[] {
  const out: Block[] = [];
  for (const block of blocks) {
    const last = out.at(-1);
    if (last?.type === "text" && block.type === "text") out[out.length - 1] = say(`${text(last.text)}\n${text(block.text)}`);
    else out.push(block);
  }
  return out;
}

function blockOf(part: JsonObject): Block {
  switch (part.type) {
    case "text":
      return say(text(part.text));
    case "image":
      return image(text(part.data), text(part.mimeType));
    case "audio":
      return say(`[audio of type ${text(part.mimeType) || "unknown"}, ${sizeOf(text(part.data))}, cannot be heard]`);
    case "resource":
      return resource(isObject(part.resource) ? part.resource : {});
    case "resource_link":
      return say(linkText(part));
    default:
      return say(`[${text(part.type) || "something"}${part.mimeType ? ` of type ${text(part.mimeType)}` : ""}, not shown]`);
  }
}

const sizeOf = (base64: string): string => `${Math.round((base64.length * 3) / 4)} bytes`;

/** A resource that can be read by its address, in one line. */
export function linkText({ uri, name, title, description, mimeType, size }: JsonObject): string {
  const about = [text(mimeType), typeof size === "number" ? `${size} bytes` : "", text(description)].filter(Boolean).join(", ");
  return `[${text(title) || text(name) || "resource"}: ${text(uri)}${about ? ` (${about.replace(/\s+/g, " ").slice(0, 300)})` : ""}]`;
}

function image(given: string, said: string): Block {
  const data = given.replace(/\s+/g, "");
  const type = BEGINNINGS.find(([, begins]) => begins.test(data))?.[0];
  const whole = data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  if (type && whole && data.length <= LARGEST_IMAGE) return { type: "image", source: { type: "base64", media_type: type, data } };
  return say(`[an image of type ${said || "unknown"}, ${sizeOf(data)}, not shown]`);
}

/** As many as a request can hold; the others by their size. */
function fewPictures(blocks: Block[]): Block[] {
  let [count, size] = [0, 0];
  return blocks.map((block) => {
    if (block.type !== "image") return block;
    const { media_type: type, data } = block.source as { media_type: string; data: string };
    count++;
    size += data.length;
    return count > MOST_IMAGES || size > ALL_IMAGES ? say(`[one more image of type ${type}, ${sizeOf(data)}, not shown]`) : block;
  });
}

/** The contents of a resource: text as it is, also where it came encoded; images; anything else by its name. */
export function resource({ uri, text: words, blob, mimeType }: JsonObject): Block {
  const kind = text(mimeType);
  if (typeof words === "string") return say(`[${text(uri)}]\n${words}`);
  if (typeof blob !== "string") return say(`[${text(uri) || "a resource"}${kind ? ` of type ${kind}` : ""}, not shown]`);
  if (IMAGES.has(kind)) return image(blob, kind);
  if (/^text\/|[/+](?:json|xml|yaml)$/.test(kind)) return say(`[${text(uri)}]\n${Buffer.from(blob, "base64").toString("utf8")}`);
  return say(`[${text(uri) || "a resource"}${kind ? ` of type ${kind}` : ""}, ${sizeOf(blob)}, not shown]`);
}
