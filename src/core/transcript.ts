/**
 * What the model is sent: the entries behind the cut as messages of the Anthropic shape, which every provider's adapter starts from.
 *
 * M1. Always valid: roles alternate, the first is the user's, each call is followed at once by its result, no empty text, ids unique.
 * M2. The same entries give the same messages, object by object, so the prefix is stable and can be encoded once.
 * M3. Text of people cannot forge the structure it stands in, nor can what a tool server gave. Who is no member is marked as such, and so
 *     is what a server gave.
 */
import type { Told } from "./attached.ts";
import { type Call, callsOf } from "./calls.ts";
import type { Block, JsonObject, Todo } from "./event.ts";
import { sizeText } from "./file.ts";
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
  if (context.plan.length && context.summary !== null) add(messages, saidMessage(planBlock(context.plan)));
  for (let index = context.cut; index < talk.entries.length; index++) {
    const entry = talk.entries[index];
    if (!entry) continue;
    const shape = shapeOf(context, index);
    if (entry.as === "said") {
      add(messages, saidMessage(saidBlock(entry, shape)));
      continue;
    }
    const content = answerBlocks(entry, shape);
    if (content.length === 0) continue;
    if (messages.length === 0) messages.push({ role: "user", content: [GAP] });
    add(messages, answerMessage(content));
    const [first, ...others] = callsOf(entry, calls);
    if (!first) continue;
    const result = saidMessage(resultBlock(first, shape));
    add(
      messages,
      others.length ? { role: "user", content: [...result.content, ...others.map((call) => resultBlock(call, shape))] } : result,
    );
  }
  return messages;
}

const saidMessage = memo((block: Block): Message => ({ role: "user", content: [block] }));
const answerMessage = memo((content: Block[]): Message => ({ role: "assistant", content }));

const GAP: Block = { type: "text", text: "(Earlier messages are no longer available.)" };

/** Messages of one role are never put side by side: the later joins the earlier. */
function add(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  const { role } = message;
  if (last?.role === role) messages[messages.length - 1] = { role, content: [...last.content, ...message.content] };
  else messages.push(message);
}

const escaped = (text: string): string => text.replace(/<(\/?)(message|summary|note|correction|timer|attachment|material)\b/gi, "&lt;$1$2");
const attribute = (text: string, most = 80): string =>
  text
    .replace(/[<>"&\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, most);

const saidBlock = shaped((said: Said, shape): Block => ({ type: "text", text: saidText(said, sentText(said, shape)) }));

function saidText({ kind, id, by, at, gone, before, viewing, files = [] }: Said, text: string): string {
  if (kind === "note") return `<note>${escaped(text)}</note>`;
  if (kind === "timer") return `<timer id="${attribute(id)}">${escaped(text)}</timer>`;
  const tag = kind === "edit" ? "correction" : "message";
  const when = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const standing = OUTSIDE[by.kind];
  const who = `from="${attribute(by.id)}" name="${attribute(by.name)}"${standing ? ` standing="${standing}"` : ""}`;
  const open = viewing && !gone ? ` viewing="${attribute(viewing, 120)}"` : "";
  const head = `<${tag} ${who} id="${attribute(id)}" at="${when} UTC"${open}${before ? ' background="said before you were called"' : ""}>`;
  const words = gone ? "[deleted by its author]" : escaped(text);
  const body = [words, ...files.map(attachmentText)].filter(Boolean).join("\n") || (kind === "message" ? "[no words: only your name]" : "");
  return `${head}${body}</${tag}>`;
}

const OUTSIDE: Partial<Record<Said["by"]["kind"], string>> = { guest: "guest", external: "of another organisation", bot: "a bot" };

/** Where a file that came with a message is, or why it is not there. */
function attachmentText({ name, mime, size, at, problem }: Told): string {
  const facts = `name="${attribute(name)}" type="${attribute(mime)}" size="${sizeText(size)}"`;
  return problem === undefined
    ? `<attachment path="/attachments/${at}" ${facts}/>`
    : `<attachment ${facts} missing="${attribute(problem, 300)}"/>`;
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

/** What a server gave stands in a mark that it cannot close. */
function material(server: string, blocks: readonly Block[]): Block[] {
  const inside = blocks.map((block) => (block.type === "text" ? { ...block, text: escaped(String(block.text)) } : block));
  const [first, ...others] = inside;
  const open = `<material from="${attribute(server)}">`;
  if (first?.type === "text" && others.length === 0) return [{ ...first, text: `${open}${String(first.text)}</material>` }];
  return [{ type: "text", text: open }, ...inside, { type: "text", text: "</material>" }];
}

const resultBlock = shaped(({ id, tool, edited, input, result, gate, starts }: Call, shape): Block => {
  const ran = JSON.stringify(shape.trimmed ? trimmedInput(tool, input) : input);
  const told = edited ? `${attribute(edited.by.name)} changed the input before it ran. What ran: ${ran}\n` : "";
  const content = sentResult(id, result?.content ?? "Not finished.", shape);
  const given: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const server = starts > 0 && gate?.label.includes("/") ? gate.label : undefined;
  const said = server ? material(server, given.filter(isSolid)) : given;
  const [first, ...others] = said;
  const blocks = !told
    ? said
    : first?.type === "text"
      ? [{ ...first, text: told + String(first.text) }, ...others]
      : [{ type: "text", text: told }, ...said];
  const solid = blocks.filter(isSolid);
  return {
    type: "tool_result",
    tool_use_id: wireId(id),
    content: solid.length ? solid : [{ type: "text", text: "(no output)" }],
    ...(result?.failed || !result ? { is_error: true } : {}),
  };
});
