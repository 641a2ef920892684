/**
 * What the model is sent: the entries behind the cut as messages of the Anthropic shape, which every provider's adapter starts from.
 *
 * M1. Always valid: roles alternate, the first is the user's, each call is followed at once by its result, no empty text, ids unique.
 * M2. The same entries give the same messages, object by object, so the prefix is stable and can be encoded once.
 * M3. Text of people cannot forge the structure it stands in.
 */
import { type Call, callsOf } from "./calls.ts";
import type { Block, JsonObject, Todo } from "./event.ts";
import { wireId } from "./id.ts";
import { memo, shaped } from "./memo.ts";
import type { Message } from "./ports.ts";
import { sentResult, sentText, shapeOf, trimmedInput } from "./shorten.ts";
import type { State } from "./state.ts";
import type { Entry, Said } from "./talk.ts";

export function transcript(state: State): Message[] {
  const { talk, calls, context } = state;
  const messages: Message[] = [];
  if (context.summary !== null) messages.push({ role: "user", content: [summaryBlock(context.summary)] });
  if (context.plan.length && context.summary !== null) add(messages, "user", [planBlock(context.plan)]);
  for (let index = context.cut; index < talk.entries.length; index++) {
    const entry = talk.entries[index];
    if (!entry) continue;
    const shape = shapeOf(context, index);
    if (entry.as === "said") {
      add(messages, "user", [saidBlock(entry, shape)]);
      continue;
    }
    const content = answerBlocks(entry, shape);
    if (content.length === 0) continue;
    if (messages.length === 0) messages.push({ role: "user", content: [GAP] });
    add(messages, "assistant", content);
    const own = callsOf(entry, calls);
    if (own.length)
      add(
        messages,
        "user",
        own.map((call) => resultBlock(call, shape)),
      );
  }
  return messages;
}

const GAP: Block = { type: "text", text: "(Earlier messages are no longer available.)" };

/** Messages of one role are never put side by side: the later joins the earlier. */
function add(messages: Message[], role: Message["role"], content: Block[]): void {
  const last = messages.at(-1);
  if (last?.role === role) messages[messages.length - 1] = { role, content: [...last.content, ...content] };
  else messages.push({ role, content });
}

const escaped = (text: string): string => text.replace(/<(\/?)(message|summary|note|correction|timer)\b/gi, "&lt;$1$2");
const attribute = (text: string): string =>
  text
    .replace(/[<>"&\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, 80);

const saidBlock = shaped((said: Said, shape): Block => ({ type: "text", text: saidText(said, sentText(said, shape)) }));

function saidText({ kind, id, by, at, gone, before }: Said, text: string): string {
  if (kind === "note") return `<note>${escaped(text)}</note>`;
  if (kind === "timer") return `<timer id="${attribute(id)}">${escaped(text)}</timer>`;
  const tag = kind === "edit" ? "correction" : "message";
  const when = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const head = `<${tag} from="${attribute(by.id)}" name="${attribute(by.name)}" id="${attribute(id)}" at="${when} UTC"${before ? ' background="said before you were called"' : ""}>`;
  return `${head}${gone ? "[deleted by its author]" : escaped(text)}</${tag}>`;
}

const summaryBlock = (summary: string): Block => ({
  type: "text",
  text: `<summary>This conversation goes on from an earlier part, summarised here. The whole of it can be read at /history/conversation.md.\n\n${escaped(summary)}</summary>`,
});

/** The plan as it stood when the summary was made: what the calls that wrote it said is behind the cut. */
const planBlock = memo(
  (plan: readonly Todo[]): Block => ({
    type: "text",
    text: `<note>Your plan at this point:\n${plan.map(({ status, content }) => `- [${status}] ${escaped(content)}`).join("\n")}</note>`,
  }),
);

const answerBlocks = shaped((entry: Extract<Entry, { as: "answer" }>, { trimmed }): Block[] => {
  let index = 0;
  const blocks = entry.content.filter(isSolid).map((block): Block => {
    if (block.type !== "tool_use") return block;
    const id = wireId(`${entry.turn}.${entry.step}.${index++}`);
    return trimmed ? { ...block, id, input: trimmedInput(String(block.name), block.input as JsonObject) } : { ...block, id };
  });
  // Thoughts that led to no word and no call are no message, and no provider takes them back as one.
  return blocks.every(isThought) ? [] : blocks;
});
const isSolid = (block: Block): boolean => block.type !== "text" || String(block.text).trim() !== "";
const isThought = (block: Block): boolean => block.type === "thinking" || block.type === "redacted_thinking";

const resultBlock = shaped(({ id, tool, edited, input, result }: Call, shape): Block => {
  const ran = JSON.stringify(shape.trimmed ? trimmedInput(tool, input) : input);
  const told = edited ? `${edited.by.name} changed the input before it ran. What ran: ${ran}\n` : "";
  const content = sentResult(id, result?.content ?? "Not finished.", shape);
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
