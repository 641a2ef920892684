/** What a tool is run with, in tests: a session of the console with one started call. */
import type { JsonObject } from "../../src/core/event.ts";
import type { Files, Outcome, Tool, ToolContext } from "../../src/core/ports.ts";
import { INITIAL, type State } from "../../src/core/state.ts";
import { homeMemory, type Memory } from "../../src/memory/memory.ts";
import { builtinTools } from "../../src/tools/index.ts";

export const NOW = Date.UTC(2026, 10, 30, 12);

/** `starts`: how often the call was started before; `others`: further calls of the same step, by tool. */
export function context(change: Partial<ToolContext> & { starts?: number; others?: string[]; tool?: string } = {}): ToolContext {
  const { starts = 0, others = [], tool = "", ...rest } = change;
  const ids = ["1.1.0", ...others.map((_, index) => `1.1.${index + 1}`)];
  const calls = ids.map((id, index) => [
    id,
    { id, turn: 1, step: 1, index, tool: [tool, ...others][index], status: "started", starts: index === 0 ? starts : 0 },
  ]);
  return {
    home: "console",
    session: "console:h:1",
    call: "1.1.0",
    scope: "team",
    place: { platform: "console", team: "h", channel: "general", thread: "1" },
    by: { id: "console:ann", name: "Ann", kind: "member" },
    state: { ...INITIAL, calls: { ...INITIAL.calls, byId: Object.fromEntries(calls) as unknown as State["calls"]["byId"] } },
    now: NOW,
    signal: new AbortController().signal,
    ...rest,
  };
}

export function tools(
  files: Files,
  memory: Memory = homeMemory("/nowhere", () => Promise.reject(new Error("no journal here"))),
): Map<string, Tool> {
  return new Map(
    builtinTools({ filesFor: () => files, asideFor: () => files, scrub: (text) => text, memoryFor: () => memory }).map((tool) => [
      tool.name,
      tool,
    ]),
  );
}

/** As the harness does it: parse, then run what was parsed. */
export async function run(tool: Tool | undefined, input: JsonObject, given: ToolContext = context()): Promise<Outcome & { text: string }> {
  if (!tool) throw new Error("no such tool");
  const parsed = tool.parse(input);
  const outcome: Outcome = parsed.ok ? await tool.run(parsed.input, given) : { content: parsed.error, failed: true };
  return { ...outcome, text: typeof outcome.content === "string" ? outcome.content : JSON.stringify(outcome.content) };
}
