/**
 * What the Messages API refuses in a request, in one place. Stricter than the real one in two points: roles must alternate, and no
 * unknown key is allowed, because not every server that speaks this API forgives these.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Block, Body, Json, JsonObject } from "./anthropic-turn.ts";

/** Answers that were handed out with thinking: their blocks must come back unchanged and in order. */
export class Issued {
  readonly #thoughts = new Map<string, string>();
  readonly #shapes: { shape: string[]; calls: string }[] = [];

  add(content: readonly Block[]): void {
    for (const block of content) if (mark(block)) this.#thoughts.set(mark(block), String(block.thinking ?? ""));
    if (content.some(mark)) this.#shapes.push({ shape: shapeOf(content), calls: callsOf(content) });
  }
  changed(block: Block): boolean {
    return this.#thoughts.get(mark(block)) !== String(block.thinking ?? "");
  }
  /** Whether the newest answer came back with its thinking missing or moved. */
  moved(content: readonly Block[]): boolean {
    const shape = shapeOf(content);
    const calls = callsOf(content);
    if (calls === "[]") return false;
    const same = this.#shapes.filter((issued) => issued.calls === calls);
    return same.length > 0 && !same.some((issued) => issued.shape.join() === shape.join());
  }
}

const mark = (block: Block): string => String((block.type === "redacted_thinking" ? block.data : block.signature) ?? "");
const isThought = (block: Block): boolean => block.type === "thinking" || block.type === "redacted_thinking";
const shapeOf = (content: readonly Block[]): string[] =>
  content
    .filter((block) => block.type !== "text" || String(block.text).trim())
    .map((block) => (isThought(block) ? mark(block) : block.type));
const callsOf = (content: readonly Block[]): string =>
  JSON.stringify(content.flatMap((block) => (block.type === "tool_use" ? [[block.name, block.input]] : [])));

const isObject = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

const TOP = [
  ...["model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "thinking", "output_config", "metadata"],
  ...["temperature", "top_p", "top_k", "stop_sequences", "service_tier", "cache_control"],
];
const KEYS: Record<string, string[]> = {
  text: ["type", "text", "citations", "cache_control"],
  tool_use: ["type", "id", "name", "input", "cache_control", "caller"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  image: ["type", "source", "cache_control"],
  server_tool_use: ["type", "id", "name", "input", "cache_control"],
};
const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** What the API would say about this request, or undefined. */
export function check(body: Body, issued: Issued): string | undefined {
  return problems(body, issued).next().value ?? undefined;
}

function* problems(body: Body, issued: Issued): Generator<string, undefined> {
  for (const key of Object.keys(body)) if (!TOP.includes(key)) yield `${key}: Extra inputs are not permitted`;
  if (typeof body.model !== "string" || !body.model) yield "model: Field required";
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) yield "max_tokens: Field required";
  for (const [i, part] of list(body.system).entries()) yield* blockProblems(part, `system.${i}`, ["text"]);
  yield* toolProblems(list(body.tools));
  yield* formatProblems(body.output_config);
  const marks = marksIn(body);
  if (marks > 4) yield `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
  if (!Array.isArray(body.messages) || body.messages.length === 0) return void (yield "messages: at least one message is required");
  yield* talkProblems(body.messages, issued);
  if (!list(body.tools).length && body.messages.some((message) => contentOf(message).some((block) => block.type.startsWith("tool_"))))
    yield "tools: Requests which include `tool_use` or `tool_result` blocks must define tools.";
  return undefined;
}

function marksIn(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + marksIn(item), 0);
  if (!isObject(value)) return 0;
  return (
    (isObject(value.cache_control) ? 1 : 0) +
    Object.entries(value).reduce((sum, [key, item]) => sum + (key === "input" ? 0 : marksIn(item)), 0)
  );
}

function* toolProblems(tools: Json[]): Generator<string> {
  const names = new Set<string>();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const [i, tool] of tools.entries()) {
    if (!isObject(tool)) return void (yield `tools.${i}: Input should be an object`);
    const name = String(tool.name ?? "");
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) yield `tools.${i}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    if (names.has(name)) yield "tools: Tool names must be unique.";
    names.add(name);
    const schema = tool.input_schema;
    if (!isObject(schema) || schema.type !== "object") return void (yield `tools.${i}.input_schema.type: Field required`);
    if (["anyOf", "oneOf", "allOf"].some((key) => key in schema))
      yield `tools.${i}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    const keys = isObject(schema.properties) ? Object.keys(schema.properties) : [];
    if (keys.some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)))
      yield `tools.${i}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`;
    if (!ajv.validateSchema({ ...schema, $schema: "https://json-schema.org/draft/2020-12/schema" }))
      yield `tools.${i}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`;
  }
}

function* formatProblems(config: Json | undefined): Generator<string> {
  if (!isObject(config) || !isObject(config.format)) return;
  if (config.format.type !== "json_schema") yield "output_config.format.type: Input should be 'json_schema'";
  if (!isObject(config.format.schema)) yield "output_config.format.schema: Field required";
}

function contentOf(message: Json): Block[] {
  if (!isObject(message)) return [];
  if (typeof message.content === "string") return [{ type: "text", text: message.content }];
  return list(message.content).filter((block): block is Block => isObject(block) && typeof block.type === "string");
}

function* talkProblems(messages: Json[], issued: Issued): Generator<string> {
  let open: string[] = [];
  let before = "";
  const seen = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const role = isObject(message) ? String(message.role) : "";
    if (role !== "user" && role !== "assistant") yield `messages.${i}.role: Input should be 'user' or 'assistant'`;
    if (i === 0 && role !== "user") yield 'messages: first message must use the "user" role';
    if (role === before) yield `messages.${i}.role: roles must alternate between "user" and "assistant"`;
    before = role;
    const content = contentOf(message);
    if (!content.length) yield `messages.${i}: all messages must have non-empty content`;
    for (const [j, block] of content.entries())
      yield* blockProblems(block, `messages.${i}.content.${j}`, role === "user" ? ["text", "image", "tool_result"] : ANSWER);
    yield* resultProblems(content, open, i);
    for (const block of content) {
      if (block.type === "tool_use" && seen.has(String(block.id))) yield `messages.${i}: \`tool_use\` ids must be unique`;
      if (block.type === "tool_use") seen.add(String(block.id));
      if (isThought(block) && issued.changed(block)) yield `messages.${i}: \`thinking\` blocks cannot be modified`;
    }
    if (i === messages.length - 2 && role === "assistant" && issued.moved(content))
      yield `messages.${i}: the thinking of this answer must be passed back unchanged and in order with its tool results`;
    open = role === "assistant" ? content.flatMap((block) => (block.type === "tool_use" ? [String(block.id)] : [])) : [];
  }
  if (open.length) yield `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
}
const ANSWER = ["text", "tool_use", "thinking", "redacted_thinking", "server_tool_use"];

function* resultProblems(content: Block[], open: string[], i: number): Generator<string> {
  const results = content.filter((block) => block.type === "tool_result").map((block) => String(block.tool_use_id));
  const stray = results.find((id) => !open.includes(id));
  if (stray) yield `messages.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`;
  if (new Set(results).size !== results.length) yield `messages.${i}: each tool_use must have a single result`;
  const missing = open.filter((id) => !results.includes(id));
  if (missing.length)
    yield `messages.${i - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}`;
  if (content.slice(0, results.length).some((block) => block.type !== "tool_result"))
    yield `messages.${i}: \`tool_result\` blocks must come first in the content`;
}

function* blockProblems(block: Json, where: string, allowed: string[]): Generator<string> {
  if (!isObject(block) || typeof block.type !== "string") return void (yield `${where}: Input should be an object`);
  if (!allowed.includes(block.type)) yield `${where}: \`${block.type}\` blocks are not permitted here`;
  const extra = Object.keys(block).find((key) => !KEYS[String(block.type)]?.includes(key));
  if (extra) yield `${where}.${extra}: Extra inputs are not permitted`;
  switch (block.type) {
    case "text":
      if (typeof block.text !== "string" || !block.text) yield `${where}: text content blocks must be non-empty`;
      else if (!block.text.trim()) yield `${where}: text content blocks must contain non-whitespace text`;
      break;
    case "tool_use":
      if (!/^[a-zA-Z0-9_-]+$/.test(String(block.id ?? ""))) yield `${where}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (!isObject(block.input)) yield `${where}.input: Input should be a valid dictionary`;
      break;
    case "tool_result":
      if (
        block.is_error === true &&
        (block.content === undefined || block.content === "" || (Array.isArray(block.content) && !block.content.length))
      )
        yield `${where}: content cannot be empty if \`is_error\` is true`;
      for (const [k, inner] of list(block.content).entries()) yield* blockProblems(inner, `${where}.content.${k}`, ["text", "image"]);
      break;
    case "image":
      if (!isObject(block.source) || !IMAGES.includes(String(block.source.media_type)) || !block.source.data)
        yield `${where}.source: Input should be a base64 image`;
      break;
    case "thinking":
      if (!block.signature) yield `${where}.signature: Field required`;
      break;
  }
}
