/**
 * The calls of the open turn, and cards of earlier ones that are not settled yet. A call's result lives inside it:
 * a call without a result cannot be written down for the model.
 *
 * C1. The first result wins. What arrives after a stop becomes a note (talk.ts).
 * C2. One person counts once; the first decision wins; an edit starts the votes again, with its editor's.
 * C4. Whose words would leave a private place has to be among those who approved. Who only agrees to that does not count for the quorum.
 * C6. A quorum is of one platform's people: nobody can tell that ids on two of them are not the same person. What was asked before this
 *     was so is decided as it was asked (`apart`).
 * C3. A call cut off inside its input is done at once: not run.
 * C5. What a running call asks people keeps it open; answered, declined or expired, it may go on. Each question has a card of its own.
 */
import type { Asking, Event, JsonObject, Result, Speaker, Verdict } from "./event.ts";
import type { Handed } from "./file.ts";
import { type CallId, callId } from "./id.ts";
import type { State } from "./state.ts";

export interface Decided {
  how: "approved" | "denied" | "answered" | "expired" | "stopped";
  by: Speaker[];
  at: number;
  reason: string;
  /** The reply that answered a question. */
  message?: string;
  /** What was written into the form of a question. */
  values?: JsonObject;
}
/** A question of a running call, and what became of it. */
export interface Asked extends Asking {
  at: number;
  answered: Decided | null;
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
  votes: readonly Vote[];
  edited: { by: Speaker; from: JsonObject } | null;
  decided: Decided | null;
  /** What it asked people while it ran; only the last can be open. */
  questions: readonly Asked[];
  starts: number;
  outcome: "ran" | "denied" | "expired" | "stopped" | "broken" | "answered" | null;
  result: Result | null;
  /** A result came after the stop and was noted. */
  late: boolean;
  /** It changed the home, and that can be taken back. */
  undoable?: true;
  /** People were reminded that it waits. */
  reminded?: true;
  /** What it hands to people. */
  file?: Handed;
}
/** Who approved; `agrees`: only that their words leave. */
export interface Vote extends Speaker {
  agrees?: true;
}
export interface Calls {
  byId: Readonly<Record<CallId, Call>>;
  /** Cards that are not settled, in order: a call, or `<call>/<n>` for its nth question. */
  cards: readonly string[];
}
export const NO_CALLS: Calls = { byId: {}, cards: [] };

/** The calls of an answer, wherever they are kept. */
export const callsOf = (answer: { turn: number; step: number; calls: readonly Call[] | null }, { byId }: Calls): readonly Call[] =>
  answer.calls ?? Object.values(byId).filter((call) => call.turn === answer.turn && call.step === answer.step);
export const openCalls = (calls: Calls): Call[] => Object.values(calls.byId).filter((call) => call.status !== "done");
export const openDecisions = (calls: Calls): Call[] => openCalls(calls).filter((call) => call.status === "asked");
/** What a call asks people while it runs, if it waits for them. */
export const openQuestion = ({ status, questions }: Call): Asked | undefined => (status === "asked" ? questions.at(-1) : undefined);
/** What people are asked at this moment: what a call that runs wants to know, or whether it may run. */
export const decisionOf = (call: Call): { digest: string; code: string; expires: number | null } | undefined =>
  openQuestion(call) ?? (call.status === "asked" ? (call.gate ?? undefined) : undefined);
/** A card's call, and which of its questions it shows; 0: whether it may run. */
export function cardOf(card: string): { call: CallId; question: number } {
  const [call = "", question = "0"] = card.split("/");
  return { call, question: Number(question) };
}

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
        openQuestion(call)
          ? told(call, { how: "expired", by: [], at: event.at, reason: "" })
          : done(call, "expired", "Nobody decided in time, so it was not run.", { how: "expired", by: [], at: event.at, reason: "" }),
      );
    case "timer.fired": {
      const reminds = state.talk.timers.find(({ id }) => id === event.id)?.call;
      return reminds ? one(calls, reminds, (call) => (call.status === "asked" ? { ...call, reminded: true } : call)) : calls;
    }
    case "call.started":
      return one(calls, event.call, (call) => ({ ...call, status: "started", starts: call.starts + 1 }));
    case "call.waiting":
      return one(calls, event.call, (call) => ({ ...call, status: "waiting" }));
    case "call.asked":
      return ask(calls, event);
    case "call.finished":
      return one(calls, event.call, (call) => finished(call, event));
    default:
      return calls;
  }
}

function finished(call: Call, { content, failed, undoable, file }: Extract<Event, { type: "call.finished" }>): Call {
  if (call.status === "done") return { ...call, late: true };
  const more = { ...(undoable ? { undoable } : {}), ...(file ? { file } : {}) };
  return { ...call, status: "done", outcome: "ran", result: { content, failed }, ...more };
}

function ask(calls: Calls, { type: _, at, call: id, ...asking }: Extract<Event, { type: "call.asked" }>): Calls {
  const asked: Asked = { ...asking, at, answered: null };
  const next = one(calls, id, (call) => ({ ...call, status: "asked", asked: at, questions: [...call.questions, asked] }));
  return { ...next, cards: [...next.cards, `${id}/${next.byId[id]?.questions.length ?? 0}`] };
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
  const kept = new Set(cards.map((card) => cardOf(card).call));
  return { byId: Object.fromEntries(Object.entries(calls.byId).filter(([id]) => kept.has(id))), cards };
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
    questions: [],
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
  const ran = call.status === "started" || call.status === "waiting" || call.questions.length > 0;
  const text = ran ? "Stopped while it ran: outcome unknown, check first." : "Stopped before it ran.";
  const decided: Decided = { how: "stopped", by: [by], at, reason: "" };
  return done(openQuestion(call) ? told(call, decided) : call, "stopped", `${text} ${by.name} stopped the turn.`, call.decided ?? decided);
}

/** The open question is settled, and the call may go on. */
const told = (call: Call, answered: Decided): Call => ({
  ...call,
  status: "allowed",
  questions: call.questions.map((asked, index) => (index === call.questions.length - 1 ? { ...asked, answered } : asked)),
});

function decide(call: Call, event: Extract<Event, { type: "approval.decided" }>): Call {
  const { by, at } = event;
  const gate = call.gate;
  if (!gate) return call;
  if (openQuestion(call)) return answered(call, event);
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
      return vote(call, gate, [...call.votes, voteOf(event)], at);
    case "edit": {
      const edited = { by, from: call.edited?.from ?? call.input };
      const { preview: _, previewed: __, ...kept } = gate;
      const { preview, previewed } = event;
      const shown = preview === undefined || previewed === undefined ? {} : { preview, previewed };
      const next = { ...kept, ...shown, digest: event.newDigest, code: event.newCode };
      return vote({ ...call, input: event.input, edited, gate: next }, next, [voteOf(event)], at);
    }
  }
}

function answered(call: Call, event: Extract<Event, { type: "approval.decided" }>): Call {
  const { by, at } = event;
  if (event.verdict === "deny") return told(call, { how: "denied", by: [by], at, reason: event.reason });
  if (event.verdict !== "answer") return call;
  return told(call, { how: "answered", by: [by], at, reason: event.text, ...(event.values ? { values: event.values } : {}) });
}

/** Everybody who has to agree. */
export const asksOf = (consent: Verdict["consent"]): string[] => (consent ? [consent.by, ...(consent.also ?? [])] : []);

const voteOf = ({ by, agrees }: { by: Speaker; agrees?: true }): Vote => ({ ...by, ...(agrees ? { agrees } : {}) });
export const deciding = (votes: readonly Vote[]): Vote[] => votes.filter(({ agrees }) => !agrees);
const platformOf = ({ id }: Speaker): string => id.slice(0, id.indexOf(":"));
/** How many of a quorum there are (C6). */
export function counted(votes: readonly Vote[], { apart }: Pick<Verdict, "apart">): number {
  if (!apart) return votes.length;
  const all = deciding(votes).map(platformOf);
  return Math.max(0, ...all.map((platform) => all.filter((other) => other === platform).length));
}

function vote(call: Call, gate: Verdict, votes: Vote[], at: number): Call {
  const agreed = asksOf(gate.consent).every((person) => votes.some(({ id }) => id === person));
  if (counted(votes, gate) < gate.quorum || !agreed) return { ...call, votes };
  return { ...call, votes, status: "allowed", decided: { how: "approved", by: deciding(votes), at, reason: "" } };
}
