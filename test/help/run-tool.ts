/** One run of a tool, as the harness runs it. */
import type { JsonObject } from "../../src/core/event.ts";
import type { Outcome, Tool, ToolContext } from "../../src/core/ports.ts";

export async function runTool(tool: Tool | undefined, input: JsonObject = {}, context: Partial<ToolContext> = {}): Promise<Outcome> {
  if (!tool) throw new Error("the tool was not offered");
  const parsed = tool.parse(input);
  if (!parsed.ok) throw new Error(parsed.error);
  return tool.run(parsed.input, { home: "h", session: "s", signal: new AbortController().signal, ...context } as ToolContext);
}
