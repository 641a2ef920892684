/**
 * A request as the body the Messages API takes, ready encoded.
 *
 * B1. What is given is never changed: breakpoints are set on copies.
 * B2. At most four cache breakpoints: the last tool, at most two system parts, and the newest message. Never on thinking. Side work
 *     is asked once, so it gets none on its message.
 * B3. A block object is encoded once in its life: a long history costs a step only the joining of texts.
 */
import type { Block, JsonObject } from "../core/event.ts";
import type { Message, Request } from "../core/ports.ts";

const CACHE = { cache_control: { type: "ephemeral" } };
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
    ["messages", `[${messagesOf(request.messages, tools.length > 0).join(",")}]`],
  ];
  return `{${parts.flatMap(([key, value]) => (value === undefined ? [] : [`"${key}":${value}`])).join(",")}}`;
}

function systemOf(parts: Request["system"]): JsonObject[] {
  const kept = parts.filter((part) => part.text.trim());
  const marked = new Set(kept.filter((part) => part.cache).slice(-2));
  return kept.map((part) => ({ type: "text", text: part.text, ...(marked.has(part) && CACHE) }));
}

function messagesOf(messages: readonly Message[], mark: boolean): string[] {
  const last = messages.length - 1;
  return messages.map(({ role, content }, at) => {
    const target = mark && at === last ? content.findLastIndex((block) => !isThought(block)) : -1;
    const blocks = content.map((block, index) => (index === target ? JSON.stringify({ ...block, ...CACHE }) : encode(block)));
    return `{"role":"${role}","content":[${blocks.join(",")}]}`;
  });
}

const isThought = (block: Block): boolean => block.type === "thinking" || block.type === "redacted_thinking";

function encode(block: Block): string {
  const known = encoded.get(block);
  if (known !== undefined) return known;
  const text = JSON.stringify(block);
  encoded.set(block, text);
  return text;
}
