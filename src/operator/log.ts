/**
 * A session's journal as people follow it, line by line; and what the model was sent in one of its steps. Pure.
 *
 * L1. What its author deleted is in no line, however long ago it was said.
 * L2. Nothing is made up: a line is an event, or what several events of one thing say together.
 */
import { inputText } from "../core/card.ts";
import type { Event, Result } from "../core/event.ts";
import { callId } from "../core/id.ts";
import type { LogLine } from "../core/ports.ts";
import { INITIAL, reduce, type State } from "../core/state.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;
type Linked = (ref: Of<"post.shown">["ref"]) => string | undefined;

/** What earlier events say about later ones. */
interface Known {
  gone: ReadonlySet<string>;
  started: Map<string, number>;
  stepped: number | undefined;
  linked: Linked;
}

/** Its words, and the names of what came with it. */
const saidText = ({ text, files = [] }: Of<"message.received">): string =>
  [text, ...files.map(({ name }) => `[file: ${name}]`)].filter(Boolean).join("\n");

const DELETED = "[deleted by its author]";

export function logLines(events: readonly Event[], linked: Linked): LogLine[] {
  const gone = new Set(events.flatMap((event) => (event.type === "message.deleted" ? [event.id] : [])));
  const known: Known = { gone, started: new Map(), stepped: undefined, linked };
  return events.flatMap((event) => lineOf(event, known) ?? []);
}

function lineOf(event: Event, known: Known): LogLine | undefined {
  const { at } = event;
  switch (event.type) {
    case "message.received": {
      const gone = known.gone.has(event.id);
      return { kind: "said", at, by: event.by, text: gone ? DELETED : saidText(event), heard: event.heard, gone };
    }
    case "message.edited":
      return { kind: "edited", at, text: known.gone.has(event.id) ? DELETED : event.text };
    case "message.deleted":
      return { kind: "note", at, text: "A message was deleted by its author." };
    case "message.withdrawn":
      return { kind: "note", at, text: `${event.by.name} withdrew a message that waited.` };
    case "noted":
      return { kind: "note", at, text: event.text };
    case "timer.fired":
      return { kind: "note", at, text: "A timer ran out." };
    case "context.compacted":
      return { kind: "note", at, text: "Older talk was summarised, to make room." };
    case "grant.given":
      return { kind: "note", at, text: `${event.grant.by.name} allowed ${event.grant.tool} from now on (${event.grant.subject}).` };
    case "grant.revoked":
      return { kind: "note", at, text: `${event.by.name} revoked a standing permission.` };
    case "turn.stopped":
      return { kind: "note", at, text: `${event.by.name} stopped the turn.` };
    default:
      return workLine(event, known);
  }
}

function workLine(event: Event, known: Known): LogLine | undefined {
  const { at } = event;
  switch (event.type) {
    case "step.opened":
      known.stepped = at;
      return { kind: "step", at, turn: event.turn, step: event.step };
    case "step.failed":
      return { kind: "failed", at, text: `The model did not answer: ${event.reason}` };
    case "model.answered":
      return answered(event, known);
    case "call.gated": {
      const { call, label, verdict, reason, deciders } = event;
      return { kind: "asked", at, call, label, verdict, reason, deciders };
    }
    case "call.asked": {
      const { call, question, deciders } = event;
      return { kind: "asked", at, call, label: question.from ?? "", verdict: "question", reason: question.text, deciders };
    }
    case "approval.decided":
      return decided(event, known);
    case "approval.expired":
      return { kind: "decided", at, call: event.call, by: "nobody", how: "expired", text: "Nobody decided in time." };
    case "call.started":
      known.started.set(event.call, at);
      return undefined;
    case "call.finished": {
      const began = known.started.get(event.call);
      const took = began === undefined ? undefined : at - began;
      return { kind: "result", at, call: event.call, text: resultText(event), failed: event.failed, took };
    }
    case "post.shown": {
      const link = known.linked(event.ref);
      return { kind: "sent", at, slot: event.slot, ok: true, text: "", ...(link ? { link } : {}) };
    }
    case "post.failed":
      return { kind: "sent", at, slot: event.slot, ok: false, text: event.reason };
    case "turn.ended":
      return { kind: "ended", at, turn: event.turn, how: event.how, text: event.text };
    default:
      return undefined;
  }
}

function answered({ at, turn, step, content, calls, usage }: Of<"model.answered">, { stepped }: Known): LogLine {
  const text = content.flatMap((block) => (block.type === "text" ? [String(block.text)] : [])).join("\n");
  return {
    kind: "answered",
    at,
    turn,
    step,
    text: text.trim(),
    thought: content.some(({ type }) => type === "thinking" || type === "redacted_thinking"),
    calls: calls.map(({ tool, input, broken }, index) => ({
      call: callId(turn, step, index),
      tool,
      input: inputText(input),
      ...(broken === undefined ? {} : { broken }),
    })),
    usage,
    took: stepped === undefined ? undefined : at - stepped,
  };
}

const HOW = { approve: "approved", edit: "changed the input and approved", deny: "denied", answer: "answered" } as const;

function decided(event: Of<"approval.decided">, { gone }: Known): LogLine {
  const words = event.verdict === "deny" ? event.reason : event.verdict === "answer" ? event.text : "";
  const text = event.verdict === "answer" && event.message !== undefined && gone.has(event.message) ? DELETED : words;
  return {
    kind: "decided",
    at: event.at,
    call: event.call,
    by: event.by.name,
    how: "agrees" in event ? "agreed" : HOW[event.verdict],
    text,
  };
}

const resultText = ({ content }: Result): string =>
  typeof content === "string"
    ? content
    : content.map((block) => (block.type === "text" ? String(block.text) : `[${block.type}]`)).join("\n");

/** The state a step was thought in: all that was there when it was last opened, without what was deleted since. */
export function stateAt(events: readonly Event[], turn: number, step: number): State | undefined {
  const last = events.findLastIndex((event) => event.type === "step.opened" && event.turn === turn && event.step === step);
  if (last < 0) return undefined;
  const then = events.slice(0, last + 1).reduce(reduce, INITIAL);
  return events.slice(last + 1).reduce((state, event) => (event.type === "message.deleted" ? reduce(state, event) : state), then);
}

const SPENDING: ReadonlySet<Event["type"]> = new Set(["model.answered", "context.compacted", "tokens.spent"]);

export function usedIn(events: readonly Event[]): { input: number; output: number } {
  const used = { input: 0, output: 0 };
  for (const event of events) {
    if (!SPENDING.has(event.type) || !("usage" in event) || !event.usage) continue;
    used.input += event.usage.input + event.usage.cacheRead + event.usage.cacheWrite;
    used.output += event.usage.output;
  }
  return used;
}
