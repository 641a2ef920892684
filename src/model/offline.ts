/**
 * The model that answers when there is no key: it shows what Denizen can do, from plain words, and says what it is.
 *
 * O1. Deterministic: the answer follows from the request alone. Nothing is remembered between requests.
 * O2. Steps of a turn are done one after the other; after one that failed no further one is tried.
 * O3. It spends nothing, so its usage is zero.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Block } from "../core/event.ts";
import type { Answer, Delta, Model, Request, ToolSpec } from "../core/ports.ts";
import { type Asked, asked, type Done } from "./said.ts";
import { sideWork } from "./side.ts";
import { FIND_TOOLS, isTalk, type Step, stepsOf } from "./steps.ts";
import { EXAMPLES } from "./wish.ts";

export interface OfflineOptions {
  /** Milliseconds between the pieces of a streamed text. */
  pace?: number;
}

const NAME = "offline";
const USAGE = { model: NAME, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const ABORTED: Answer = { ok: false, kind: "aborted", detail: "The offline model was stopped." };

export function offline({ pace = 12 }: OfflineOptions = {}): Model {
  return {
    kind: NAME,
    name: NAME,
    window: () => undefined,
    async answer(request, onDelta, signal) {
      const said = respond(request);
      if (typeof said !== "string") {
        if (signal.aborted) return ABORTED;
        onDelta({ kind: "tool", name: said.tool });
        const content: Block[] = [{ type: "tool_use", id: "call_0", name: said.tool, input: said.input }];
        return { ok: true, content, calls: [{ tool: said.tool, input: said.input }], stop: "calls", usage: USAGE };
      }
      if (!(await stream(said, onDelta, signal, pace))) return ABORTED;
      return { ok: true, content: [{ type: "text", text: said }], calls: [], stop: "end", usage: USAGE };
    },
  };
}

/** Pieces of about twenty characters, never through the middle of one. */
async function stream(text: string, onDelta: (delta: Delta) => void, signal: AbortSignal, pace: number): Promise<boolean> {
  for (const piece of text.match(/[\s\S]{1,20}/gu) ?? []) {
    if (signal.aborted) return false;
    onDelta({ kind: "text", text: piece });
    if (pace > 0) await sleep(pace, undefined, { signal }).catch(() => undefined);
  }
  return !signal.aborted;
}

type Call = Extract<Step, { tool: string }>;

/** The next call, or the words that end the turn. */
function respond(request: Request): Call | string {
  if (!request.tools.length) return sideWork(request);
  const said = asked(request.messages);
  const steps = stepsOf(said.words, request.tools);
  // A tool that was looked up to be called is there by now: looking was no step of its own.
  const meant = ({ tool, input }: Done): boolean =>
    tool !== FIND_TOOLS || steps.some((step) => step.tool === FIND_TOOLS && step.input.query === input.query);
  const turn = { ...said, done: said.done.filter(meant) };
  const calls = steps.filter((step): step is Call => step.tool !== null);
  const failed = turn.done.some((done) => done.failed);
  const next = failed ? undefined : calls[turn.done.length];
  return next ?? ((isTalk(turn.words) ? greeting(turn, request.tools) : report(steps, turn.done)).trim() || "…");
}

function greeting({ words }: Asked, tools: readonly ToolSpec[]): string {
  const offered = new Set(tools.map(({ name }) => name));
  const can = EXAMPLES.filter(([want]) => want === "call" || offered.has(TOOL[want] ?? ""));
  const foreign = tools.filter(({ name }) => name.includes("__")).map(({ name }) => `\`${name.replace("__", "/")}\``);
  const heard = words.at(-1);
  return [
    "Hello, I am the **offline model**: no model key is set, so I understand only a few plain words.",
    heard ? `You wrote: “${clip(heard, 300)}”` : "",
    `You can type:\n${can.map(([, example]) => `- \`${example}\``).join("\n")}`,
    foreign.length ? `Tools to call: ${foreign.join(", ")}` : "",
    "Join several with *then*, or write one on each line.",
  ]
    .filter(Boolean)
    .join("\n\n");
}
const TOOL: Record<string, string> = {
  plan: "write_todos",
  write: "write_file",
  read: "read_file",
  send: "send_file",
  list: "ls",
  search: "grep",
  replace: "edit_file",
  remember: "remember",
  ask: "ask",
  run: "execute",
  delegate: "task",
  tools: FIND_TOOLS,
};

function report(steps: readonly Step[], done: readonly Done[]): string {
  if (steps.length === 1 && steps[0]?.tool === null) return steps[0].told;
  const results = [...done];
  const lines: string[] = [];
  for (const step of steps) {
    const result = step.tool === null ? undefined : results.shift();
    if (step.tool !== null && !result) break;
    const shown = result && step.tool !== "write_todos" ? quoted(result.text) : "";
    if (result?.failed) lines.push(`- ✗ Without success: ${step.told || step.tool}${quoted(result.text)}`);
    else if (step.told) lines.push(`- ${step.told}${shown}`);
  }
  const left = steps.filter((step) => step.tool !== null).length - done.length;
  if (left > 0) lines.push(`- I stopped there; ${left} more to do ${left === 1 ? "was" : "were"} not tried.`);
  return `The offline model reports:\n${lines.join("\n")}`;
}

const clip = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** A result below its line: short ones as they are, in a fence that the text cannot close. */
function quoted(text: string): string {
  if (!text) return "";
  if (!text.includes("\n") && text.length < 120) return ` → ${text}`;
  const fence = "`".repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return `\n${fence}\n${clip(text, 800)}\n${fence}`;
}
