/** The model: one request, one answer. Nothing here throws for what can be expected: outcomes are values. */
import type { Block, JsonObject, Usage } from "../event.ts";

export interface ToolSpec {
  name: string;
  description: string;
  schema: JsonObject;
}
export type Message = { role: "user" | "assistant"; content: Block[] };

export interface Request {
  model: string;
  /** System prompt parts, the most stable first. `cache`: a breakpoint after this part. At most two are marked. */
  system: { text: string; cache?: boolean }[];
  messages: Message[];
  /** Empty for side work. */
  tools: ToolSpec[];
  maxTokens: number;
  /** A JSON schema the answer must have; only for side work. */
  format?: JsonObject;
}
export type Delta = { kind: "text"; text: string } | { kind: "thinking" } | { kind: "tool"; name: string };

export type Answer =
  | {
      ok: true;
      /** As the provider sent it, thinking included; calls are told by `calls`, in the order of their `tool_use` blocks. */
      content: Block[];
      calls: { tool: string; input: JsonObject; broken?: string }[];
      stop: "end" | "calls" | "length" | "refusal" | "overflow" | "paused" | "other";
      usage: Usage;
      /** With `refusal`: the provider's words, if any. */
      why?: string;
    }
  | {
      ok: false;
      /** `retry`: overload, rate limit, a cut or stalled stream. The others need a person. */
      kind: "retry" | "overflow" | "auth" | "billing" | "invalid" | "too_large" | "aborted";
      /** A sentence for logs, scrubbed. */
      detail: string;
      /** Not before, in ms from now, where the provider said so. */
      retryAfter?: number;
    };

export interface Model {
  /** `anthropic` or `offline`; the latter is shown to people. */
  readonly kind: string;
  readonly name: string;
  /** Input tokens the named model takes; undefined if unknown. */
  window(model: string): number | undefined;
  /** Never rejects. A partial answer is never returned. Retries nothing by itself. */
  answer(request: Request, onDelta: (delta: Delta) => void, signal: AbortSignal): Promise<Answer>;
}
