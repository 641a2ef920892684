/** Streamed messages: they grow while they are open, end by themselves after a while, and are ordinary messages from then on. */
import { problems } from "../../adapters/slack/limits.ts";
import { type Fields, type Message, refuse, type Space, text } from "./slack-space.ts";

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const STATUS = ["pending", "in_progress", "complete", "error"];

function chunksOf(args: Fields): Fields[] {
  const chunks = listOf(args.chunks);
  if (text(args.markdown_text) && chunks.length) refuse("cannot_provide_both_markdown_text_and_chunks");
  for (const chunk of chunks) {
    const { type } = chunk;
    if (type === "task_update" && !(text(chunk.id) && text(chunk.title) && STATUS.includes(text(chunk.status)))) refuse("invalid_chunks");
    if ([chunk.title, chunk.details, chunk.output].some((words) => text(words).length > 256)) refuse("invalid_chunks");
    if (type === "plan_update" && !text(chunk.title)) refuse("invalid_chunks");
    if (type === "blocks" && problems(listOf(chunk.blocks), "message").length) refuse("invalid_blocks");
    if (!["markdown_text", "task_update", "plan_update", "blocks"].includes(text(type))) refuse("invalid_chunks");
  }
  return chunks;
}

/** Tasks stand together, where the first of them came; each changes by its id. */
function grow(message: Message, chunks: readonly Fields[]): void {
  for (const chunk of chunks) {
    if (chunk.type === "blocks") message.blocks.push(...listOf(chunk.blocks));
    if (chunk.type === "markdown_text") message.blocks.push({ type: "markdown", text: chunk.text });
    if (chunk.type === "plan_update") planOf(message).title = chunk.title;
    if (chunk.type !== "task_update") continue;
    const tasks = listOf(planOf(message).tasks);
    const task = { task_id: chunk.id, title: chunk.title, status: chunk.status };
    const known = tasks.find(({ task_id: id }) => id === chunk.id);
    if (known) Object.assign(known, task);
    else tasks.push(task);
  }
}
function planOf({ blocks }: Message): Fields {
  const found = blocks.find(({ type }) => type === "plan");
  const plan = found ?? { type: "plan", title: "", tasks: [] };
  if (!found) blocks.push(plan);
  return plan;
}

/** An open stream; one whose time is over has ended by itself. */
function opened(space: Space, args: Fields): Message {
  const message = space.own(space.channel(args.channel).id, args.ts);
  return isStreaming(space, message) ? message : refuse("message_not_in_streaming_state");
}
export const isStreaming = (space: Space, { stream }: Message): boolean =>
  stream !== undefined && !stream.ended && Date.now() - stream.from < space.streamsLast;

export const streamMethods: Record<string, (space: Space, args: Fields) => Fields> = {
  "chat.startStream": (space, args) => {
    const channel = space.joined(args.channel);
    if (channel.kind !== "im" && !text(args.recipient_team_id)) refuse("missing_recipient_team_id");
    if (channel.kind !== "im" && !text(args.recipient_user_id)) refuse("missing_recipient_user_id");
    if (!space.message(channel.id, args.thread_ts)) refuse("invalid_thread_ts");
    const chunks = chunksOf(args);
    const { botUser, botId } = space.facts;
    const message = space.add({ channel: channel.id, user: botUser, bot_id: botId, text: "", thread_ts: text(args.thread_ts) });
    message.stream = { from: Date.now(), ended: false };
    grow(message, chunks);
    return { channel: channel.id, ts: message.ts };
  },
  "chat.appendStream": (space, args) => {
    const message = opened(space, args);
    grow(message, chunksOf(args));
    return { channel: message.channel, ts: message.ts };
  },
  "chat.stopStream": (space, args) => {
    const message = opened(space, args);
    grow(message, chunksOf(args));
    message.blocks.push(...listOf(args.blocks));
    if (args.metadata !== undefined) message.metadata = args.metadata as Fields;
    message.stream = { from: 0, ended: true };
    return { channel: message.channel, ts: message.ts, message: space.told(message) };
  },
};
