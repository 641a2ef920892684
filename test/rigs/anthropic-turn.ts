/**
 * What the local Messages API answers: the script of one turn, and the message and stream events that come of it.
 * Pure but for the random ids that a provider hands out.
 */
import { randomBytes } from "node:crypto";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Block = { type: string; [key: string]: Json };
/** A request body as it arrived. Loosely typed on purpose: it is what is being judged. */
export type Body = JsonObject & { model?: Json; messages?: Json; tools?: Json; system?: Json };

/** What goes wrong in a stream, once this many events have been sent. */
type Fault =
  /** The connection dies. */
  | { after: number; kind: "cut" }
  /** The stream ends in good order, but too early. */
  | { after: number; kind: "short" }
  /** Nothing more comes, but for pings where the turn asks for them. */
  | { after: number; kind: "hang" }
  /** An error event in the stream. */
  | { after: number; kind: "error"; type?: string; message?: string };

export interface Answer {
  /** The final words. */
  text?: string;
  /** Words before calls. */
  words?: string;
  /** A thinking block at the beginning; a list for several, an empty string for a redacted one. */
  thinking?: string | string[];
  calls?: [tool: string, input: JsonObject][];
  /** Blocks as they are, after all others. `rawInput` in a tool_use is streamed instead of its input. */
  blocks?: Block[];
  stop?: string;
  /** The provider's words with a refusal. */
  why?: string;
  usage?: JsonObject;
  /** Characters in one delta. */
  chunk?: number;
  /** Milliseconds between deltas. */
  delay?: number;
  /** Milliseconds between pings. */
  ping?: number;
  fault?: Fault;
}

export interface Refusal {
  /** Refused before anything is streamed. `cut`: the connection dies without an answer; `hang`: no answer ever comes. */
  error: string;
  message?: string;
  status?: number;
  headers?: Record<string, string>;
}

export type Turn = Answer | Refusal;
export type Script = Turn | ((request: Body, count: number) => Turn | Promise<Turn>);

export const STATUS: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

export interface Message extends JsonObject {
  content: Block[];
  stop_reason: string;
  usage: JsonObject;
}

const token = (bytes: number): string => randomBytes(bytes).toString("hex");

function blocksOf(turn: Answer): Block[] {
  const thoughts = turn.thinking === undefined ? [] : [turn.thinking].flat();
  return [
    ...thoughts.map(
      (thinking): Block =>
        thinking === "" ? { type: "redacted_thinking", data: token(24) } : { type: "thinking", thinking, signature: token(24) },
    ),
    ...[turn.words, turn.text].flatMap((text): Block[] => (text === undefined ? [] : [{ type: "text", text, citations: null }])),
    ...(turn.calls ?? []).map(([name, input]): Block => ({ type: "tool_use", id: `toolu_${token(12)}`, name, input })),
    ...(turn.blocks ?? []),
  ];
}

/** The whole message of a turn, as it would be answered without streaming. */
export function messageOf(turn: Answer, model: string, inputTokens: number): Message {
  const content = blocksOf(turn);
  const calls = content.some((block) => block.type === "tool_use");
  return {
    id: `msg_${token(12)}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: turn.stop ?? (calls ? "tool_use" : "end_turn"),
    stop_sequence: null,
    stop_details: turn.why === undefined ? null : { type: "refusal", category: null, explanation: turn.why },
    usage: {
      input_tokens: inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: Math.max(1, Math.ceil(JSON.stringify(content).length / 4)),
      ...turn.usage,
    },
  };
}

function pieces(text: string, size: number): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length; at += size) out.push(text.slice(at, at + size));
  return out;
}

function opened(block: Block): Block {
  switch (block.type) {
    case "text":
      return { ...block, text: "" };
    case "thinking":
      return { ...block, thinking: "", signature: "" };
    case "tool_use":
    case "server_tool_use": {
      const { rawInput: _raw, ...rest } = block;
      return { ...rest, type: block.type, input: {} };
    }
    default:
      return block;
  }
}

function deltas(block: Block, size: number): JsonObject[] {
  switch (block.type) {
    case "text":
      return pieces(String(block.text), size).map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return [
        ...pieces(String(block.thinking), size).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature ?? "" },
      ];
    case "tool_use":
    case "server_tool_use": {
      const raw = typeof block.rawInput === "string" ? block.rawInput : JSON.stringify(block.input ?? {});
      return ["", ...pieces(raw, size)].map((partial_json) => ({ type: "input_json_delta", partial_json }));
    }
    default:
      return [];
  }
}

/** The events of a streamed message, in order. */
export function eventsOf(message: Message, size = 24): { type: string; [key: string]: Json }[] {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...head } = message;
  const { output_tokens, ...input } = usage;
  const blocks = content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: opened(block) },
    ...deltas(block, size).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  return [
    {
      type: "message_start",
      message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage: { ...input, output_tokens: 1 } },
    },
    { type: "ping" },
    ...blocks,
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: stop_sequence ?? null, stop_details: stop_details ?? null },
      usage: { output_tokens: output_tokens ?? 1 },
    },
    { type: "message_stop" },
  ];
}
