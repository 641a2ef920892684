/**
 * A request as the body the Messages API takes, ready encoded as bytes: a text would be copied and encoded anew by each layer below.
 *
 * B1. What is given is never changed: breakpoints are set on copies.
 * B2. At most four cache breakpoints: the last tool, at most two system parts, and the newest message. Never on thinking. Side work
 *     is asked once, so it gets none on its message.
 * B3. A block object is encoded once in its life, and what lies further back is kept as bytes of many messages: a long history costs
 *     a step only the copying of that.
 * B4. What is sent is valid Unicode: half a character, which tools can give and cuts can leave, is replaced. Providers refuse it.
 */
import type { Block, JsonObject } from "../core/event.ts";
import type { Message, Request, ToolSpec } from "../core/ports.ts";

const CACHE = { cache_control: { type: "ephemeral" } };
/** Messages kept together as one piece. */
const RUN = 64;
interface Run {
  messages: readonly Message[];
  bytes: Uint8Array;
}
/** By the first block of each. */
const runs = new WeakMap<Block, Run>();
const encoded = new WeakMap<Block, string>();
/** By its schema, which stays the same object for as long as the tool does. */
const toolsEncoded = new WeakMap<JsonObject, { tool: ToolSpec; text: string }>();

/** UTF-8. */
export function bodyOf(request: Request): Uint8Array<ArrayBuffer> {
  const { whole, rest } = messagesOf(request.messages, request.tools.length > 0);
  return Buffer.concat([headOf(request), ...whole, Buffer.from(`${rest}]}`)]);
}

/** The last one: what stands before the messages is the same from step to step while the home stays as it is. */
let head: { of: Request; bytes: Uint8Array } | undefined;
function headOf(request: Request): Uint8Array {
  if (head && isSameHead(head.of, request)) return head.bytes;
  const tools = request.tools.map((tool, at, { length }) => toolOf(tool, at === length - 1));
  const system = systemOf(request.system);
  const parts: [string, string | undefined][] = [
    ["model", json(request.model)],
    ["max_tokens", json(request.maxTokens)],
    ["stream", "true"],
    ["output_config", request.format && json({ format: { type: "json_schema", schema: request.format } })],
    ["tools", tools.length ? `[${tools.join(",")}]` : undefined],
    ["system", system.length ? json(system) : undefined],
  ];
  const text = parts.flatMap(([key, value]) => (value === undefined ? [] : [`"${key}":${value},`])).join("");
  const bytes = Buffer.from(`{${text}"messages":[`);
  head = { of: { ...request, messages: [] }, bytes };
  return bytes;
}

const isSameHead = (one: Request, other: Request): boolean =>
  one.model === other.model &&
  one.maxTokens === other.maxTokens &&
  one.format === other.format &&
  one.tools.length === other.tools.length &&
  one.system.length === other.system.length &&
  one.tools.every((tool, at) => isSameTool(tool, other.tools[at])) &&
  one.system.every(({ text, cache }, at) => text === other.system[at]?.text && cache === other.system[at]?.cache);
const isSameTool = ({ name, description, schema }: ToolSpec, other?: ToolSpec): boolean =>
  schema === other?.schema && name === other.name && description === other.description;

function toolOf(tool: ToolSpec, last: boolean): string {
  const { name, description, schema } = tool;
  const shape = { name, description, input_schema: schema };
  if (last) return json({ ...shape, ...CACHE });
  const known = toolsEncoded.get(schema);
  if (known?.tool.name === name && known.tool.description === description) return known.text;
  const text = json(shape);
  toolsEncoded.set(schema, { tool, text });
  return text;
}

function systemOf(parts: Request["system"]): JsonObject[] {
  const kept = parts.filter((part) => part.text.trim());
  const marked = new Set(kept.filter((part) => part.cache).slice(-2));
  return kept.map((part) => ({ type: "text", text: part.text, ...(marked.has(part) && CACHE) }));
}

function messagesOf(messages: readonly Message[], mark: boolean): { whole: Uint8Array[]; rest: string } {
  const whole: Uint8Array[] = [];
  // The newest message is marked, so it is in no run.
  let from = 0;
  for (; from + RUN < messages.length; from += RUN) whole.push(runOf(messages, from));
  const rest = messages.slice(from).map((message, at, { length }) => encodeMessage(message, mark && at === length - 1));
  return { whole, rest: rest.join(",") };
}

/** Messages that others follow, with the comma behind each. */
function runOf(all: readonly Message[], from: number): Uint8Array {
  const first = all[from]?.content[0];
  const known = first && runs.get(first);
  if (known && isSame(known.messages, all, from)) return known.bytes;
  const messages = all.slice(from, from + RUN);
  const bytes = Buffer.from(messages.map((message) => `${encodeMessage(message, false)},`).join(""));
  if (first) runs.set(first, { messages, bytes });
  for (const { content } of messages) for (const block of content) encoded.delete(block);
  return bytes;
}

function isSame(before: readonly Message[], all: readonly Message[], from: number): boolean {
  return before.every((message, at) => {
    const now = all[from + at];
    if (now === message) return true;
    const { role, content } = message;
    return now?.role === role && now.content.length === content.length && content.every((block, index) => block === now.content[index]);
  });
}

function encodeMessage({ role, content }: Message, mark: boolean): string {
  const target = mark ? content.findLastIndex((block) => !isThought(block)) : -1;
  const blocks = content.map((block, index) => (index === target ? json({ ...block, ...CACHE }) : encode(block)));
  return `{"role":"${role}","content":[${blocks.join(",")}]}`;
}

/** `JSON.stringify` writes halves of characters, and only those, as an escape of this form. */
const HALF = /\\(?:\\|(ud[89a-f][0-9a-f]{2}))/g;
function json(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes("\\ud") ? text.replace(HALF, (found, half) => (half ? "\ufffd" : found)) : text;
}

const isThought = (block: Block): boolean => block.type === "thinking" || block.type === "redacted_thinking";

function encode(block: Block): string {
  const known = encoded.get(block);
  if (known !== undefined) return known;
  const text = json(block);
  encoded.set(block, text);
  return text;
}
