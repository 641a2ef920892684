/**
 * Plain words to wishes: the small language that the offline model understands. Pure, knows no tools.
 *
 * W1. Words in double quotes and input in braces are never taken apart.
 * W2. What is not understood becomes a wish to `talk`, with the words as they were.
 */
import type { Json, JsonObject } from "../core/event.ts";

export type Wish =
  | { want: "plan"; items: string[] }
  | { want: "remember"; text: string }
  | { want: "write"; text: string; path: string }
  | { want: "replace"; old: string; text: string; path: string }
  | { want: "read" | "send" | "list" | "delete" | "find"; path: string }
  | { want: "search"; text: string; path: string }
  | { want: "tools"; text: string }
  | { want: "run"; text: string }
  | { want: "delegate"; text: string; to: string }
  | { want: "ask"; question: string; options: string[] }
  | { want: "call"; tool: string; input: JsonObject }
  | { want: "say"; text: string }
  | { want: "talk"; text: string };

/** What one can type, in the order it is offered. */
export const EXAMPLES: [want: Wish["want"], example: string][] = [
  ["plan", "plan look around, write a note, report"],
  ["write", "write hello to notes.txt"],
  ["read", "read notes.txt"],
  ["send", "send notes.txt"],
  ["list", "list /"],
  ["search", "search hello in /"],
  ["replace", "replace hello with goodbye in notes.txt"],
  ["remember", "remember we deploy on Fridays"],
  ["ask", "ask Which colour? red, green, blue"],
  ["run", "run ls -la"],
  ["delegate", "delegate read notes.txt"],
  ["tools", "find tools for tickets"],
  ["call", "call server/tool key=value"],
];

/** A step after a plan that is nothing by itself belongs to the plan: `plan a, b, then c`. */
export function wishes(text: string): Wish[] {
  const out: Wish[] = [];
  for (const next of steps(text).map(wish)) {
    const last = out.at(-1);
    if (last?.want === "plan" && next.want === "talk") out[out.length - 1] = { want: "plan", items: [...last.items, ...list(next.text)] };
    else out.push(next);
  }
  return out;
}

/** Cut at line ends and at the word `then`, outside quotes and braces. */
function steps(text: string): string[] {
  const cut = /\s*\n\s*|[,;]?\s+then\s+/iy;
  const out = [""];
  for (let at = 0; at < text.length; ) {
    cut.lastIndex = at;
    const gap = cut.exec(text)?.[0];
    const whole = gap ? "" : (held(text, at) ?? text.charAt(at));
    if (gap) out.push("");
    else out[out.length - 1] += whole;
    at += (gap ?? whole).length;
  }
  return out.map((step) => step.trim().replace(/^then\s+/i, "")).filter(Boolean);
}

/** The quoted words or the braces that begin here, if they end. */
function held(text: string, from: number): string | undefined {
  const quoted = /"(?:[^"\\]|\\.)*"/sy;
  quoted.lastIndex = from;
  const quote = quoted.exec(text)?.[0];
  if (quote || text[from] !== "{") return quote;
  for (let at = from, depth = 0; at < text.length; at++) {
    const skip = at > from ? (text[at] === '"' ? held(text, at) : undefined) : undefined;
    if (skip) at += skip.length - 1;
    else if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return text.slice(from, at + 1);
  }
  return undefined;
}

const POLITE = /^(?:<@[^>]*>|@\S+|denizen\b|please\b|hey\b|hi\b|hello\b|(?:can|could|would) you\b|now\b|and\b|[,:-])\s*/i;

function wish(step: string): Wish {
  for (let rest = step; ; rest = rest.replace(POLITE, "")) {
    const found = understood(rest);
    if (found) return found;
    if (!POLITE.test(rest)) return { want: "talk", text: step };
  }
}

const bare = (text: string): string => /^(["'`])([\s\S]*)\1$/.exec(text.trim())?.[2] ?? text.trim();
const list = (text: string): string[] =>
  text
    .split(/\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+/i)
    .map(bare)
    .filter(Boolean);

const FORMS: [RegExp, (a: string, b: string, c: string) => Wish][] = [
  [/^plan:?\s+([\s\S]+)$/i, (items) => ({ want: "plan", items: list(items) })],
  [/^remember:?\s+(?:that\s+)?([\s\S]+)$/i, (text) => ({ want: "remember", text: bare(text) })],
  [/^write\s+([\s\S]+)\s+(?:to|into|in)\s+(\S+)$/i, (text, path) => ({ want: "write", text: bare(text), path: bare(path) })],
  [
    /^replace\s+([\s\S]+?)\s+(?:with|by)\s+([\s\S]*?)\s*\bin\s+(\S+)$/i,
    (old, text, path) => ({ want: "replace", old: bare(old), text: bare(text), path: bare(path) }),
  ],
  [/^(?:read|show)\s+(\S+)$/i, (path) => ({ want: "read", path: bare(path) })],
  [/^send\s+(?:me\s+)?(\S*[./]\S*)$/i, (path) => ({ want: "send", path: bare(path) })],
  [/^(?:list|ls)(?:\s+(\S+))?$/i, (path) => ({ want: "list", path: bare(path) })],
  [/^find\s+tools?\s+(?:for\s+|to\s+|called\s+)?([\s\S]+)$/i, (text) => ({ want: "tools", text: bare(text) })],
  [/^(?:find|glob)\s+(\S+)$/i, (path) => ({ want: "find", path: bare(path) })],
  [/^delete\s+(\S+)$/i, (path) => ({ want: "delete", path: bare(path) })],
  [
    /^(?:search|grep)\s+(?:for\s+)?([\s\S]+?)(?:\s+in\s+(\S+))?$/i,
    (text, path) => ({ want: "search", text: bare(text), path: bare(path) }),
  ],
  [/^run\s+([\s\S]+)$/i, (text) => ({ want: "run", text: bare(text) })],
  [/^delegate\s+([\s\S]+?)(?:\s+to\s+([\w-]+))?$/i, (text, to) => ({ want: "delegate", text: bare(text), to })],
  [/^ask:?\s+([^?]+\?)\s*([\s\S]*)$/i, (question, options) => ({ want: "ask", question: bare(question), options: list(options) })],
  [/^call\s+([\w./-]+)\s*([\s\S]*)$/i, (tool, input) => ({ want: "call", tool, input: inputOf(input) })],
  [/^say:?\s+([\s\S]+)$/i, (text) => ({ want: "say", text: bare(text) })],
];

function understood(text: string): Wish | undefined {
  for (const [form, make] of FORMS) {
    const match = form.exec(text);
    if (match) return make(match[1] ?? "", match[2] ?? "", match[3] ?? "");
  }
  return undefined;
}

/** `{…}` as JSON, or `key=value` pairs with values in quotes where they hold spaces. */
function inputOf(text: string): JsonObject {
  const json = parse(text.trim());
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json;
  const pairs = text.matchAll(/([\w.-]+)\s*=\s*("[^"]*"|'[^']*'|\S+)/g);
  return Object.fromEntries([...pairs].map(([, key = "", value = ""]) => [key, parse(value) ?? bare(value)]));
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
