/** The model's words for servers that policy lets ask for them: what they send, and nothing else, goes to the home's model. */
import type { Message, Model } from "../core/ports.ts";
import type { SampleRequest, Sampler } from "../mcp/sample.ts";
import type { OpenHomes } from "../workspace/homes.ts";

export const samplerOf =
  (homes: Pick<OpenHomes, "rules">, model: Model, modelName: string) =>
  (home: string): Sampler =>
  async ({ system, messages, maxTokens }, signal) => {
    const { model: own } = await homes.rules(home);
    const request = {
      model: own ?? modelName,
      system: system.trim() ? [{ text: system }] : [],
      messages: turns(messages),
      tools: [],
      maxTokens,
    };
    const answer = await model.answer(request, () => undefined, signal);
    if (!answer.ok) return { ok: false, why: `the model did not answer (${answer.kind})` };
    if (answer.stop === "refusal") return { ok: false, why: "the model refused to answer" };
    const text = answer.content.flatMap((block) => (block.type === "text" ? [String(block.text)] : [])).join("");
    return { ok: true, text, cut: answer.stop === "length", usage: answer.usage };
  };

/** As every provider takes them: the first is the user's, roles alternate, nothing is empty. */
function turns(messages: SampleRequest["messages"]): Message[] {
  const made: Message[] = [];
  const first = messages[0]?.role === "assistant" ? [{ role: "user" as const, text: "(Go on.)" }] : [];
  for (const { role, text } of [...first, ...messages]) {
    const block = { type: "text", text: text.trim() ? text : "(empty)" };
    const before = made.at(-1);
    if (before?.role === role) before.content.push(block);
    else made.push({ role, content: [block] });
  }
  return made;
}
