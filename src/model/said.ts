/**
 * What a request says about the turn under way: what was asked in it, and what the calls of it gave. Read from the request alone.
 */
import type { Block, JsonObject } from "../core/event.ts";
import type { Message } from "../core/ports.ts";

export interface Done {
  tool: string;
  input: JsonObject;
  text: string;
  failed: boolean;
}
export interface Asked {
  /** The words of people, oldest first. */
  words: string[];
  /** The calls of this turn that have a result, in order. */
  done: Done[];
}

const SAID = /<(message|correction|timer)\b([^>]*)>([\s\S]*?)<\/\1>/g;
const STOPPED = /<note>[^<]* stopped this turn\.<\/note>/;

export function asked(messages: readonly Message[]): Asked {
  let turn: Asked = { words: [], done: [] };
  let over = false;
  const calls = new Map<string, Block>();
  for (const { role, content } of messages) {
    if (role === "assistant") {
      const uses = content.filter((block) => block.type === "tool_use");
      for (const use of uses) calls.set(String(use.id), use);
      over = uses.length === 0;
      continue;
    }
    const results = content.filter((block) => block.type === "tool_result").map((block) => doneOf(block, calls));
    const words = wordsOf(content);
    turn = { words: turn.words, done: [...turn.done, ...results] };
    // After a final answer, a stop or a failure what is said next is a new errand.
    if (words.length && (over || isStopped(content) || turn.done.at(-1)?.failed)) turn = { words: [], done: [] };
    turn = { words: [...turn.words, ...words], done: turn.done };
    if (words.length) over = false;
  }
  return turn;
}

const textOf = (block: Block): string => (block.type === "text" && typeof block.text === "string" ? block.text : "");
const isStopped = (content: readonly Block[]): boolean => content.some((block) => STOPPED.test(textOf(block)));

function doneOf(block: Block, calls: Map<string, Block>): Done {
  const use = calls.get(String(block.tool_use_id));
  const parts = Array.isArray(block.content) ? block.content : [{ type: "text", text: block.content ?? "" }];
  const text = parts.map((part) => textOf(part as Block)).join("\n");
  return { tool: String(use?.name ?? ""), input: (use?.input ?? {}) as JsonObject, text: text.trim(), failed: block.is_error === true };
}

const FILE = /\s*<attachment\b(?: path="([^"]*)")?[^>]*\/>/g;
/** Without what is told of files; where nothing else was said, what came is to be read. */
const spoken = (text: string): string =>
  text.replace(FILE, "").trim() || [...text.matchAll(FILE)].flatMap(([, path]) => (path ? [`read ${path}`] : [])).join("\n");

/** The people's words in one message; a correction takes the place of what it corrects. Text without marks is taken as it is. */
function wordsOf(content: readonly Block[]): string[] {
  const text = content.map(textOf).filter(Boolean).join("\n");
  const found = [...text.matchAll(SAID)];
  if (!found.length) return /^\s*<(note|summary)\b/.test(text) || !text.trim() ? [] : [text.trim()];
  const byId = new Map<string, string>();
  for (const [at, [, , head = "", words = ""]] of found.entries()) {
    byId.set(/\bid="([^"]*)"/.exec(head)?.[1] || `#${at}`, spoken(words).replaceAll("&lt;", "<").trim());
  }
  return [...byId.values()].filter(Boolean);
}
