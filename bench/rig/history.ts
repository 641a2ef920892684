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
export const MESSAGES_A_TURN = 4;

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

/** What the harness records for one turn, as it does with a model that calls once and then answers. */
function recorded(turn: number, session: SessionId): Event[] {
  const at = NOON + turn * 60_000;
  const call = `${turn}.1.0`;
  const input = { topic: `the accounts and invoices of week ${turn}`, left: 0 };
  const usage = { model: "bench", input: 1000, output: 60, cacheRead: 0, cacheWrite: 0 };
  const gate = { verdict: "allow", label: TOOL.name, digest: `d${turn}`, reason: "", risky: false, helper: false, quorum: 1 } as const;
  const more = { expires: null, code: `k${turn}`, offers: [], level: "approve", notBy: null, deciders: "", subject: "*" } as const;
  const posted = (slot: string, digest: string, final: boolean): Event[] => [
    { type: "post.started", at, slot, key: postKey(session, slot, 0), mark: false },
    { type: "post.shown", at, slot, ref: { channel: "C", message: `${session}/${slot}` }, digest, final },
  ];
  const words = { type: "text", text: WORDS };
  const progress = `progress/${turn}`;
  const folded: Event = {
    type: "post.shown",
    at,
    slot: progress,
    ref: { channel: "C", message: `${session}/${progress}` },
    digest: "folded",
    final: true,
  };
  return [
    { type: "step.opened", at, turn, step: 1, upTo: turn },
    {
      type: "model.answered",
      at,
      turn,
      step: 1,
      content: [words, { type: "tool_use", id: `t${turn}`, name: TOOL.name, input }],
      calls: [{ tool: TOOL.name, input }],
      usage,
    },
    { type: "call.gated", at, call, ...gate, ...more, offers: [] },
    ...posted(progress, "open", false),
    { type: "call.started", at, call, digest: `d${turn}` },
    { type: "call.finished", at, call, content: lookup(input), failed: false },
    { type: "step.opened", at, turn, step: 2, upTo: turn },
    { type: "model.answered", at, turn, step: 2, content: [words], calls: [], usage },
    { type: "turn.ended", at, turn, how: "answered", text: WORDS, cuts: [] },
    ...posted(`answer/${turn}/0`, "x", true),
    { type: "turn.closed", at, turn },
    folded,
  ];
}

/** Every event of a session with so many turns, in order. */
export function eventsOf(turns: number, session: SessionId, thread: string): Event[] {
  const opened: Event = { type: "session.opened", at: NOON, ...opening(thread) };
  return [opened, ...Array.from({ length: turns }, (_, n) => [asked(n + 1), ...recorded(n + 1, session)]).flat()];
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
