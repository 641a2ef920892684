/**
 * The talk: what was said, what waits to be taken up, and where the turn stands.
 *
 * T1. Receiving only queues. Only `step.opened` takes the queue into the entries (or a stop, into a stopped turn), so nothing is folded
 *     before an answer that did not see it.
 * T2. An edit of a queued message corrects it; of a seen one it becomes a correction, which must be answered only while the message's turn is open.
 * T3. A deleted message leaves the queue, or is redacted in the entries from then on. Edits and deletions may come before their message.
 * T4. An entry, once there, changes only by redaction, or when its calls, all done, move into it.
 */
import { type Attached, type Told, toldOf } from "./attached.ts";
import { type Call, type Calls, unsaid } from "./calls.ts";
import type { Block, Event, How, Speaker } from "./event.ts";
import type { Attachment } from "./file.ts";
import type { CallId } from "./id.ts";
import type { State } from "./state.ts";

export interface Item {
  /** Counts what was ever queued; `step.opened` takes everything up to one. */
  n: number;
  kind: "message" | "edit" | "note" | "timer";
  id: string;
  by: Speaker;
  text: string;
  at: number;
  rev: number;
  /** Must be answered: opens a turn, or another step. */
  must: boolean;
  /** Was said before the agent was called here. */
  before?: true;
  /** Names the agent, or was said to it alone: it is owed an answer that can be seen. */
  direct?: true;
  /** Said in a form: shown in the thread, where it does not stand by itself. */
  unseen?: true;
  /** What its author had open beside it. */
  viewing?: string;
  files?: readonly Attachment[];
}
export type Said = Omit<Item, "n" | "files"> & { turn: number; gone?: true; files?: readonly Told[] };
export type Entry = ({ as: "said" } & Said) | { as: "answer"; turn: number; step: number; content: Block[]; calls: readonly Call[] | null };

/** How a turn ended, kept until the next one ends. */
export interface Ending {
  turn: number;
  how: How;
  text: string;
  cuts: number[];
  /** Shown up to there, the whole as a file. */
  head?: number;
  at: number;
  /** Whether it used tools: then its progress message stays, folded. */
  tools: boolean;
  /** It changed the home, and that can be taken back. */
  undoable?: true;
}
export interface Timer {
  id: string;
  due: number;
  text: string;
  call?: CallId;
}
type Early = Record<string, { rev: number; text: string } | "gone">;

export interface Talk {
  phase: "idle" | "thinking" | "acting" | "ended";
  turn: number;
  step: number;
  attempts: number;
  /** Of the attempts: those that were cut short with their process, and did not fail. */
  interrupted: number;
  retryAt: number | null;
  overflows: number;
  received: number;
  queue: readonly Item[];
  entries: readonly Entry[];
  /** Whom this turn is for, and since when it runs. */
  by: Speaker | null;
  since: number;
  ending: Ending | null;
  early: Early;
  timers: readonly Timer[];
  /** Ids of people who have addressed the agent here, and of those who spoke without ever doing so. */
  talkers: readonly string[];
  others: readonly string[];
}

export const NO_TALK: Talk = {
  phase: "idle",
  turn: 0,
  step: 0,
  attempts: 0,
  interrupted: 0,
  retryAt: null,
  overflows: 0,
  received: 0,
  queue: [],
  entries: [],
  by: null,
  since: 0,
  ending: null,
  early: {},
  timers: [],
  talkers: [],
  others: [],
};
const SYSTEM: Speaker = { id: "system", name: "system", kind: "system" };

export function reduceTalk(talk: Talk, event: Event, state: State): Talk {
  switch (event.type) {
    case "message.received":
      return heardFrom(receive(talk, event), event);
    case "message.edited":
      return edit(talk, event);
    case "message.deleted":
      return remove(talk, event.id);
    case "message.withdrawn":
      return { ...talk, queue: talk.queue.filter((item) => item.id !== event.id) };
    case "turn.stopped":
      return stop(talk, event, state);
    case "noted":
      return note(talk, event.text, event.at);
    case "step.opened":
      return open(talk, event, state);
    case "step.failed":
      return { ...talk, retryAt: event.retryAt, overflows: talk.overflows + (event.overflow ? 1 : 0) };
    case "model.answered": {
      const calls = event.calls.length ? null : [];
      const entry: Entry = { as: "answer", turn: event.turn, step: event.step, content: event.content, calls };
      return { ...talk, phase: "acting", attempts: 0, interrupted: 0, retryAt: null, overflows: 0, entries: [...talk.entries, entry] };
    }
    case "turn.ended": {
      const ended = end(talk, event, state.calls);
      return event.how === "failed" || event.how === "limit" ? note(ended, `The turn ended: ${event.text}`, event.at) : ended;
    }
    case "turn.closed":
      return { ...talk, phase: "idle", timers: talk.timers.filter(({ call }) => call === undefined) };
    case "timer.set":
      return { ...talk, timers: [...talk.timers, timerOf(event)] };
    case "timer.fired": {
      const timer = talk.timers.find(({ id }) => id === event.id);
      const rest = { ...talk, timers: talk.timers.filter(({ id }) => id !== event.id) };
      return timer && timer.call === undefined
        ? push(rest, { kind: "timer", id: timer.id, by: SYSTEM, text: timer.text, at: event.at, rev: 0, must: true })
        : rest;
    }
    case "call.finished": {
      const call = state.calls.byId[event.call];
      if (call?.status !== "done") return talk;
      const text = typeof event.content === "string" ? event.content : JSON.stringify(event.content);
      return note(
        talk,
        `After it was stopped, ${call.tool} still ${event.failed ? "failed" : "finished"}: ${text.slice(0, 2000)}`,
        event.at,
      );
    }
    default:
      return talk;
  }
}

export const isOpen = (talk: Talk): boolean => talk.phase === "thinking" || talk.phase === "acting";
/** How often the model failed at the open step. An attempt that failed left the time of the next; one under way, or cut short, did not. */
export const failures = ({ attempts, interrupted, retryAt }: Talk): number => attempts - interrupted - (retryAt === null ? 1 : 0);
export const mustAnswer = (talk: Talk): boolean => talk.queue.some((item) => item.must);

const push = (talk: Talk, item: Omit<Item, "n">): Talk => ({
  ...talk,
  received: talk.received + 1,
  queue: [...talk.queue, { ...item, n: talk.received + 1 }],
});
const note = (talk: Talk, text: string, at: number): Talk =>
  push(talk, { kind: "note", id: `note-${talk.received + 1}`, by: SYSTEM, text, at, rev: 0, must: false });

function receive(talk: Talk, event: Extract<Event, { type: "message.received" }>): Talk {
  const known = earlyOf(talk, event.id);
  const { [event.id]: _, ...early } = talk.early;
  if (known === "gone") return { ...talk, early };
  const { text, rev } = known ?? { text: event.text, rev: 0 };
  const { id, by, at, heard, before, direct, unseen, viewing, files } = event;
  const manner = {
    ...(before ? { before } : {}),
    ...(direct ? { direct } : {}),
    ...(unseen ? { unseen } : {}),
    ...(viewing ? { viewing } : {}),
  };
  return push({ ...talk, early }, { kind: "message", id, by, text, at, rev, must: !heard, ...manner, ...(files?.length ? { files } : {}) });
}
const timerOf = ({ id, due, text, call }: Extract<Event, { type: "timer.set" }>): Timer => ({ id, due, text, ...(call ? { call } : {}) });

function heardFrom(talk: Talk, { by, heard, before }: Extract<Event, { type: "message.received" }>): Talk {
  // Whoever spoke before the agent was called did not join what they say to it.
  if (before || talk.talkers.includes(by.id) || by.kind === "bot") return talk;
  if (!heard) return { ...talk, talkers: [...talk.talkers, by.id], others: talk.others.filter((id) => id !== by.id) };
  return talk.others.includes(by.id) ? talk : { ...talk, others: [...talk.others, by.id] };
}

/** What came before its message. An id may be any text, also the name of something that every object has. */
export const earlyOf = (talk: Talk | undefined, id: string): Early[string] | undefined =>
  talk && Object.hasOwn(talk.early, id) ? talk.early[id] : undefined;

/** The newest revision of a message that this session has, or undefined if it never came. */
export function revision(talk: Talk, id: string): number | undefined {
  const early = earlyOf(talk, id);
  if (early) return early === "gone" ? Number.POSITIVE_INFINITY : early.rev;
  const queued = talk.queue.findLast((item) => item.id === id);
  if (queued) return queued.rev;
  return saidIn(talk, id)?.rev;
}
function saidIn(talk: Talk, id: string): Said | undefined {
  const entry = talk.entries.findLast((it) => it.as === "said" && it.id === id);
  return entry?.as === "said" ? entry : undefined;
}

function edit(talk: Talk, { id, rev, text, at }: Extract<Event, { type: "message.edited" }>): Talk {
  if (talk.queue.some((item) => item.id === id))
    return { ...talk, queue: talk.queue.map((item) => (item.id === id ? { ...item, text, rev } : item)) };
  const seen = saidIn(talk, id);
  if (!seen) return { ...talk, early: { ...talk.early, [id]: { rev, text } } };
  if (seen.gone) return talk;
  return push(talk, { kind: "edit", id, by: seen.by, text, at, rev, must: seen.turn === talk.turn && isOpen(talk) });
}

function remove(talk: Talk, id: string): Talk {
  const queue = talk.queue.filter((item) => item.id !== id);
  const seen = talk.entries.some((entry) => holds(entry, id));
  if (!seen && queue.length === talk.queue.length) return { ...talk, early: { ...talk.early, [id]: "gone" } };
  return { ...talk, queue, entries: seen ? talk.entries.map((entry) => (holds(entry, id) ? redacted(entry, id) : entry)) : talk.entries };
}

/** Whether an entry has a message's words in it: it is the message, or the message answered one of its questions. */
export const holds = (entry: Entry, message: string): boolean =>
  entry.as === "said" ? entry.id === message : (entry.calls?.some((call) => call.decided?.message === message) ?? false);

function redacted(entry: Entry, message: string): Entry {
  if (entry.as === "said") {
    const { files: _, ...rest } = entry;
    return { ...rest, text: "", gone: true };
  }
  return { ...entry, calls: entry.calls?.map((call) => unsaid(call, message)) ?? null };
}

/** Moves finished calls into the answer that made them. */
function settle(entries: readonly Entry[], calls: Calls): readonly Entry[] {
  const last = entries.findLastIndex((entry) => entry.as === "answer");
  const answer = entries[last];
  if (answer?.as !== "answer" || answer.calls) return entries;
  const own = Object.values(calls.byId).filter((call) => call.turn === answer.turn && call.step === answer.step);
  return entries.with(last, { ...answer, calls: own });
}

function take(talk: Talk, upTo: number, turn: number, { calls, attached }: Taking): Talk {
  const said = talk.queue.filter((item) => item.n <= upTo).map((item) => entryOf(item, turn, attached));
  return { ...talk, entries: [...settle(talk.entries, calls), ...said], queue: talk.queue.filter((item) => item.n > upTo) };
}

/** What it is known of beside the talk when the queue is taken up. */
type Taking = Pick<State, "calls" | "attached">;

function entryOf({ n: _, files, ...item }: Item, turn: number, attached: Attached): Entry {
  return { as: "said", ...item, turn, ...(files ? { files: toldOf(item.id, files, attached) } : {}) };
}

function open(talk: Talk, event: Extract<Event, { type: "step.opened" }>, on: Taking): Talk {
  const taken = take(talk, event.upTo, event.turn, on);
  const { attempts, interrupted, retryAt } = talk.phase === "thinking" ? talk : NO_TALK;
  const tries = { attempts: attempts + 1, interrupted: interrupted + (attempts > 0 && retryAt === null ? 1 : 0) };
  const next = { ...taken, ...tries, phase: "thinking" as const, turn: event.turn, step: event.step, retryAt: null };
  if (talk.phase !== "idle") return next;
  return { ...next, by: talk.queue.find((item) => item.must)?.by ?? null, since: event.at, overflows: 0 };
}

function stop(talk: Talk, event: Extract<Event, { type: "turn.stopped" }>, on: Taking): Talk {
  const by = talk.queue.find((item) => item.must)?.by ?? null;
  const opened = isOpen(talk)
    ? talk
    : { ...take(talk, talk.received, talk.turn + 1, on), turn: talk.turn + 1, step: 0, by, since: event.at };
  const ended = end(opened, { turn: opened.turn, how: "stopped", text: `Stopped by ${event.by.name}.`, cuts: [], at: event.at }, on.calls);
  return note(ended, `${event.by.name} stopped this turn.`, event.at);
}

function end(talk: Talk, ending: Omit<Ending, "tools" | "undoable">, calls: Calls): Talk {
  const { turn, how, text, cuts, head, at } = ending;
  const own = Object.values(calls.byId).filter((call) => call.turn === turn);
  const undoable = own.some((call) => call.undoable) ? { undoable: true as const } : {};
  const beginning = head === undefined ? {} : { head };
  return {
    ...talk,
    phase: "ended",
    retryAt: null,
    ending: { turn, how, text, cuts, ...beginning, at, tools: own.length > 0, ...undoable },
  };
}
