/** The read models of a journal against a recomputation from its log alone, after random happenings in a family and beside it. */
import fc from "fast-check";
import { expect } from "vitest";
import type { Event, Received } from "../../src/core/event.ts";
import { childOf, rootOf, type SessionId } from "../../src/core/id.ts";
import { rest } from "../../src/core/next.ts";
import type { ApprovalRow, Journal, Lease } from "../../src/core/ports.ts";
import { INITIAL, reduce, type State } from "../../src/core/state.ts";
import * as story from "./journal-story.ts";
import { A, B, NOON, opening } from "./journal-story.ts";

const HELPER = childOf(A, "1.1.0");
const SESSIONS = [A, B, HELPER];
type Happening = [where: number, what: number, n: number];

/** Every list of happenings goes on where the one before it ended; `other` receives what `journal` records after. */
export async function modelsHold(journal: Journal, other: Journal): Promise<void> {
  const leases: Record<SessionId, Lease> = { [A]: await story.held(journal, A), [B]: await story.held(journal, B) };
  const seen = new Set<Event["type"]>();
  const opened: Event = {
    type: "session.opened",
    at: NOON,
    ...opening(A),
    code: "helper",
    parent: { session: A, call: "1.1.0", agent: "x" },
  };
  await journal.receive(A, "first", story.said("first"), opening(A));
  await journal.record(leases[A] ?? never(), [[HELPER, [opened, story.said("task")]]]);

  const happen = async ([where, what, n]: Happening, key: string): Promise<unknown> => {
    const session = SESSIONS[where] ?? A;
    const state = await journal.state(session);
    const events = recordings(state, n, session, key)[what];
    if (events) return journal.record(leases[rootOf(session)] ?? never(), [[session, events]]);
    const event = receipts(state, n, key)[what % 6] ?? story.said(key);
    return (n === 1 ? other : journal).receive(session, key, event, session === HELPER ? undefined : opening(session));
  };
  let round = 0;
  const happenings = fc.array(fc.tuple(fc.nat(2), fc.nat(17), fc.nat(2)), { minLength: 10, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(happenings, async (list: Happening[]) => {
      round++;
      for (const [i, happening] of list.entries()) await happen(happening, `${round} ${i}`);
      await compare(journal, other, await recomputed(journal), seen);
    }),
    { numRuns: 40, endOnFailure: true },
  );
  const wanted = ["approval.decided", "approval.expired", "turn.stopped", "call.finished", "post.shown", "turn.closed", "todos.written"];
  expect(wanted.filter((type) => !seen.has(type as Event["type"]))).toEqual([]);
}

const never = (): never => {
  throw new Error("no such lease");
};

function recordings({ talk, calls }: State, n: number, session: SessionId, key: string): Event[][] {
  const { turn, step, received, phase } = talk;
  const [next, number] = phase === "idle" ? [turn + 1, 1] : [turn, step + 1];
  const of = (...wanted: string[]): string =>
    Object.values(calls.byId).find(({ status }) => wanted.includes(status))?.id ?? `${turn}.${step}.${n}`;
  const slot = `answer/${turn}/${n}`;
  return [
    [story.step(next, number, received), story.answers(next, number, n)],
    [story.step(next, number, received), story.answers(next, number, 2)],
    [story.asks(of("new"), `c ${key}`, 1 + n)],
    [story.asks(of("new"), `d ${key}`)],
    [story.finished(of("allowed", "started"))],
    [story.posting(slot), story.shown(slot, `${session} ${turn} ${n}`)],
    [{ type: "turn.ended", at: NOON, turn, how: "answered", text: "done", cuts: [] }],
    [{ type: "turn.closed", at: NOON, turn }],
    [story.todos(key)],
    [{ type: "approval.expired", at: NOON, call: of("asked") }],
  ];
}

function receipts({ calls }: State, n: number, key: string): Received[] {
  const asked = Object.values(calls.byId).find(({ status }) => status === "asked");
  const [call, code] = [asked?.id ?? "9.9.9", asked?.gate?.code ?? "none"];
  const by = n === 0 ? story.ANN : story.BOB;
  return [story.stop, story.decides(call, code, by), story.edits(call, code, `n ${key}`), story.said(key, `say ${key}`, by)];
}

async function compare(journal: Journal, other: Journal, told: Models, seen: Set<Event["type"]>): Promise<void> {
  const sorted = (list: readonly ApprovalRow[]): ApprovalRow[] => list.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  for (const type of told.types) seen.add(type);
  expect(sorted(await journal.approvals())).toEqual(sorted(told.open));
  for (const row of told.codes) expect(await other.byCode(row.code)).toEqual(row);
  for (const { channel, message, session, slot } of told.refs) expect(await journal.byRef({ channel, message })).toEqual({ session, slot });
  const usage = [...told.usage.values()].sort((a, b) => (a.person < b.person ? -1 : 1));
  expect(await journal.usage("2026-11-30")).toEqual(usage);
  expect(await journal.usage("2026-11-30", story.ANN.id)).toEqual(usage.filter(({ person }) => person === story.ANN.id));
  expect((await journal.unsettled(NOON)).roots.sort()).toEqual(told.unsettled.sort());
  for (const [session, state] of told.states) {
    expect(await journal.state(session)).toEqual(state);
    expect(await other.state(session)).toEqual(state);
    const row = await journal.session(session);
    expect([row?.todos, row?.title]).toEqual([state.todos, told.titles.get(session) ?? ""]);
  }
}

interface Models {
  open: ApprovalRow[];
  codes: ApprovalRow[];
  refs: { channel: string; message: string; session: SessionId; slot: string }[];
  usage: Map<string, { person: string; input: number; output: number }>;
  unsettled: SessionId[];
  states: Map<SessionId, State>;
  titles: Map<SessionId, string>;
  /** By which message. */
  titled: Map<SessionId, string>;
  types: Set<Event["type"]>;
}

/** What the read models should say. */
async function recomputed(journal: Journal): Promise<Models> {
  const logs = await Promise.all(
    SESSIONS.map(async (session) => (await journal.events(session)).map((written) => ({ ...written, session }))),
  );
  const models: Models = {
    open: [],
    codes: [],
    refs: [],
    usage: new Map(),
    unsettled: [],
    states: new Map(),
    titles: new Map(),
    titled: new Map(),
    types: new Set(),
  };
  for (const { session, event } of logs.flat().sort((a, b) => a.seq - b.seq)) {
    const state = reduce(models.states.get(session) ?? INITIAL, event);
    models.states.set(session, state);
    note(models, session, event);
  }
  models.open = models.codes.filter(({ code, session, call }) => {
    const now = models.states.get(session)?.calls.byId[call];
    return now?.status === "asked" && now.gate?.code === code;
  });
  const restless = [...models.states].filter(([, state]) => !rest(state, NOON).settled);
  models.unsettled = [...new Set(restless.map(([session]) => rootOf(session)))];
  return models;
}

function note(models: Models, session: SessionId, event: Event): void {
  const { codes, refs, usage, titles, titled, states, types } = models;
  types.add(event.type);
  if (event.type === "session.opened") codes.push({ code: event.code, session, call: "", digest: "" });
  if (event.type === "call.gated" && event.verdict === "ask")
    codes.push({ code: event.code, session, call: event.call, digest: event.digest });
  if (event.type === "approval.decided" && event.verdict === "edit")
    codes.push({ code: event.newCode, session, call: event.call, digest: event.newDigest });
  if (event.type === "post.shown") refs.push({ ...event.ref, session, slot: event.slot });
  if (event.type === "message.received" && !titles.has(session)) {
    titles.set(session, event.text);
    titled.set(session, event.id);
  }
  if (event.type === "message.deleted" && titled.get(session) === event.id) titles.delete(session);
  if (event.type === "model.answered") {
    const person = states.get(rootOf(session))?.talk.by?.id ?? "";
    const before = usage.get(person) ?? { person, input: 0, output: 0 };
    const { input, cacheRead, cacheWrite, output } = event.usage;
    usage.set(person, { person, input: before.input + input + cacheRead + cacheWrite, output: before.output + output });
  }
}
