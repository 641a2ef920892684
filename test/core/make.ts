/** Events and states in short, for tables. `fold` insists that each event applies; `foldAny` does not. */
import { applies } from "../../src/core/applies.ts";
import type { Block, Event, How, JsonObject, Question, Verdict } from "../../src/core/event.ts";
import { fileKey } from "../../src/core/file.ts";
import { type Action, LIMITS, type Limits, next, type Subject } from "../../src/core/next.ts";
import { INITIAL, reduce, type State } from "../../src/core/state.ts";
import { person, place } from "./world.ts";

export const AT = Date.UTC(2026, 0, 5, 9);
export const [ann, bob, cid] = [person("ann"), person("bob"), person("cid")];

export function fold(...events: Event[]): State {
  return foldFrom(INITIAL, ...events);
}
export function foldFrom(state: State, ...events: Event[]): State {
  return events.reduce((it, event) => {
    if (!applies(it, event)) throw new Error(`Does not apply: ${JSON.stringify(event)}`);
    return reduce(it, event);
  }, state);
}
export const foldAny = (state: State, ...events: Event[]): State => events.reduce(reduce, state);

export const opened = (parent?: { session: string; call: string; agent: string }): Event => ({
  type: "session.opened",
  at: AT,
  home: "slack-T",
  scope: "team",
  place,
  code: "s1",
  ...(parent ? { parent } : {}),
});
export const said = (id: string, by = ann, heard = false, text = `words of ${id}`): Event => ({
  type: "message.received",
  at: AT,
  id,
  by,
  text,
  heard,
});
/** A message with files. */
export const bearing = (id: string, ...names: string[]): Event => ({
  type: "message.received",
  at: AT,
  id,
  by: ann,
  text: `words of ${id}`,
  heard: false,
  files: names.map((name) => ({ id: `f-${name}`, name, mime: "text/plain", size: 2048 })),
});
export const keyFor = (message: string, name: string): string => fileKey(message, `f-${name}`);
export const fetched = (file: string, problem?: string): Event => ({ type: "file.fetched", at: AT, file, ...(problem ? { problem } : {}) });
export const removed = (file: string): Event => ({ type: "file.removed", at: AT, file });
export const edited = (id: string, rev: number, text = `${id} as of ${rev}`): Event => ({ type: "message.edited", at: AT, id, rev, text });
export const deleted = (id: string): Event => ({ type: "message.deleted", at: AT, id });
export const withdrawn = (id: string): Event => ({ type: "message.withdrawn", at: AT, id, by: ann });
export const stopped = (by = bob): Event => ({ type: "turn.stopped", at: AT, by });
export const noted = (text: string): Event => ({ type: "noted", at: AT, text });

export const step = (turn: number, number: number, upTo: number): Event => ({ type: "step.opened", at: AT, turn, step: number, upTo });
export const failed = (turn: number, number: number, retryAt = AT + 10, overflow = false): Event => ({
  type: "step.failed",
  at: AT,
  turn,
  step: number,
  reason: "overloaded",
  overflow,
  retryAt,
});
export const usage = { model: "m", input: 1000, output: 100, cacheRead: 10, cacheWrite: 1 };
type Made = string | { tool: string; input?: JsonObject; broken?: string };
/** An answer with calls; each with the id `call_0`, as some gateways send it. */
export function answered(turn: number, number: number, calls: Made[] = [], content: Block[] = []): Event {
  const made = calls.map((it) => (typeof it === "string" ? { tool: it } : it)).map((it) => ({ ...it, input: it.input ?? { n: 1 } }));
  const uses: Block[] = made.map(({ tool, input }) => ({ type: "tool_use", id: "call_0", name: tool, input }));
  return { type: "model.answered", at: AT, turn, step: number, content: [...content, ...uses], calls: made, usage };
}
export const text = (words: string): Block => ({ type: "text", text: words });
export const ended = (turn: number, words = "done", how: How = "answered", cuts: number[] = []): Event => ({
  type: "turn.ended",
  at: AT,
  turn,
  how,
  text: words,
  cuts,
});
export const closed = (turn: number): Event => ({ type: "turn.closed", at: AT, turn });

export const gated = (call: string, verdict: Verdict["verdict"] = "allow", over: Partial<Verdict> = {}): Event => ({
  type: "call.gated",
  at: AT,
  call,
  verdict,
  label: "pay",
  digest: "d1",
  reason: "It costs money.",
  risky: verdict === "ask",
  helper: false,
  quorum: 1,
  expires: null,
  code: `c-${call}`,
  offers: ["approve", "edit", "deny"],
  level: "approve",
  notBy: null,
  subject: "*",
  deciders: "Members decide.",
  ...over,
});
export const asks = (call: string, question: Partial<Question> = {}, over: Partial<Verdict> = {}): Event =>
  gated(call, "question", { question: { text: "Which?", options: ["this", "that"], ...question }, ...over });
type Decided = Extract<Event, { type: "approval.decided" }>;
const decided = (call: string, by: typeof ann, digest: string) => ({ type: "approval.decided", at: AT, call, digest, by }) as const;
export const approve = (call: string, by = ann, digest = "d1"): Decided => ({ ...decided(call, by, digest), verdict: "approve" });
export const deny = (call: string, by = ann, reason = "", digest = "d1"): Decided => ({
  ...decided(call, by, digest),
  verdict: "deny",
  reason,
});
export const answer = (call: string, words: string, message?: string): Decided => ({
  ...decided(call, ann, "d1"),
  verdict: "answer",
  text: words,
  ...(message ? { message } : {}),
});
export const edit = (call: string, by = ann, digest = "d1", newDigest = "d2"): Decided => ({
  ...decided(call, by, digest),
  verdict: "edit",
  input: { n: 2 },
  newDigest,
  newCode: `c2-${call}`,
});
/** A running call asks people something, and is answered. */
export const inquiry = (call: string, expires = AT + 100, question: Partial<Question> = {}): Event => ({
  type: "call.asked",
  at: AT,
  call,
  question: { text: "Which one?", options: [], from: "shop", ...question },
  digest: "q1",
  code: `q-${call}`,
  expires,
  by: ann.id,
  deciders: "Ann answers this.",
});
export const told = (call: string, words: string): Decided => ({
  ...decided(call, ann, "q1"),
  verdict: "answer",
  text: words,
  values: { colour: words },
});
export const spent = (call: string): Event => ({
  type: "tokens.spent",
  at: AT,
  call,
  usage: { model: "m", input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
});
export const expired = (call: string): Event => ({ type: "approval.expired", at: AT, call });
export const started = (call: string, digest = "d1"): Event => ({ type: "call.started", at: AT, call, digest });
export const waiting = (call: string): Event => ({ type: "call.waiting", at: AT, call });
export const finished = (call: string, content: string | Block[] = "did it", fails = false): Event => ({
  type: "call.finished",
  at: AT,
  call,
  content,
  failed: fails,
});

export const posting = (slot: string, mark = false): Event => ({ type: "post.started", at: AT, slot, key: slot, mark });
export const shown = (slot: string, digest = "x", final = false, message = slot): Event => ({
  type: "post.shown",
  at: AT,
  slot,
  ref: { channel: "C", message },
  digest,
  final,
});
export const unposted = (slot: string, unsure: boolean, until: number | null = AT): Event => ({
  type: "post.failed",
  at: AT,
  slot,
  unsure,
  until,
  reason: "?",
});
export const hidden = (slot: string): Event => ({ type: "post.hidden", at: AT, slot });
export const compacted = (cut: number, redactions = 0, summary = "a summary"): Event => ({
  type: "context.compacted",
  at: AT,
  cut,
  summary,
  redactions,
  usage: null,
});
export const kept = (until: number): Event => ({ type: "context.kept", at: AT, until, reason: "?" });
export const timer = (id: string, due: number): Event => ({ type: "timer.set", at: AT, id, due, text: "look again" });
export const fired = (id: string): Event => ({ type: "timer.fired", at: AT, id });
export const given = (id: string, tool = "pay"): Event => ({
  type: "grant.given",
  at: AT,
  grant: { id, tool, subject: "*", by: ann, at: AT },
});
export const revoked = (id: string): Event => ({ type: "grant.revoked", at: AT, id, by: ann });
export const used = (id: string): Event => ({ type: "grant.used", at: AT, id, call: "1.1.0" });

/** A turn that has called these, not gated yet. */
export const calling = (...calls: Made[]): State => fold(opened(), said("m1"), step(1, 1, 1), answered(1, 1, calls));

/** What can be done, one short line an action. */
export function does(state: State, now = AT, running: Subject[] = [], limits: Partial<Limits> = {}): string[] {
  return next(state, now, new Set(running), { ...LIMITS, ...limits }).map(line);
}
function line(action: Action): string {
  switch (action.do) {
    case "step":
      return `step ${action.turn}.${action.step} up to ${action.upTo}, attempt ${action.attempt}`;
    case "end":
      return `end ${action.turn}: ${action.why}`;
    case "gate":
      return `gate ${action.calls.join(" ")}`;
    case "close":
      return `close ${action.turn}`;
    case "compact":
    case "trim":
    case "clip":
      return action.do;
    case "show":
      return `${action.mode} ${action.slot}${action.mark ? ", marked" : ""}`;
    case "fire":
      return `fire ${action.timer}`;
    case "fetch":
    case "discard":
      return `${action.do} ${action.file}`;
    default:
      return `${action.do} ${action.call}`;
  }
}
