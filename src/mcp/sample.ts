/**
 * Words of the model for a server that policy lets ask for them, within a budget for each call of its tools.
 *
 * S1. Only what the server sends goes to the model: nothing of the conversation, no tools, and its answer is text.
 * S2. A call has so many requests and tokens, and no more; what they cost is charged to the person the call is for.
 */
import { z } from "zod";
import type { Usage } from "../core/event.ts";
import { estimateTokens } from "../core/tokens.ts";

export interface SampleRequest {
  system: string;
  messages: { role: "user" | "assistant"; text: string }[];
  maxTokens: number;
}
export type Sampled = { ok: true; text: string; cut: boolean; usage: Usage } | { ok: false; why: string };
export type Sampler = (request: SampleRequest, signal: AbortSignal) => Promise<Sampled>;

const REQUESTS = 10;
/** Tokens in and out, of one call. */
export const SAMPLE_BUDGET = 20_000;
const LONGEST_ANSWER = 4_000;

const block = z.looseObject({ type: z.string(), text: z.string().optional() });
const asked = z.looseObject({
  messages: z.array(z.looseObject({ role: z.enum(["user", "assistant"]), content: z.union([block, z.array(block)]) })).min(1),
  systemPrompt: z.string().optional(),
  maxTokens: z.number().positive(),
});

export async function sampled(
  sampler: Sampler | undefined,
  params: unknown,
  { count, spent, signal, server }: { count: number; spent: number; signal: AbortSignal; server: string },
): Promise<{ ok: true; result: unknown; usage: Usage } | { ok: false; why: string }> {
  if (!sampler) return { ok: false, why: `policy.json does not let ${server} ask the model (sampling)` };
  const parsed = asked.safeParse(params);
  if (!parsed.success) return { ok: false, why: "what it asked could not be understood" };
  const { messages, systemPrompt = "", maxTokens } = parsed.data;
  const told = messages.map(({ role, content }) => ({ role, parts: [content].flat() }));
  if (told.some(({ parts }) => parts.some(({ type }) => type !== "text"))) return { ok: false, why: "only text can be asked about" };
  const request = told.map(({ role, parts }) => ({ role, text: parts.map(({ text = "" }) => text).join("\n") }));
  const needs = estimateTokens(systemPrompt + request.map(({ text }) => text).join(""));
  const left = SAMPLE_BUDGET - spent - needs;
  if (count > REQUESTS || left < 100) return { ok: false, why: `one call may ask ${REQUESTS} times and use ${SAMPLE_BUDGET} tokens` };
  const most = Math.min(Math.floor(maxTokens), LONGEST_ANSWER, left);
  const answer = await sampler({ system: systemPrompt, messages: request, maxTokens: most }, signal);
  if (!answer.ok) return answer;
  const { text, cut, usage } = answer;
  const result = { role: "assistant", content: { type: "text", text }, model: usage.model, stopReason: cut ? "maxTokens" : "endTurn" };
  return { ok: true, result, usage };
}
