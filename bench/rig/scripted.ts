/** The model of the bench inside this process: the same words and calls, without a connection. Keeps nothing but what it is told to. */
import type { Block, JsonObject } from "../../src/core/event.ts";
import type { Answer, Model, Request } from "../../src/core/ports.ts";
import { TOOL, WORDS } from "./lookup.ts";

export function scripted(watch: (request: Request) => void = () => {}): Model {
  return {
    kind: "scripted",
    name: "claude-bench",
    window: () => 1_000_000,
    async answer(request, onDelta) {
      watch(request);
      onDelta({ kind: "text", text: WORDS });
      return answerTo(request);
    },
  };
}

function answerTo({ messages }: Request): Answer {
  const left = Number([...JSON.stringify(messages.at(-1)).matchAll(/left: (\d+)/g)].at(-1)?.[1] ?? 0);
  const usage = { model: "claude-bench", input: 200, output: 20, cacheRead: 0, cacheWrite: 0 };
  const words: Block = { type: "text", text: WORDS };
  if (left < 1) return { ok: true, content: [words], calls: [], stop: "end", usage };
  const input: JsonObject = { topic: "the state of the release", left: left - 1 };
  const call: Block = { type: "tool_use", id: `toolu_${left}`, name: TOOL.name, input };
  return { ok: true, content: [words, call], calls: [{ tool: TOOL.name, input }], stop: "calls", usage };
}
