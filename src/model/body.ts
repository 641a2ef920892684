/**
 * A request as the body the Messages API takes, ready encoded.
 *
 * B1. What is given is never changed: breakpoints are set on copies.
 * B2. At most four cache breakpoints: the last tool, at most two system parts, and the newest message. Never on thinking. Side work
 *     is asked once, so it gets none on its message.
 * B3. A block object is encoded once in its life, and what lies further back is kept as text of many messages: a long history costs
 *     a step only the copying of that.
 */
import type { Block, JsonObject } from "../core/event.ts";
import type { Message, Request } from "../core/ports.ts";

const CACHE = { cache_control: { type: "ephemeral" } };
/** Messages kept together as one text. */
const RUN = 64;
interface Run {
  messages: readonly Message[];
  text: string;
}
/** By the first block of each. */
const runs = new WeakMap<Block, Run>();
const encoded = new WeakMap<Block, string>();

export function bodyOf(request: Request): string {
  const tools = request.tools.map(({ name, description, schema }, at) => ({
    name,
    description,
    input_schema: schema,
    ...(at === request.tools.length - 1 && CACHE),
  }));
  const system = systemOf(request.system);
  const parts: [string, string | undefined][] = [
    ["model", JSON.stringify(request.model)],
    ["max_tokens", JSON.stringify(request.maxTokens)],
    ["stream", "true"],
    ["output_config", request.format && JSON.stringify({ format: { type: "json_schema", schema: request.format } })],
    ["tools", tools.length ? JSON.stringify(tools) : undefined],
    ["system", system.length ? JSON.stringify(system) : undefined],
  ];
  const head = parts.flatMap(([key, value]) => (value === undefined ? [] : [`"${key}":${value},`])).join("");
  return [`{${head}"messages":[`, ...messagesOf(request.messages, tools.length > 0), "]}"].join("");
}

function systemOf(parts: Request["system"]): JsonObject[] {
  const kept = parts.filter((part) => part.text.trim());
  const marked = new Set(kept.filter((part) => part.cache).slice(-2));
  return kept.map((part) => ({ type: "text", text: part.text, ...(marked.has(part) && CACHE) }));
}

function messagesOf(messages: readonly Message[], mark: boolean): string[] {
  const made: string[] = [];
  // The newest message is marked, so it is in no run.
  let from = 0;
  for (; from + RUN < messages.length; from += RUN) made.push(runOf(messages.slice(from, from + RUN)));
  const rest = messages.slice(from).map((message, at, { length }) => encodeMessage(message, mark && at === length - 1));
  return [...made, rest.join(",")];
}

/** Messages that others follow, with the comma behind each. */
function runOf(messages: readonly Message[]): string {
  const first = messages[0]?.content[0];
  const known = first && runs.get(first);
  if (known && isSame(known.messages, messages)) return known.text;
  const text = messages.map((message) => `${encodeMessage(message, false)},`).join("");
  if (first) runs.set(first, { messages, text });
  for (const { content } of messages) for (const block of content) encoded.delete(block);
  return text;
}

const isSame = (before: readonly Message[], now: readonly Message[]): boolean =>
  now.every(({ role, content }, at) => {
    const other = before[at];
    return (
      other?.role === role && other.content.length === content.length && content.every((block, index) => block === other.content[index])
    );
  });

function encodeMessage({ role, content }: Message, mark: boolean): string {
  const target = mark ? content.findLastIndex((block) => !isThought(block)) : -1;
  const blocks = content.map((block, index) => (index === target ? JSON.stringify({ ...block, ...CACHE }) : encode(block)));
  return `{"role":"${role}","content":[${blocks.join(",")}]}`;
}

const isThought = (block: Block): boolean => block.type === "thinking" || block.type === "redacted_thinking";

function encode(block: Block): string {
  const known = encoded.get(block);
  if (known !== undefined) return known;
  const text = JSON.stringify(block);
  encoded.set(block, text);
  return text;
}
