/** What a server's tool gave back, as a result for the model. Pure; takes anything, because a server may send anything. */
import type { Block, JsonObject, Result } from "../core/event.ts";

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Base64 characters; providers refuse larger images, and with them the whole request. */
const LARGEST_IMAGE = 5_000_000;

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

export function resultOf(given: unknown): Result {
  const { content, structuredContent, isError } = isObject(given) ? given : {};
  const blocks = (Array.isArray(content) ? content : []).filter(isObject).map(blockOf);
  if (blocks.length === 0 && structuredContent !== undefined) blocks.push(say(JSON.stringify(structuredContent)));
  const solid = joined(blocks.filter((block) => block.type !== "text" || text(block.text).trim() !== ""));
  const failed = isError === true;
  if (solid.length === 0) return { content: failed ? "The tool failed without a word." : "(no output)", failed };
  return { content: solid.every((block) => block.type === "text") ? solid.map((block) => text(block.text)).join("\n") : solid, failed };
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
    case "resource":
      return resource(isObject(part.resource) ? part.resource : {});
    case "resource_link":
      return say(`[${text(part.title) || text(part.name) || "resource"}: ${text(part.uri)}]`);
    default:
      return say(`[${text(part.type) || "something"}${part.mimeType ? ` of type ${text(part.mimeType)}` : ""}, not shown]`);
  }
}

function image(data: string, type: string): Block {
  const bytes = Math.round((data.length * 3) / 4);
  if (!IMAGES.has(type) || !data || data.length > LARGEST_IMAGE)
    return say(`[an image of type ${type || "unknown"}, ${bytes} bytes, not shown]`);
  return { type: "image", source: { type: "base64", media_type: type, data } };
}

function resource({ uri, text: words, blob, mimeType }: JsonObject): Block {
  if (typeof words === "string") return say(`[${text(uri)}]\n${words}`);
  if (typeof blob === "string" && IMAGES.has(text(mimeType))) return image(blob, text(mimeType));
  return say(`[${text(uri) || "a resource"}${mimeType ? ` of type ${text(mimeType)}` : ""}, not shown]`);
}
