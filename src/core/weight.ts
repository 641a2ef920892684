/** What entries and the next request cost, estimated, in the shape in which they are sent. Pure. */
import { type Call, callsOf } from "./calls.ts";
import type { Result } from "./event.ts";
import { memo, shaped } from "./memo.ts";
import { type Shape, type Shortened, sentResult, sentText, shapeOf, trimmedInput, WHOLE } from "./shorten.ts";
import type { State } from "./state.ts";
import type { Entry } from "./talk.ts";
import { estimateTokens } from "./tokens.ts";

/** What stands around a message. */
const AROUND = 30;
/** Providers count an image by its pixels, not by its bytes: this is what a large one costs. */
const IMAGE = 1_600;
/** The system prompt and the tools, where no request has told what they cost. */
const REST = 3_000;

const weight = shaped((entry: Entry, shape): number => {
  if (entry.as === "said") return estimateTokens(sentText(entry, shape)) + around(entry);
  const content = shape.trimmed
    ? entry.content.map((block) => (block.type === "tool_use" ? { ...block, input: shortInput(block) } : block))
    : entry.content;
  const results = entry.calls?.map((call) => call.result && { ...call.result, content: sentResult(call.id, call.result.content, shape) });
  return blocksWeight([content, results]);
});
/** A message, and each of its files. */
const around = ({ files }: { files?: readonly unknown[] }): number => AROUND * (1 + (files?.length ?? 0));

function blocksWeight(blocks: unknown): number {
  let images = 0;
  const text = JSON.stringify(blocks, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("type" in value) || value.type !== "image") return value;
    images++;
    return "";
  });
  return estimateTokens(text) + images * IMAGE;
}
const shortInput = ({ name, input }: { [key: string]: unknown }) => trimmedInput(String(name), input as Call["input"]);

/** Tokens of an entry. */
export const entryTokens = (entry: Entry, shape: Shape = WHOLE): number => weight(entry, shape);

/** What trimming the inputs of old calls in these entries would save. */
export function savedBy(entries: readonly Entry[], context: Shortened & { cut: number }, upTo: number): number {
  let saved = 0;
  for (let index = Math.max(context.cut, context.trimmed); index < upTo; index++) {
    const entry = entries[index];
    if (entry?.as !== "answer" || !entry.content.some((block) => block.type === "tool_use" && shortInput(block) !== block.input)) continue;
    const shape = shapeOf(context, index);
    saved += weight(entry, shape) - weight(entry, { ...shape, trimmed: true });
  }
  return saved;
}

/** How many tokens the next request will have: what the last one really had, and an estimate of what came since. */
export function pressure({ talk, calls, context }: State): number {
  const from = context.used?.entries ?? context.cut;
  let since = 0;
  for (let index = from; index < talk.entries.length; index++) {
    const entry = talk.entries[index];
    if (entry) since += weight(entry, shapeOf(context, index));
  }
  const newest = talk.entries.findLastIndex((entry) => entry.as === "answer");
  const answer = talk.entries[newest];
  // What the last answer's calls gave is in neither sum: it came after the request, and inside an entry the request covered.
  const apart = answer?.as === "answer" && (answer.calls === null || newest + 1 === context.used?.entries) ? callsOf(answer, calls) : [];
  const results = apart.reduce((sum, call) => sum + resultWeight(call), 0);
  const queued = talk.queue.reduce((sum, item) => sum + queuedWeight(item), 0);
  const base = context.used?.tokens ?? estimateTokens(context.summary ?? "") + REST;
  return base + since + results + queued;
}
const resultWeight = memo((call: Call): number => blocksWeight(call.result));
const queuedWeight = memo((item: State["talk"]["queue"][number]): number => estimateTokens(sentText(item, WHOLE)) + around(item));

/** The texts behind the cut that could be shortened, by their tokens. */
export function texts({ talk, context }: State): number[] {
  return talk.entries.slice(context.cut).flatMap((entry, index) => {
    const shape = shapeOf(context, context.cut + index);
    if (entry.as === "said") return [estimateTokens(sentText(entry, shape))];
    return (entry.calls ?? []).map((call) => textTokens(sentResult(call.id, call.result?.content ?? "", shape)));
  });
}
const textTokens = (content: Result["content"]): number =>
  typeof content === "string"
    ? estimateTokens(content)
    : content.reduce((sum, block) => sum + (block.type === "text" ? estimateTokens(String(block.text)) : 0), 0);
