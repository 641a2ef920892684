/** The bare loop from the start of its process to its first answer. */
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ apiKey: "sk-ant-bench-key", baseURL: process.env.ANTHROPIC_BASE_URL ?? null, maxRetries: 0 });
const messages = [{ role: "user" as const, content: "left: 0" }];
const answer = await client.messages.stream({ model: "claude-bench", max_tokens: 1_000, messages }).finalMessage();
process.stdout.write(`${answer.stop_reason}\n`);
