/**
 * Wishes to steps: which offered tool does it, with the names its schema gives to things. Pure.
 *
 * S1. Only offered tools are called. What no tool can do becomes a sentence.
 * S2. The same words and tools give the same steps, so a turn goes on where it was after any interruption.
 */
import type { Json, JsonObject } from "../core/event.ts";
import type { ToolSpec } from "../core/ports.ts";
import { type Wish, wishes } from "./wish.ts";

export type Step = { tool: string; input: JsonObject; told: string } | { tool: null; told: string };

/** Where tools are looked up that are told by name only. */
export const FIND_TOOLS = "find_tools";

const NAMES: Record<string, string[]> = {
  path: ["file_path", "path", "filename", "file"],
  content: ["content", "text"],
  old: ["old_string", "old_str", "old"],
  new: ["new_string", "new_str", "new"],
  fact: ["fact", "text", "content", "note", "memory"],
  pattern: ["pattern", "query"],
  command: ["command", "cmd"],
  description: ["description", "prompt", "task"],
  helper: ["subagent_type", "agent"],
  question: ["question", "text"],
  options: ["options", "choices"],
};
/** What lies in the home and not in the scratch of the thread. */
const HOME = /^(AGENTS\.md|KNOWLEDGE\.md|MEMORY\.md|tools\.json|policy\.json|(skills|subagents|files)(\/|$))/;

const place = (path: string): string => (path.startsWith("/") ? path : `/${HOME.test(path) ? "home/" : ""}${path}`);

export function stepsOf(words: readonly string[], tools: readonly ToolSpec[]): Step[] {
  return words.flatMap(wishes).flatMap((wish) => steps(wish, tools));
}

/** True if nothing of it was understood: then there is nothing to do but to say what can be typed. */
export const isTalk = (words: readonly string[]): boolean => words.flatMap(wishes).every((wish) => wish.want === "talk");

function steps(wish: Wish, tools: readonly ToolSpec[]): Step[] {
  switch (wish.want) {
    case "plan":
      return planned(wish.items, tools);
    case "remember":
      return [call(tools, "remember", { fact: wish.text }, `Remembered: ${wish.text}`)];
    case "write":
      return [call(tools, "write_file", { path: place(wish.path), content: wish.text }, `Wrote ${place(wish.path)}`)];
    case "replace":
      return [call(tools, "edit_file", { path: place(wish.path), old: wish.old, new: wish.text }, `Edited ${place(wish.path)}`)];
    case "read":
      return [call(tools, "read_file", { path: place(wish.path) }, `Read ${place(wish.path)}`)];
    case "send":
      return [call(tools, "send_file", { path: place(wish.path) }, `Sent ${place(wish.path)}`)];
    case "list":
      return [call(tools, "ls", { path: place(wish.path) }, `Listed ${place(wish.path)}`)];
    case "delete":
      return [call(tools, "delete", { path: place(wish.path) }, `Deleted ${place(wish.path)}`)];
    case "find":
      return [call(tools, "glob", { pattern: wish.path }, `Looked for ${wish.path}`)];
    case "search":
      return [call(tools, "grep", { pattern: wish.text, ...(wish.path && { path: place(wish.path) }) }, `Searched for ${wish.text}`)];
    case "tools":
      return [call(tools, FIND_TOOLS, { query: wish.text }, `Looked for tools: ${wish.text}`)];
    case "run":
      return [call(tools, "execute", { command: wish.text }, `Ran ${wish.text}`)];
    case "delegate":
      return [call(tools, "task", { description: wish.text, helper: wish.to || "general-purpose" }, `Delegated: ${wish.text}`)];
    case "ask":
      return [call(tools, "ask", { question: wish.question, options: wish.options }, `Asked: ${wish.question}`)];
    case "call":
      return [named(tools, wish.tool, wish.input)];
    case "say":
      return [{ tool: null, told: wish.text }];
    case "talk":
      return [{ tool: null, told: `I did not understand: “${wish.text}”` }];
  }
}

/** Each item is marked, done if it is something that can be done, and ticked off. */
function planned(items: readonly string[], tools: readonly ToolSpec[]): Step[] {
  const at = (current: number): Step => {
    const todos = items.map((content, i) => ({ content, status: i < current ? "completed" : i === current ? "in_progress" : "pending" }));
    const told =
      current < items.length ? `Planned ${items.length} steps` : `All ${items.length} steps of the plan are done: ${items.join(", ")}`;
    return call(tools, "write_todos", { todos }, current === 0 || current === items.length ? told : "");
  };
  const work = (item: string): Step[] =>
    wishes(item).flatMap((wish) => (wish.want === "talk" || wish.want === "plan" ? [] : steps(wish, tools)));
  const all = items.flatMap((item, i) => [at(i), ...work(item)]);
  return [...all, at(items.length)];
}

function call(tools: readonly ToolSpec[], name: string, input: JsonObject, told: string): Step {
  const tool = tools.find((offered) => offered.name === name);
  if (!tool) return { tool: null, told: `Left out, because the tool \`${name}\` is not offered here` };
  return { tool: name, input: fitted(tool, input), told };
}

/** A tool by `server/tool`, by its name, or by the last part of it. */
function named(tools: readonly ToolSpec[], label: string, input: JsonObject): Step {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  const tool =
    tools.find((offered) => plain(offered.name) === plain(label)) ??
    tools.find((offered) => plain(offered.name).endsWith(`_${plain(label)}`));
  // What is not told in full is looked up first.
  if (!tool && tools.some(({ name }) => name === FIND_TOOLS)) return call(tools, FIND_TOOLS, { query: label }, `Looked for ${label}`);
  if (!tool)
    return {
      tool: null,
      told: `There is no tool called ${label}. Offered are: ${tools.map(({ name }) => name.replace("__", "/")).join(", ")}`,
    };
  return { tool: tool.name, input: typed(tool, input), told: `Called ${label}` };
}

const propertiesOf = (tool: ToolSpec): JsonObject => (tool.schema.properties ?? {}) as JsonObject;

function fitted(tool: ToolSpec, input: JsonObject): JsonObject {
  const known = propertiesOf(tool);
  const name = (key: string) => NAMES[key]?.find((alias) => alias in known) ?? NAMES[key]?.[0] ?? key;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [name(key), value]));
}

/** `version=2` is a number unless the tool wants text. */
function typed(tool: ToolSpec, input: JsonObject): JsonObject {
  const known = propertiesOf(tool);
  const wants = (key: string): Json | undefined => (known[key] as JsonObject | undefined)?.type;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, wants(key) === "string" && typeof value === "number" ? String(value) : value]),
  );
}
