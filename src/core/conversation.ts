/** The talk as Markdown for reading: by the summariser, and by the agent under `/history`. Nothing deleted is in it. */
import type { Call } from "./calls.ts";
import type { State } from "./state.ts";
import type { Entry } from "./talk.ts";

/** Entries `from` (inclusive) to `to` (exclusive); a summary that stands before `from` comes first. */
export function conversation(state: State, from = 0, to = state.talk.entries.length): string {
  const before = from > 0 && state.context.summary ? [`## Summary of what came before\n\n${state.context.summary}`] : [];
  return [...before, ...state.talk.entries.slice(from, to).map((entry) => entryText(entry, state))].join("\n\n");
}

function entryText(entry: Entry, { calls }: State): string {
  if (entry.as === "said") return `**${entry.by.name}** (${entry.by.id}) [m:${entry.id}]: ${entry.gone ? "[deleted]" : entry.text}`;
  const own = entry.calls ?? Object.values(calls.byId).filter((call) => call.turn === entry.turn && call.step === entry.step);
  const words = entry.content.flatMap((block) => (block.type === "text" ? [String(block.text)] : [])).join("\n");
  return [words ? `**Agent**: ${words}` : "", ...own.map(callText)].filter(Boolean).join("\n\n");
}

function callText(call: Call): string {
  const content = call.result?.content ?? "not finished";
  const text =
    typeof content === "string"
      ? content
      : content.map((block) => (block.type === "text" ? String(block.text) : `[${block.type}]`)).join("\n");
  return `**Call** ${call.gate?.label ?? call.tool} ${JSON.stringify(call.input)}\n\n${text}`;
}
