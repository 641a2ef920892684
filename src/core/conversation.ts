/** The talk as Markdown for reading: by the summariser, and by the agent under `/history`. Nothing deleted is in it. */
import type { Told } from "./attached.ts";
import { type Call, callsOf } from "./calls.ts";
import { isLarge, leavesOut, messagePath, resultPath } from "./shorten.ts";
import type { State } from "./state.ts";
import type { Entry } from "./talk.ts";

/** Entries `from` (inclusive) to `to` (exclusive); a summary that stands before `from` comes first. */
export function conversation(state: State, from = 0, to = state.talk.entries.length): string {
  const before = from > 0 && state.context.summary ? [`## Summary of what came before\n\n${state.context.summary}`] : [];
  return [...before, ...state.talk.entries.slice(from, to).map((entry) => entryText(entry, state))].join("\n\n");
}

function entryText(entry: Entry, { calls }: State): string {
  if (entry.as === "said")
    return `**${entry.by.name}** (${entry.by.id}) [m:${entry.id}]: ${entry.gone ? "[deleted]" : entry.text}${fileLines(entry.files)}`;
  const own = callsOf(entry, calls);
  const words = entry.content.flatMap((block) => (block.type === "text" ? [String(block.text)] : [])).join("\n");
  return [words ? `**Agent**: ${words}` : "", ...own.map(callText)].filter(Boolean).join("\n\n");
}

const fileLines = (files: readonly Told[] = []): string =>
  files.map(({ name, at, problem }) => `\n[file ${JSON.stringify(name)}: ${problem ?? `/attachments/${at}`}]`).join("");

/** What can be read below /history: the whole talk once part of it was summarised, and each text that was shortened. Made when somebody looks. */
export function history(state: State): Record<string, string> {
  const { talk, context } = state;
  const files = talk.entries.flatMap((entry, index): [string, string][] => {
    const clip = index < (context.clip?.upTo ?? 0);
    if (entry.as === "said") return (clip || isLarge(entry)) && !entry.gone ? [[messagePath(entry), entry.text]] : [];
    return clip ? callsOf(entry, state.calls).map((call) => [resultPath(call.id), resultText(call)]) : [];
  });
  const below = files.map(([path, text]) => [path.slice("/history".length), text] as const);
  return { "/conversation.md": conversation(state), ...Object.fromEntries(below) };
}
export const hasHistory = ({ talk, context }: State): boolean => context.cut > 0 || leavesOut(talk.entries, context);

function resultText({ result }: Call): string {
  const content = result?.content ?? "not finished";
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? String(block.text) : `[${block.type}]`)).join("\n");
}

function callText(call: Call): string {
  const text = resultText(call);
  return `**Call** ${call.gate?.label ?? call.tool} ${JSON.stringify(call.input)}\n\n${text}`;
}
