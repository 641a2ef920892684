/**
 * The calls of the open turn, and cards of earlier ones that are not settled yet. A call's result lives inside it:
 * a call without a result cannot be written down for the model.
 *
 * C1. The first result wins. What arrives after a stop becomes a note (talk.ts).
 * C2. One person counts once; the first decision wins; an edit starts the votes again, with its editor's.
 * C4. Whose words would leave a private place has to be among those who approved.
 * C3. A call cut off inside its input is done at once: not run.
 */
import type { Event, JsonObject, Result, Speaker, Verdict } from "./event.ts";
import { type CallId, callId } from "./id.ts";
import type { State } from "./state.ts";

export interface Decided {
  how: "approved" | "denied" | "answered" | "expired" | "stopped";
  by: Speaker[];
  at: number;
  reason: string;
  /** The reply that answered a question. */
  message?: string;
}
export interface Call {
  id: CallId;
  turn: number;
  step: number;
  index: number;
  /** As the model named it. */
  tool: string;
  /** What runs: as the model wrote it, or as a person changed it. */
  input: JsonObject;
  status: "new" | "asked" | "allowed" | "started" | "waiting" | "done";
  gate: Verdict | null;
  /** Since when people are asked. */
  asked: number | null;
  votes: readonly Speaker[];
  edited: { by: Speaker; from: JsonObject } | null;
  decided: Decided | null;
  starts: number;
  outcome: "ran" | "denied" | "expired" | "stopped" | "broken" | "answered" | null;
  result: Result | null;
  /** A result came after the stop and was noted. */
  late: boolean;
  /** It changed the home, and that can be taken back. */
  undoable?: true;
}
export interface Calls {
  byId: Readonly<Record<CallId, Call>>;
  /** Calls whose card is not settled, in order. */
  cards: readonly CallId[];
}
export const NO_CALLS: Calls = { byId: {}, cards: [] };

/** The calls of an answer, wherever they are kept. */
export const callsOf = (answer: { turn: number; step: number; calls: readonly Call[] | null }, { byId }: Calls): readonly Call[] =>
  answer.calls ?? Object.values(byId).filter((call) => call.turn === answer.turn && call.step === answer.step);
export const openCalls = (calls: Calls): Call[] => Object.values(calls.byId).filter((call) => call.status !== "done");
export const openDecisions = (calls: Calls): Call[] => openCalls(calls).filter((call) => call.status === "asked");

export function reduceCalls(calls: Calls, event: Event, state: State): Calls {
  switch (event.type) {
    case "model.answered":
      return {
        ...calls,
        byId: { ...calls.byId, ...Object.fromEntries(event.calls.map((call, index) => made(event.turn, event.step, index, call))) },
      };
    case "step.opened":
      return state.talk.phase === "idle" ? prune(calls, state) : calls;
    case "turn.stopped": {
      const kept = state.talk.phase === "idle" ? prune(calls, state) : calls;
      return each(kept, (call) => (call.status === "done" ? call : stopped(call, event.by, event.at)));
    }
    case "message.deleted":
      return each(calls, (call) => unsaid(call, event.id));
    case "post.shown":
      return event.final ? { ...calls, cards: calls.cards.filter((id) => `card/${id}` !== event.slot) } : calls;
    case "post.failed":
      return event.until === null ? { ...calls, cards: calls.cards.filter((id) => `card/${id}` !== event.slot) } : calls;
    case "call.gated": {
      const { type: _, at, call: id, ...gate } = event;
      const asks = gate.verdict === "ask" || gate.verdict === "question";
      const next = one(calls, id, (call) => gated(call, gate, at));
      return asks ? { ...next, cards: [...next.cards, id] } : next;
    }
    case "approval.decided":
      return one(calls, event.call, (call) => decide(call, event));
    case "approval.expired":
      return one(calls, event.call, (call) =>
        done(call, "expired", "Nobody decided in time, so it was not run.", { how: "expired", by: [], at: event.at, reason: "" }),
      );
    case "call.started":
      return one(calls, event.call, (call) => ({ ...call, status: "started", starts: call.starts + 1 }));
    case "call.waiting":
      return one(calls, event.call, (call) => ({ ...call, status: "waiting" }));
    case "call.finished": {
      const { content, failed, undoable } = event;
      return one(calls, event.call, (call) =>
        call.status === "done"
          ? { ...call, late: true }
          : { ...call, status: "done", outcome: "ran", result: { content, failed }, ...(undoable ? { undoable } : {}) },
      );
    }
    default:
      return calls;
  }
}

/** A call without the words of a deleted reply that answered it. */
export function unsaid(call: Call, message: string): Call {
  if (call.decided?.message !== message) return call;
  return { ...call, decided: { ...call.decided, reason: "[deleted]" }, result: { content: "[deleted]", failed: false } };
}

const one = (calls: Calls, id: CallId, change: (call: Call) => Call): Calls => {
  const call = calls.byId[id];
  return call ? { ...calls, byId: { ...calls.byId, [id]: change(call) } } : calls;
};
const each = (calls: Calls, change: (call: Call) => Call): Calls => ({
  ...calls,
  byId: Object.fromEntries(Object.entries(calls.byId).map(([id, call]) => [id, change(call)])),
});
/** A new turn keeps only what still has a card to settle: one that stands or may stand. */
function prune(calls: Calls, { posts }: State): Calls {
  const cards = calls.cards.filter((id) => posts[`card/${id}`]);
  return { byId: Object.fromEntries(Object.entries(calls.byId).filter(([id]) => cards.includes(id))), cards };
}

function made(turn: number, step: number, index: number, call: { tool: string; input: JsonObject; broken?: string }): [CallId, Call] {
  const id = callId(turn, step, index);
  const base: Call = {
    id,
    turn,
    step,
    index,
    tool: call.tool,
    input: call.input,
    status: "new",
    gate: null,
    asked: null,
    votes: [],
    edited: null,
    decided: null,
    starts: 0,
    outcome: null,
    result: null,
    late: false,
  };
  return [id, call.broken === undefined ? base : done(base, "broken", `Not run: ${call.broken}`)];
}

const done = (call: Call, outcome: NonNullable<Call["outcome"]>, text: string, decided: Decided | null = call.decided): Call => ({
  ...call,
  status: "done",
  outcome,
  decided,
  result: { content: text, failed: outcome !== "answered" },
});

function gated(call: Call, gate: Verdict, at: number): Call {
  if (gate.verdict === "deny") return { ...done(call, "denied", gate.reason, { how: "denied", by: [], at, reason: gate.reason }), gate };
  return gate.verdict === "allow" ? { ...call, gate, status: "allowed" } : { ...call, gate, status: "asked", asked: at };
}

function stopped(call: Call, by: Speaker, at: number): Call {
  const ran = call.status === "started" || call.status === "waiting";
  const text = ran ? "Stopped while it ran: outcome unknown, check first." : "Stopped before it ran.";
  return done(call, "stopped", `${text} ${by.name} stopped the turn.`, call.decided ?? { how: "stopped", by: [by], at, reason: "" });
}

function decide(call: Call, event: Extract<Event, { type: "approval.decided" }>): Call {
  const { by, at } = event;
  const gate = call.gate;
  if (!gate) return call;
  switch (event.verdict) {
    case "deny": {
      const why = event.reason ? `: ${event.reason}` : ".";
      const text = `Denied by ${by.name}${why} Do not try the same call again; find another way or ask.`;
      return done(call, "denied", text, { how: "denied", by: [by], at, reason: event.reason });
    }
    case "answer": {
      const decided: Decided = { how: "answered", by: [by], at, reason: event.text, ...(event.message ? { message: event.message } : {}) };
      return done(call, "answered", `${by.name} (${by.id}) answered: ${event.text}`, decided);
    }
    case "approve":
      return vote(call, gate, [...call.votes, by], at);
    case "edit": {
      const edited = { by, from: call.edited?.from ?? call.input };
      const { preview: _, previewed: __, ...kept } = gate;
      const { preview, previewed } = event;
      const shown = preview === undefined || previewed === undefined ? {} : { preview, previewed };
      const next = { ...kept, ...shown, digest: event.newDigest, code: event.newCode };
      return vote({ ...call, input: event.input, edited, gate: next }, next, [by], at);
    }
  }
}

function vote(call: Call, gate: Verdict, votes: Speaker[], at: number): Call {
  const agreed = gate.consent === undefined || votes.some(({ id }) => id === gate.consent?.by);
  if (votes.length < gate.quorum || !agreed) return { ...call, votes };
  return { ...call, votes, status: "allowed", decided: { how: "approved", by: votes, at, reason: "" } };
}
