/**
 * What a provider demands of the messages of a request, as strictly as the strictest of them. Shares no code with what builds them.
 */
import type { Block } from "../../src/core/event.ts";
import type { Message } from "../../src/core/ports.ts";

/** What is wrong with these messages; empty if nothing. `sending`: they go out now, so the last word must be the user's. */
export function transcriptFaults(messages: readonly Message[], sending: boolean): string[] {
  const ids = messages.flatMap((message) => uses(message)).map((use) => String(use.id));
  return [
    ...(messages[0] && messages[0].role !== "user" ? ["the first message is not the user's"] : []),
    ...(sending && messages.at(-1)?.role !== "user" ? ["the last message is not the user's"] : []),
    ...(new Set(ids).size === ids.length ? [] : [`call ids repeat: ${ids.join(" ")}`]),
    ...ids.filter((id) => !/^[a-zA-Z0-9_-]{1,64}$/.test(id)).map((id) => `the call id ${id} is misspelled`),
    ...messages.flatMap((message, at) => messageFaults(message, messages[at - 1], messages[at + 1], at)),
  ];
}

const uses = ({ content }: Message): Block[] => content.filter((block) => block.type === "tool_use");
const results = ({ content }: Message): Block[] => content.filter((block) => block.type === "tool_result");
const isThought = ({ type }: Block): boolean => type === "thinking" || type === "redacted_thinking";

function messageFaults(message: Message, before: Message | undefined, after: Message | undefined, at: number): string[] {
  const { role, content } = message;
  const faults: string[] = [];
  if (before?.role === role) faults.push("two messages of one role in a row");
  if (content.length === 0) faults.push("no content");
  faults.push(...content.flatMap(blockFaults));
  const allowed = role === "user" ? ["text", "image", "tool_result"] : ["text", "tool_use", "thinking", "redacted_thinking"];
  faults.push(...content.filter((block) => !allowed.includes(block.type)).map((block) => `${block.type} by the ${role}`));
  if (role === "assistant") {
    if (content.every(isThought)) faults.push("nothing but thoughts");
    const wanted = uses(message).map((use) => use.id);
    const given = after ? results(after).map((result) => result.tool_use_id) : [];
    for (const id of wanted) if (!given.includes(id ?? null)) faults.push(`no result right after call ${id}`);
  } else {
    const given = results(message).map((result) => result.tool_use_id);
    const wanted = before ? uses(before).map((use) => use.id) : [];
    for (const id of given) if (!wanted.includes(id)) faults.push(`a result for ${id}, which the message before did not call`);
    if (new Set(given).size !== given.length) faults.push("two results for one call");
    if (content.slice(0, given.length).some((block) => block.type !== "tool_result")) faults.push("results do not come first");
  }
  return faults.map((fault) => `message ${at}: ${fault}`);
}

function blockFaults(block: Block): string[] {
  switch (block.type) {
    case "text":
      return typeof block.text === "string" && block.text.trim() ? [] : ["an empty text"];
    case "thinking":
      return block.signature ? [] : ["a thought without its signature"];
    case "tool_use":
      return typeof block.input === "object" && block.input !== null && !Array.isArray(block.input) ? [] : ["an input that is no object"];
    case "tool_result": {
      const inner = Array.isArray(block.content) ? block.content : [];
      if (!inner.length) return ["an empty result"];
      return inner.flatMap((it) =>
        typeof it === "object" && it !== null && !Array.isArray(it) ? blockFaults({ type: "?", ...it }) : ["?"],
      );
    }
    default:
      return [];
  }
}
