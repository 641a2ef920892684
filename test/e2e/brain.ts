/**
 * A model without memory: what it says follows from the transcript alone, as a real one's would. Each message for it holds `[n7] word`; it
 * works on all that it has not answered yet and then answers them together, one line `done n7 …` each.
 *
 * - `say`: answered at once. `look`: two calls side by side that need nobody. `plan`: a list, then looks. `deploy`: a call that is put to people.
 */
import type { Body, Script } from "../rigs/anthropic.ts";
import type { Answer, Block, JsonObject, Turn } from "../rigs/anthropic-turn.ts";

export const WORDS = ["say", "look", "plan", "deploy"] as const;
export type Word = (typeof WORDS)[number];

interface Call {
  tool: string;
  input: JsonObject;
  result: string | undefined;
}
interface Read {
  /** What was asked for and is not answered, by number. */
  open: Map<number, string>;
  calls: Call[];
}

function messagesOf(body: Body): { role: string; content: Block[] }[] {
  return (body.messages ?? []) as { role: string; content: Block[] }[];
}

function read(body: Body): Read {
  const open = new Map<number, string>();
  const done = new Set<string>();
  const calls = new Map<string, Call>();
  for (const { role, content } of messagesOf(body))
    for (const block of content) {
      const text = String(block.text ?? "");
      if (role === "user") for (const [, n = "", word = ""] of text.matchAll(/\[n(\d+)\] (\w+)/g)) open.set(Number(n), word);
      else for (const [, n = ""] of text.matchAll(/^done n(\d+)\b/gm)) done.add(n);
      if (block.type === "tool_use")
        calls.set(String(block.id), { tool: String(block.name), input: block.input as JsonObject, result: undefined });
      const call = calls.get(String(block.tool_use_id));
      if (call) call.result = JSON.stringify(block.content);
    }
  // A correction of what was answered brings its number once more.
  for (const n of done) open.delete(Number(n));
  return { open, calls: [...calls.values()] };
}

export const targetOf = (n: number): string => `t${n}`;

function wanted(n: number, word: string): [tool: string, input: JsonObject][] {
  switch (word) {
    case "look":
      return ["a", "b"].map((part) => ["ops__echo", { text: `${n} ${part}` }]);
    case "plan":
      return [["write_todos", { todos: [{ content: `Look at ${n}`, status: "in_progress" }] }], ...wanted(n, "look")];
    case "deploy":
      return [["ops__deploy", { target: targetOf(n) }]];
    default:
      return [];
  }
}

function outcome(n: number, calls: readonly Call[]): string {
  const result = calls.find(({ tool, input }) => tool === "ops__deploy" && input.target === targetOf(n))?.result ?? "";
  if (result.includes("outcome unknown")) return "unknown";
  if (result.includes("Denied by")) return "denied";
  return result.includes("deployed to") ? "ran" : "";
}

export function think(body: Body): Answer {
  const { open, calls } = read(body);
  const made = new Set(calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`));
  const missing = [...open]
    .flatMap(([n, word]) => wanted(n, word))
    .filter(([tool, input]) => !made.has(`${tool} ${JSON.stringify(input)}`));
  if (missing.length) return { thinking: "I need something first.", calls: missing };
  const lines = [...open.keys()].map((n) => `done n${n} ${outcome(n, calls)}`.trim());
  return { text: lines.join("\n") || "Nothing is open." };
}

/** The same, but slow as a stream, and failing now and then. `chance`: from 0 to 1. */
export function brain(chance: () => number): Script {
  return (body): Turn => {
    const turn: Turn = { ...think(body), chunk: 12, delay: Math.floor(chance() * 12) };
    const luck = chance();
    if (luck < 0.04) return { error: "overloaded_error" };
    if (luck < 0.08) return { ...turn, fault: { after: 4, kind: "cut" } };
    return luck < 0.12 ? { ...turn, fault: { after: 5, kind: "error" } } : turn;
  };
}
