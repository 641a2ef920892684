/**
 * The bare loop: what one writes with the SDK alone. Streaming, a loop over tools, the whole history sent at each step, and one line of
 * JSON a step that is on disk before the loop goes on. No approvals, no chat, no resuming.
 */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type Anthropic from "@anthropic-ai/sdk";
import { lookup } from "./lookup.ts";

export interface Frame {
  model: string;
  system: Anthropic.TextBlockParam[];
  tools: Anthropic.Tool[];
}

/** One turn; `messages` grows by what was said in it. Returns the number of requests. */
export async function turn(client: Anthropic, frame: Frame, messages: Anthropic.MessageParam[], file: string): Promise<number> {
  const log = openSync(file, "a");
  try {
    for (let steps = 1; ; steps++) {
      const answer = await client.messages.stream({ ...frame, max_tokens: 16_000, messages }).finalMessage();
      const calls = answer.content.filter((block) => block.type === "tool_use");
      const results = calls.map(({ id, input }) => ({ type: "tool_result" as const, tool_use_id: id, content: lookup(input) }));
      const said: Anthropic.MessageParam[] = [{ role: "assistant", content: answer.content }];
      if (results.length) said.push({ role: "user", content: results });
      messages.push(...said);
      writeSync(log, `${JSON.stringify(said)}\n`);
      fsyncSync(log);
      if (!results.length) return steps;
    }
  } finally {
    closeSync(log);
  }
}
