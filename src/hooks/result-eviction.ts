/**
 * Keeps results that are too large out of the conversation: they go to a file the session can read, and a preview takes their place.
 *
 * V1. What is shown is bounded, whether or not the file could be written; if not, that is said.
 * V2. The file holds the text as it was. Another result is never written over it.
 * V3. Only text is counted and replaced: images stay, and an error stays an error.
 * V4. Results of tools that page themselves stay whole, or reading a kept result would keep it again.
 */
import type { Block, Result } from "../core/event.ts";
import type { Files, Hook, Moment } from "../core/ports.ts";
import { ends, linesIn } from "../core/shorten.ts";
import { estimateTokens } from "../core/tokens.ts";
import { callName } from "../files/mounts.ts";
import { isError } from "../files/refusal.ts";

/** Of tokens. */
const LARGE = 20_000;
/** A text of so many characters is large whatever they are; counted are only shorter ones. */
const LONGEST = LARGE * 4;
const NAMES = 20;

/** `evicted`: where the session's large results are kept, to be written; the session sees it as /evicted. */
export function resultEviction(evicted: (moment: Moment) => Files): Hook {
  return {
    name: "result-eviction",
    async postActing(moment, tool, call, result) {
      if (tool?.paging) return undefined;
      const text = textOf(result.content);
      if (!isLarge(text)) return undefined;
      const kept = await keep(evicted(moment), callName(moment.session, call), text);
      return { ...result, content: replaced(result.content, preview(text, kept)) };
    },
  };
}

const isLarge = (text: string): boolean => text.length > LONGEST || estimateTokens(text) > LARGE;

const textOf = (content: Result["content"]): string =>
  typeof content === "string"
    ? content
    : content
        .filter(isText)
        .map(({ text }) => text)
        .join("\n");
const isText = (block: Block): block is Block & { text: string } => block.type === "text" && typeof block.text === "string";

function replaced(content: Result["content"], text: string): Result["content"] {
  if (typeof content === "string") return text;
  const first = content.findIndex(isText);
  return content.flatMap((block, index) => (index === first ? [{ type: "text", text }] : isText(block) ? [] : [block]));
}

type Kept = { path: string } | { problem: string };

async function keep(files: Files, name: string, text: string): Promise<Kept> {
  const content = new TextEncoder().encode(text);
  for (let i = 1; i <= NAMES; i++) {
    const path = `/${name}${i === 1 ? "" : `-${i}`}.txt`;
    const there = await files.read(path);
    if (!isError(there) && Buffer.compare(there, content) === 0) return { path: `/evicted${path}` };
    if (!isError(there) || there.error !== "file_not_found") continue;
    const written = await files.write(path, content);
    return isError(written) ? { problem: written.detail } : { path: `/evicted${path}` };
  }
  return { problem: "no free name was found for it" };
}

function preview(text: string, kept: Kept): string {
  const lines = linesIn(text);
  const size = `${text.length.toLocaleString("en")} characters in ${lines === 1 ? "one line" : `${lines.toLocaleString("en")} lines`}`;
  const where =
    "path" in kept
      ? `It is kept whole in ${kept.path} - read it in pages with read_file, or search it with grep.`
      : `It could not be saved (${kept.problem}); only this much is left of it.`;
  return [`[This result was too large for the conversation: ${size}. ${where}]`, "", ends(text)].join("\n");
}
