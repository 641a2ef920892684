/**
 * The only guard: whether an event changes a state as it is now. The fold ignores what does not apply, the journal refuses to record it.
 * Everything that was decided on an older state (a stop or a revocation may have landed since) is caught here.
 */
import { openCalls, openQuestion } from "./calls.ts";
import type { Event } from "./event.ts";
import type { State } from "./state.ts";
import { isOpen, mustAnswer, revision } from "./talk.ts";

export function applies(state: State, event: Event): boolean {
  if (event.type === "session.opened") return state.opened === undefined;
  if (event.type === "grant.given") return !state.grants.some((grant) => grant.id === event.grant.id);
  if (event.type === "grant.revoked" || event.type === "grant.used") return state.grants.some((grant) => grant.id === event.id);
  if (event.type === "tool.pinned") return state.pins[event.tool]?.pin !== event.pin;
  if (event.type === "home.paused") return state.paused === null;
  if (event.type === "home.resumed") return state.paused !== null;
  if (event.type === "person.told") return !state.told.includes(event.person);
  if (event.type === "session.retired") return true;
  return state.opened !== undefined && (appliesToTalk(state, event) ?? appliesToCall(state, event) ?? appliesToRest(state, event));
}

function appliesToTalk({ talk, calls }: State, event: Event): boolean | undefined {
  switch (event.type) {
    case "message.received":
    case "message.deleted":
    case "noted":
      return true;
    case "message.edited":
      return event.rev > (revision(talk, event.id) ?? Number.NEGATIVE_INFINITY);
    case "message.withdrawn":
      return talk.queue.some((item) => item.id === event.id && item.kind === "message");
    case "turn.stopped":
      return isOpen(talk) || (talk.phase === "idle" && mustAnswer(talk));
    case "step.opened":
      return stepApplies(talk, event) && openCalls(calls).length === 0;
    case "step.failed":
    case "model.answered":
      return talk.phase === "thinking" && event.turn === talk.turn && event.step === talk.step;
    case "turn.ended":
      return isOpen(talk) && event.turn === talk.turn && openCalls(calls).length === 0;
    case "turn.closed":
      return talk.phase === "ended" && event.turn === talk.turn;
    case "timer.set":
      return !talk.timers.some(({ id }) => id === event.id);
    case "timer.fired":
      return talk.timers.some(({ id }) => id === event.id);
    default:
      return undefined;
  }
}

function stepApplies(talk: State["talk"], { turn, step, upTo }: Extract<Event, { type: "step.opened" }>): boolean {
  switch (talk.phase) {
    case "idle":
      return turn === talk.turn + 1 && step === 1 && talk.queue.some((item) => item.must && item.n <= upTo);
    case "thinking":
      return turn === talk.turn && step === talk.step;
    case "acting":
      return turn === talk.turn && step === talk.step + 1;
    case "ended":
      return false;
  }
}

function appliesToCall({ calls }: State, event: Event): boolean | undefined {
  if (!("call" in event)) return undefined;
  const call = calls.byId[event.call];
  if (!call) return false;
  switch (event.type) {
    case "call.gated":
      return call.status === "new";
    case "approval.decided": {
      const open = openQuestion(call);
      if (open) return open.digest === event.digest && (event.verdict === "answer" || event.verdict === "deny");
      if (call.status !== "asked" || call.gate?.digest !== event.digest) return false;
      if (event.verdict === "approve") return call.gate.verdict === "ask" && !call.votes.some((by) => by.id === event.by.id);
      if (event.verdict === "answer") return call.gate.verdict === "question";
      return event.verdict === "deny" || call.gate.verdict === "ask";
    }
    case "approval.expired":
      return call.status === "asked";
    case "call.started":
      return (call.status === "allowed" || call.status === "started") && call.gate?.digest === event.digest;
    case "call.waiting":
      return call.status === "allowed";
    case "call.asked":
      return call.status === "started";
    case "tokens.spent":
      return true;
    case "call.finished":
      return ["allowed", "started", "waiting"].includes(call.status) || (call.outcome === "stopped" && !call.late);
    default:
      return undefined;
  }
}

function appliesToRest(state: State, event: Event): boolean {
  switch (event.type) {
    case "digest.told":
      return state.digest === null;
    case "digest.undone":
      return state.digest?.lines.some((line) => line.n === event.n && line.edit === event.edit && !line.undone) ?? false;
    case "file.fetched":
      return state.attached[event.file]?.status === "wanted";
    case "file.removed":
      return state.attached[event.file]?.status === "unwanted";
    case "post.started":
      return !state.posts[event.slot]?.ref;
    case "post.shown":
    case "post.failed":
    case "post.hidden":
      return state.posts[event.slot] !== undefined;
    case "context.trimmed":
      return event.upTo > state.context.trimmed && event.upTo <= settledEntries(state);
    case "context.clipped": {
      const { clip } = state.context;
      return event.upTo <= settledEntries(state) && (!clip || event.upTo > clip.upTo || event.share < clip.share);
    }
    case "context.compacted":
      return event.cut > state.context.cut && event.cut <= settledEntries(state) && event.redactions === state.context.redactions;
    default:
      return true;
  }
}

/** How many entries have all their results inside: only those can go behind the cut. */
export function settledEntries({ talk }: State): number {
  const at = talk.entries.findLastIndex((entry) => entry.as === "answer" && entry.calls === null);
  return at < 0 ? talk.entries.length : at;
}
