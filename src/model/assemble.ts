/**
 * The events of one stream, put together to an answer.
 *
 * A1. Blocks are kept as they were sent, unknown kinds and unknown deltas included. Left out are only text blocks without a word, and
 *     fields of text blocks that are null: no provider takes those back.
 * A2. A call is whole only if its input arrived to the end and is a JSON object. Any other is marked `broken` and has the input `{}`.
 * A3. Without the event that ends the message there is no answer.
 */
import type { Block, Json, JsonObject, Usage } from "../core/event.ts";
import type { Answer, Delta } from "../core/ports.ts";

export type StreamEvent = { type: string; [key: string]: Json };
type Whole = Extract<Answer, { ok: true }>;

interface Draft {
  block: Block;
  /** The input as it was streamed; undefined if none was. */
  raw?: string;
}

export interface Assembly {
  take(event: StreamEvent): Delta | undefined;
  /** Undefined until the message has ended. */
  answer(): Whole | undefined;
}

const STOPS: Record<string, Whole["stop"]> = {
  end_turn: "end",
  stop_sequence: "end",
  tool_use: "calls",
  max_tokens: "length",
  refusal: "refusal",
  model_context_window_exceeded: "overflow",
  pause_turn: "paused",
};
const CUT = "The answer reached its length limit inside this input, so it was not run. Send it again, in smaller parts if it is long.";
const GARBLED = "The input was not a JSON object, so it was not run. Send it again.";
const UNDONE = "The answer was broken off after this call, so it was not run.";

const isObject = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const count = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined);

export function assemble(asked: string): Assembly {
  const drafts = new Map<Json, Draft>();
  let head: JsonObject = {};
  let end: JsonObject = {};
  let usage: JsonObject = {};
  let ended = false;
  const take = (event: StreamEvent): Delta | undefined => {
    switch (event.type) {
      case "message_start":
        head = object(event.message);
        usage = object(head.usage);
        return undefined;
      case "content_block_start":
        return open(drafts, event);
      case "content_block_delta":
        return extend(drafts.get(event.index ?? null), object(event.delta));
      case "message_delta":
        end = object(event.delta);
        usage = { ...usage, ...present(object(event.usage)) };
        return undefined;
      case "message_stop":
        ended = true;
        return undefined;
      default:
        return undefined;
    }
  };
  const answer = () => (ended ? finish([...drafts.values()], end, usageOf(usage, text(head.model) || asked)) : undefined);
  return { take, answer };
}

const present = (fields: JsonObject): JsonObject => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

function open(drafts: Map<Json, Draft>, event: StreamEvent): Delta | undefined {
  const block = object(event.content_block);
  const type = text(block.type);
  drafts.set(event.index ?? null, { block: { ...block, type } });
  if (type === "thinking" || type === "redacted_thinking") return { kind: "thinking" };
  if (type === "tool_use") return { kind: "tool", name: text(block.name) };
  return type === "text" && block.text ? { kind: "text", text: text(block.text) } : undefined;
}

function extend(draft: Draft | undefined, delta: JsonObject): Delta | undefined {
  if (!draft) return undefined;
  const block: JsonObject = draft.block;
  switch (delta.type) {
    case "text_delta":
      block.text = text(block.text) + text(delta.text);
      return { kind: "text", text: text(delta.text) };
    case "thinking_delta":
      block.thinking = text(block.thinking) + text(delta.thinking);
      return undefined;
    case "signature_delta":
      block.signature = text(delta.signature);
      return undefined;
    case "citations_delta":
      block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation ?? null];
      return undefined;
    case "input_json_delta":
      draft.raw = (draft.raw ?? "") + text(delta.partial_json);
      return undefined;
    default:
      return undefined;
  }
}

function finish(drafts: Draft[], end: JsonObject, usage: Usage): Whole {
  const named = STOPS[text(end.stop_reason)] ?? "other";
  const content: Block[] = [];
  const calls: Whole["calls"] = [];
  for (const [at, draft] of drafts.entries()) {
    const input = inputOf(draft);
    const block = "input" in draft.block || draft.raw !== undefined ? { ...draft.block, input: input ?? {} } : draft.block;
    if (block.type === "text" && !text(block.text).trim()) continue;
    content.push(block.type === "text" ? { ...present(block), type: "text" } : block);
    if (block.type !== "tool_use") continue;
    const broken = fault(named, at === drafts.length - 1) ?? (input ? undefined : GARBLED);
    const name = text(draft.block.name);
    calls.push(broken === undefined ? { tool: name, input: input ?? {} } : { tool: name, input: {}, broken });
  }
  // Some servers say `end_turn` although they call, or the other way round; what is there decides.
  const stop = named === "end" || named === "calls" ? (calls.length ? "calls" : "end") : named;
  const why = text(object(end.stop_details).explanation);
  return { ok: true, content, calls, stop, usage, ...(stop === "refusal" && why && { why }) };
}

/** What an early end of the answer means for a call in it. */
function fault(stop: Whole["stop"], last: boolean): string | undefined {
  if (stop === "length" || stop === "overflow") return last ? CUT : undefined;
  return stop === "refusal" || stop === "other" ? UNDONE : undefined;
}

function inputOf({ block, raw }: Draft): JsonObject | undefined {
  if (!raw?.trim()) return isObject(block.input) ? block.input : {};
  try {
    const value = JSON.parse(raw) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const usageOf = (usage: JsonObject, model: string): Usage => ({
  model,
  input: count(usage.input_tokens) ?? 0,
  output: count(usage.output_tokens) ?? 0,
  cacheRead: count(usage.cache_read_input_tokens) ?? 0,
  cacheWrite: count(usage.cache_creation_input_tokens) ?? 0,
});
