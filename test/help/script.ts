/** A model that says what it is told to, in order, and keeps what it was asked. Past its script it says so. */
import type { Block, JsonObject } from "../../src/core/event.ts";
import type { Answer, Delta, Model, Request } from "../../src/core/ports.ts";

export type Line = Answer | ((request: Request, signal: AbortSignal) => Answer | Promise<Answer>);
const USAGE = { model: "script", input: 100, output: 20, cacheRead: 0, cacheWrite: 0 };

export const says = (text: string): Answer => ({ ok: true, content: [{ type: "text", text }], calls: [], stop: "end", usage: USAGE });

/** Calls tools: names with inputs. The provider's own ids repeat on purpose: the product must not rely on them. */
export function calls(...list: [tool: string, input?: JsonObject][]): Answer {
  const content: Block[] = list.map(([name, input = {}], index) => ({ type: "tool_use", id: `call_${index}`, name, input }));
  return { ok: true, content, calls: list.map(([tool, input = {}]) => ({ tool, input })), stop: "calls", usage: USAGE };
}
export const fails = (kind: Extract<Answer, { ok: false }>["kind"], detail: string = kind): Answer => ({ ok: false, kind, detail });

export class Script implements Model {
  readonly kind = "script";
  readonly name = "script";
  readonly requests: Request[] = [];
  lines: Line[];
  /** Answers requests without tools. */
  side: Line = says("Summary of what came before.");

  constructor(...lines: Line[]) {
    this.lines = lines;
  }
  window(): number {
    return 200_000;
  }
  async answer(request: Request, onDelta: (delta: Delta) => void, signal: AbortSignal): Promise<Answer> {
    this.requests.push(request);
    const line = request.tools.length ? (this.lines.shift() ?? says("(nothing scripted)")) : this.side;
    const answer = typeof line === "function" ? await line(request, signal) : line;
    if (answer.ok) for (const block of answer.content) if (block.type === "text") onDelta({ kind: "text", text: String(block.text) });
    return answer;
  }
}
/** Everything a request tells the model, as text. */
export const heard = (request: Request | undefined): string => JSON.stringify([request?.system, request?.messages]);
