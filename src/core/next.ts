/**
 * What can be done now: all ready actions, each with the subject it needs for itself. Pure; the loop that performs them is the harness's.
 *
 * N1. `running` holds the busy subjects. A crash empties it: resuming is the same as going on.
 * N2. With an open decision no step opens. Shows run beside work, and in order within their kind.
 * N3. `stale` tells which running action has been overtaken (a stop): it is aborted and gives up its subject at once.
 */
import { toRemove, wanted } from "./attached.ts";
import { type Call, decisionOf, openCalls } from "./calls.ts";
import type { CallId, FileKey, SlotKey } from "./id.ts";
import type { Post } from "./posts.ts";
import { makesRoom } from "./room.ts";
import { type Slot, slots } from "./slots.ts";
import type { State } from "./state.ts";
import { failures, isOpen, mustAnswer, type Timer } from "./talk.ts";

export type Action =
  | { do: "step"; subject: "talk"; turn: number; step: number; upTo: number; attempt: number }
  | { do: "compact"; subject: "talk" }
  | { do: "trim"; subject: "talk"; upTo: number }
  | { do: "clip"; subject: "talk"; upTo: number; share: number }
  | { do: "end"; subject: "talk"; turn: number; why: "steps" | "attempts" | "interrupted" | "overflow" }
  | { do: "gate"; subject: "talk"; calls: CallId[] }
  | { do: "close"; subject: "talk"; turn: number }
  | { do: "run" | "spawn" | "recover" | "expire"; subject: `call/${CallId}`; call: CallId }
  | { do: "show"; subject: `slot/${SlotKey}`; slot: SlotKey; mode: "post" | "edit" | "hide" | "look"; mark: boolean }
  | { do: "fetch" | "discard"; subject: `file/${FileKey}`; file: FileKey }
  | { do: "fire"; subject: `timer/${string}`; timer: string };
export type Subject = Action["subject"];

export interface Limits {
  /** Steps in one turn. */
  steps: number;
  /** Attempts at one step that may fail before the turn does. */
  attempts: number;
  /** Input tokens the model takes. */
  window: number;
  /** The home is paused: nothing is begun, and what is there already goes on being shown. */
  paused?: boolean;
}
/** Used where no turn's own limits are known: to tell whether a session rests. */
export const LIMITS: Limits = { steps: 50, attempts: 8, window: 200_000 };

/** Overflows of one step: after the first it is summarised, after the second clipped. */
const OVERFLOWS = 2;
/** How often a post in doubt was found missing before it is sent again, marked: when it failed, then at two looks. */
const LOOKS = 3;
/** Helpers of one session that work at the same time; the others wait for their turn. */
const SIDE_BY_SIDE = 4;
/** For each attempt that may fail so many may be cut short: those are not the model's fault, but a step that ends its process must not go on for ever. */
const INTERRUPTED = 3;
const NOTHING: ReadonlySet<Subject> = new Set();
/** What a pause holds back: all that costs or does something. */
const BEGINS: ReadonlySet<Action["do"]> = new Set(["step", "compact", "trim", "clip", "gate", "run", "spawn", "recover", "fetch", "fire"]);

export function next(state: State, now: number, running: ReadonlySet<Subject>, limits: Limits): Action[] {
  if (!state.opened) return [];
  const all = [
    ...talkActions(state, now, limits),
    ...callActions(state, now),
    ...showActions(state, now),
    ...toRemove(state.attached).map(({ key }): Action => ({ do: "discard", subject: `file/${key}`, file: key })),
    ...timerActions(state, now),
  ];
  return all.filter((action) => !running.has(action.subject) && !(limits.paused && BEGINS.has(action.do)));
}

function talkActions(state: State, now: number, limits: Limits): Action[] {
  const { talk, calls } = state;
  const fresh = Object.values(calls.byId).filter((call) => call.status === "new");
  if (talk.phase === "ended") return answered(state) ? [{ do: "close", subject: "talk", turn: talk.turn }] : [];
  if (fresh.length) return [{ do: "gate", subject: "talk", calls: fresh.map((call) => call.id) }];
  const ready =
    (talk.phase === "idle" && mustAnswer(talk)) ||
    (talk.phase === "thinking" && (talk.retryAt ?? 0) <= now) ||
    (talk.phase === "acting" && openCalls(calls).length === 0);
  if (!ready) return [];
  const why = endsBecause(state, limits);
  if (why) return [{ do: "end", subject: "talk", turn: talk.turn, why }];
  const files = wanted(state.attached);
  if (files.length) return files.map(({ key }) => ({ do: "fetch", subject: `file/${key}`, file: key }));
  const room = makesRoom(state, now, limits);
  if (room) return [room];
  if (talk.phase === "thinking" && state.context.forced && talk.overflows > 1)
    return [{ do: "end", subject: "talk", turn: talk.turn, why: "overflow" }];
  const idle = talk.phase === "idle";
  const turn = idle ? talk.turn + 1 : talk.turn;
  const step = idle ? 1 : talk.phase === "thinking" ? talk.step : talk.step + 1;
  return [{ do: "step", subject: "talk", turn, step, upTo: talk.received, attempt: talk.phase === "thinking" ? failures(talk) + 1 : 1 }];
}

function endsBecause({ talk }: State, limits: Limits): "steps" | "attempts" | "interrupted" | "overflow" | undefined {
  if (talk.phase === "acting" && talk.step >= limits.steps) return "steps";
  if (talk.phase !== "thinking") return undefined;
  if (talk.overflows > OVERFLOWS) return "overflow";
  if (talk.interrupted >= limits.attempts * INTERRUPTED) return "interrupted";
  return failures(talk) >= limits.attempts ? "attempts" : undefined;
}

/** What was asked, what an answer says and the files that were handed over are shown, or were given up, before the turn closes. */
function answered(state: State): boolean {
  return slots(state).every((slot) => !CLOSING.has(slot.kind) || stands(state.posts[slot.key]));
}
const CLOSING = new Set<Slot["kind"]>(["asked", "answer", "file"]);
const stands = (post: Post | undefined): boolean => post !== undefined && (post.ref !== null || post.gaveUp);

function callActions({ calls }: State, now: number): Action[] {
  const open = openCalls(calls);
  let free = SIDE_BY_SIDE - open.filter((call) => call.status === "waiting").length;
  return open.flatMap((call) => {
    const what = callAction(call, now);
    if (what === "spawn" && free-- <= 0) return [];
    return what ? [{ do: what, subject: `call/${call.id}` as const, call: call.id }] : [];
  });
}
function callAction(call: Call, now: number): "run" | "spawn" | "recover" | "expire" | undefined {
  if (call.status === "allowed") return call.gate?.helper ? "spawn" : "run";
  if (call.status === "started") return "recover";
  return (decisionOf(call)?.expires ?? Number.POSITIVE_INFINITY) <= now ? "expire" : undefined;
}

function showActions(state: State, now: number): Action[] {
  const wanted = slots(state);
  const keys = new Set(wanted.map((slot) => slot.key));
  const held = new Set<string>();
  const shows = wanted.flatMap((slot) => {
    const post = state.posts[slot.key];
    const mode = post ? modeFor(slot, post) : ("post" as const);
    const isNew = !stands(post);
    // What was asked is read first.
    const waits = isNew && (held.has(slot.kind) || held.has("asked"));
    if (isNew) held.add(slot.kind);
    return mode && !waits && Math.max(post?.until ?? 0, slot.due ?? 0) <= now
      ? [show(slot.key, mode, post !== undefined && doubtful(post))]
      : [];
  });
  const leftovers = Object.entries(state.posts).flatMap(([key, post]) => {
    if (keys.has(key) || post.final || post.gaveUp || post.until > now || !(post.ref || post.sending)) return [];
    return [show(key, post.ref || post.looks >= LOOKS ? "hide" : "look", false)];
  });
  return [...shows, ...leftovers];
}
/** Whether an earlier copy may stand. A repeat that was refused does not take that doubt away. */
const doubtful = (post: Post): boolean => post.mark || post.looks >= LOOKS;
const show = (slot: SlotKey, mode: "post" | "edit" | "hide" | "look", mark: boolean): Action => ({
  do: "show",
  subject: `slot/${slot}`,
  slot,
  mode,
  mark,
});
function modeFor(slot: Slot, post: Post): "post" | "edit" | "look" | undefined {
  if (post.gaveUp) return undefined;
  if (post.ref) return post.digest === slot.digest ? undefined : "edit";
  return post.sending && post.looks < LOOKS ? "look" : "post";
}

/** Of what people were asked and have settled nobody is reminded. */
const timersOf = ({ talk, calls }: Pick<State, "talk" | "calls">): readonly Timer[] =>
  talk.timers.filter(({ call }) => call === undefined || calls.byId[call]?.status === "asked");

function timerActions(state: State, now: number): Action[] {
  return timersOf(state)
    .filter(({ due }) => due <= now)
    .map(({ id }) => ({ do: "fire", subject: `timer/${id}`, timer: id }));
}

/** Whether a running action has been overtaken by what happened since it began. */
export function stale(state: State, action: Action): boolean {
  const { talk, calls } = state;
  switch (action.do) {
    case "step":
      return (
        !(talk.phase === "thinking" && talk.turn === action.turn && talk.step === action.step) &&
        !(talk.turn < action.turn || (talk.turn === action.turn && talk.step < action.step))
      );
    case "compact":
    case "trim":
    case "clip":
      return talk.phase === "ended";
    case "gate":
      return !isOpen(talk);
    case "run":
    case "spawn":
    case "recover": {
      const call = calls.byId[action.call];
      // What an answer makes ready is begun while the answer is recorded: its call may not be there yet.
      return call ? call.status === "done" : !isOpen(talk) || !action.call.startsWith(`${talk.turn}.`);
    }
    case "fetch":
      return state.attached[action.file]?.status !== "wanted";
    default:
      return false;
  }
}

/** The earliest time at which `next` may say something that it does not say now. */
export function wakeAt(state: State, now: number): number | null {
  const { talk, calls, posts, context, digest } = state;
  const wanted = new Set(slots(state).map(({ key }) => key));
  const times = [
    digest?.due ?? null,
    talk.phase === "thinking" ? talk.retryAt : null,
    context.forced ? context.restUntil : null,
    ...openCalls(calls).map((call) => decisionOf(call)?.expires ?? null),
    // What was refused and is not wanted any more is waited for by nobody.
    ...Object.entries(posts).map(([key, post]) => (post.gaveUp || !(wanted.has(key) || post.ref || post.sending) ? null : post.until)),
    ...timersOf({ talk, calls }).map((timer) => timer.due),
  ].filter((time): time is number => time !== null && time > now);
  return times.length ? Math.min(...times) : null;
}

/** Whether nothing can be done now, and when to look again. */
export function rest(state: State, now: number): { settled: boolean; wakeAt: number | null } {
  return { settled: next(state, now, NOTHING, LIMITS).length === 0, wakeAt: wakeAt(state, now) };
}
