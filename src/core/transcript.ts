/**
 * What the model is sent: the entries behind the cut as messages of the Anthropic shape, which every provider's adapter starts from.
 *
 * M1. Always valid: roles alternate, the first is the user's, each call is followed at once by its result, no empty text, ids unique.
 * M2. The same entries give the same messages, object by object, so the prefix is stable and can be encoded once.
 * M3. Text of people cannot forge the structure it stands in.
 */
import type { Call, Calls } from "./calls.ts";
import type { Block } from "./event.ts";
import { wireId } from "./id.ts";
import type { Message } from "./ports.ts";
import type { State } from "./state.ts";
import type { Entry, Said } from "./talk.ts";
import { estimateTokens } from "./tokens.ts";

export function transcript(state: State): Message[] {
  const { talk, calls, context } = state;
  const messages: Message[] = [];
  if (context.summary !== null) messages.push({ role: "user", content: [summaryBlock(context.summary)] });
  for (const entry of talk.entries.slice(context.cut)) {
    if (entry.as === "said") {
      add(messages, "user", [saidBlock(entry)]);
      continue;
    }
    const content = answerBlocks(entry);
    if (content.length === 0) continue;
    if (messages.length === 0) messages.push({ role: "user", content: [GAP] });
    add(messages, "assistant", content);
    const own = callsOf(entry, calls);
    if (own.length) add(messages, "user", own.map(resultBlock));
  }
  return messages;
}

const callsOf = (answer: { turn: number; step: number; calls: readonly Call[] | null }, { byId }: Calls): readonly Call[] =>
  answer.calls ?? Object.values(byId).filter((call) => call.turn === answer.turn && call.step === answer.step);

const GAP: Block = { type: "text", text: "(Earlier messages are no longer available.)" };

/** Messages of one role are never put side by side: the later joins the earlier. */
function add(messages: Message[], role: Message["role"], content: Block[]): void {
  const last = messages.at(-1);
  if (last?.role === role) messages[messages.length - 1] = { role, content: [...last.content, ...content] };
  else messages.push({ role, content });
}

const memo = <K extends object, V>(make: (key: K) => V): ((key: K) => V) => {
  const known = new WeakMap<K, V>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
};

const escaped = (text: string): string => text.replace(/<(\/?)(message|summary|note|correction|timer)\b/gi, "&lt;$1$2");
const attribute = (text: string): string =>
  text
    .replace(/[<>"&\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, 80);

export const saidBlock = memo((said: Said): Block => ({ type: "text", text: saidText(said) }));

function saidText({ kind, id, by, at, text, gone }: Said): string {
  if (kind === "note") return `<note>${escaped(text)}</note>`;
  if (kind === "timer") return `<timer id="${attribute(id)}">${escaped(text)}</timer>`;
  const tag = kind === "edit" ? "correction" : "message";
  const when = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const head = `<${tag} from="${attribute(by.id)}" name="${attribute(by.name)}" id="${attribute(id)}" at="${when} UTC">`;
  return `${head}${gone ? "[deleted by its author]" : escaped(text)}</${tag}>`;
}

const summaryBlock = (summary: string): Block => ({
  type: "text",
  text: `<summary>This conversation goes on from an earlier part, summarised here. The whole of it can be read at /history/conversation.md.\n\n${escaped(summary)}</summary>`,
});

const answerBlocks = memo((entry: Extract<Entry, { as: "answer" }>): Block[] => {
  let index = 0;
  const blocks = entry.content
    .filter(isSolid)
    .map((block) => (block.type === "tool_use" ? { ...block, id: wireId(`${entry.turn}.${entry.step}.${index++}`) } : block));
  // Thoughts that led to no word and no call are no message, and no provider takes them back as one.
  return blocks.every(isThought) ? [] : blocks;
});
const isSolid = (block: Block): boolean => block.type !== "text" || String(block.text).trim() !== "";
const isThought = (block: Block): boolean => block.type === "thinking" || block.type === "redacted_thinking";

const resultBlock = memo(({ id, edited, input, result }: Call): Block => {
  const told = edited ? `${edited.by.name} changed the input before it ran. What ran: ${JSON.stringify(input)}\n` : "";
  const content = result?.content ?? "Not finished.";
  const blocks: Block[] =
    typeof content === "string" ? [{ type: "text", text: told + content }] : told ? [{ type: "text", text: told }, ...content] : content;
  const solid = blocks.filter(isSolid);
  return {
    type: "tool_result",
    tool_use_id: wireId(id),
    content: solid.length ? solid : [{ type: "text", text: "(no output)" }],
    ...(result?.failed || !result ? { is_error: true } : {}),
  };
});

const weight = memo((entry: Entry): number =>
  entry.as === "said"
    ? estimateTokens(entry.text) + 30
    : estimateTokens(JSON.stringify([entry.content, entry.calls?.map((call) => call.result)])),
);

/** Tokens of an entry, estimated. */
export const entryTokens = (entry: Entry): number => weight(entry);

/** How many tokens the next request will have: what the last one really had, and an estimate of what came since. */
export function pressure({ talk, calls, context }: State): number {
  const from = context.used?.entries ?? context.cut;
  const since = talk.entries.slice(from).reduce((sum, entry) => sum + weight(entry), 0);
  const newest = talk.entries.findLastIndex((entry) => entry.as === "answer");
  const answer = talk.entries[newest];
  // What the last answer's calls gave is in neither sum: it came after the request, and inside an entry the request covered.
  const apart = answer?.as === "answer" && (answer.calls === null || newest + 1 === context.used?.entries) ? callsOf(answer, calls) : [];
  const results = apart.reduce((sum, call) => sum + resultWeight(call), 0);
  const queued = talk.queue.reduce((sum, item) => sum + estimateTokens(item.text) + 30, 0);
  const base = context.used?.tokens ?? estimateTokens(context.summary ?? "") + 3000;
  return base + since + results + queued;
}
const resultWeight = memo((call: Call): number => estimateTokens(JSON.stringify(call.result)));
