/** A conversation that has been going on: turns of a question, a call, its result and an answer, four messages each. */
import type { Event, Received, Speaker } from "../../src/core/event.ts";
import { postKey, type SessionId } from "../../src/core/id.ts";
import type { Journal, Message, Opening } from "../../src/core/ports.ts";
import { INITIAL, reduce, type State } from "../../src/core/state.ts";
import { transcript } from "../../src/core/transcript.ts";
import { lookup, TOOL, WORDS } from "./lookup.ts";

export const ANN: Speaker = { id: "bench:ann", name: "Ann", kind: "member" };
export const HOME = "bench-T";
const NOON = Date.UTC(2025, 0, 6, 12);
const TOGETHER = 50;

export const opening = (thread: string): Opening => ({
  home: HOME,
  scope: "team",
  place: { platform: "bench", team: "T", channel: "C", thread },
  code: `code-${thread}`,
});
export const sessionOf = (thread: string): SessionId => `bench:T:C:${thread}`;

const asked = (turn: number): Received => ({
  type: "message.received",
  at: NOON + turn * 60_000,
  id: `h${turn}`,
  by: ANN,
  text: `Question ${turn}: what did we decide about the import of old accounts, and who wanted to look at the invoices?`,
  heard: false,
});

/** What the harness records for one turn, as it does with a model that calls so many times, one call a step, and then answers. */
function recorded(turn: number, session: SessionId, calls = 1): Event[] {
  const at = NOON + turn * 60_000;
  const ref = (slot: string) => ({ channel: "C", message: `${session}/${slot}` });
  const posted = (slot: string, digest: string, final: boolean): Event[] => [
    { type: "post.started", at, slot, key: postKey(session, slot, 0, ""), mark: false },
    { type: "post.shown", at, slot, ref: ref(slot), digest, final },
  ];
  const progress = `progress/${turn}`;
  const steps = Array.from({ length: calls }, (_, n) => called(turn, n + 1, n === 0 ? posted(progress, "open", false) : []));
  const last = calls + 1;
  return [
    ...steps.flat(),
    { type: "step.opened", at, turn, step: last, upTo: turn },
    { type: "model.answered", at, turn, step: last, content: [SAID], calls: [], usage: USAGE },
    { type: "turn.ended", at, turn, how: "answered", text: WORDS, cuts: [] },
    ...posted(`answer/${turn}/0`, "x", true),
    { type: "turn.closed", at, turn },
    { type: "post.shown", at, slot: progress, ref: ref(progress), digest: "folded", final: true },
  ];
}

const SAID = { type: "text", text: WORDS };
const USAGE = { model: "bench", input: 1_000, output: 60, cacheRead: 0, cacheWrite: 0 };

/** One step with its call. */
function called(turn: number, step: number, shown: Event[]): Event[] {
  const at = NOON + turn * 60_000;
  const call = `${turn}.${step}.0`;
  const input = { topic: `the accounts and invoices of week ${turn}`, left: 0 };
  const gate = { verdict: "allow", label: TOOL.name, digest: `d${turn}`, reason: "", risky: false, helper: false, quorum: 1 } as const;
  const more = { expires: null, code: `k${call}`, level: "approve", notBy: null, deciders: "", subject: "*" } as const;
  const content = [SAID, { type: "tool_use", id: `t${call}`, name: TOOL.name, input }];
  return [
    { type: "step.opened", at, turn, step, upTo: turn },
    { type: "model.answered", at, turn, step, content, calls: [{ tool: TOOL.name, input }], usage: USAGE },
    { type: "call.gated", at, call, ...gate, ...more, offers: [] },
    ...shown,
    { type: "call.started", at, call, digest: `d${turn}` },
    { type: "call.finished", at, call, content: lookup(input), failed: false },
  ];
}

/** Every event of a session with so many turns, in order. */
export function eventsOf(turns: number, session: SessionId, thread: string, calls = 1): Event[] {
  const opened: Event = { type: "session.opened", at: NOON, ...opening(thread) };
  return [opened, ...Array.from({ length: turns }, (_, n) => [asked(n + 1), ...recorded(n + 1, session, calls)]).flat()];
}

export const fold = (events: readonly Event[]): State => events.reduce(reduce, INITIAL);

/** The same conversation as a bare loop would hold it. */
export const messagesOf = (turns: number): Message[] => transcript(fold(eventsOf(turns, sessionOf("h"), "h")));

/** Writes such a session into a journal. */
export async function seed(journal: Journal, thread: string, turns: number): Promise<void> {
  const session = sessionOf(thread);
  const lease = await journal.lease(session);
  if (!lease) throw new Error(`${session} is held by another`);
  for (let turn = 1; turn <= turns; ) {
    const waiting: Promise<unknown>[] = [];
    for (let n = 0; n < TOGETHER && turn <= turns; n++, turn++) {
      waiting.push(journal.receive(session, `m:h${turn}`, asked(turn), opening(thread)));
      waiting.push(journal.record(lease, [[session, recorded(turn, session)]]).then(taken));
    }
    await Promise.all(waiting);
  }
  await journal.release(lease);
}

function taken(yes: boolean): void {
  if (!yes) throw new Error("the history does not apply: it is not what the harness would write");
}
