/** Events for the tests of a journal. */
import type { Event, Received, Recorded, Speaker, Todo } from "../../src/core/event.ts";
import type { SessionId } from "../../src/core/id.ts";
import type { Journal, Lease, Opening } from "../../src/core/ports.ts";

export const ANN: Speaker = { id: "slack:U1", name: "Ann", kind: "member" };
export const BOB: Speaker = { id: "slack:U2", name: "Bob", kind: "member" };
export const A = "slack:T1:C1:1";
export const B = "slack:T1:C1:2";
/** 2026-11-30T12:00:00Z. */
export const NOON = 1_796_040_000_000;
/** Later than any test runs. */
export const NEVER = 9e14;

export const opening = (session: SessionId): Opening => ({
  home: "slack-T1",
  scope: session === B ? "place:slack:C1" : "team",
  place: { platform: "slack", team: "T1", channel: "C1", thread: session.split(":")[3] ?? null },
  code: `s.${session}`,
});
export const said = (id: string, text = "hello there", by = ANN): Received => ({
  type: "message.received",
  at: NOON,
  id,
  by,
  text,
  heard: false,
});
export const stop: Received = { type: "turn.stopped", at: NOON, by: BOB };
export const grant = (id: string): Received => ({
  type: "grant.given",
  at: NOON,
  grant: { id, tool: "execute", subject: "ls", by: ANN, at: NOON },
});

export const step = (turn: number, number: number, upTo: number): Recorded => ({ type: "step.opened", at: NOON, turn, step: number, upTo });
export const answers = (turn: number, number: number, calls = 0): Recorded => ({
  type: "model.answered",
  at: NOON,
  turn,
  step: number,
  content: [{ type: "text", text: "on it" }],
  calls: Array.from({ length: calls }, (_, n) => ({ tool: "execute", input: { command: `ls ${n}` } })),
  usage: { model: "m", input: 10, output: 5, cacheRead: 100, cacheWrite: 1 },
});
export const asks = (call: string, code = `c.${call}`, quorum = 1): Recorded => ({
  type: "call.gated",
  at: NOON,
  call,
  verdict: "ask",
  label: "execute",
  digest: `d.${code}`,
  reason: "it runs a command",
  risky: true,
  helper: false,
  quorum,
  expires: NEVER,
  code,
  offers: ["approve", "edit", "deny"],
  level: "approve",
  notBy: null,
  deciders: "members",
  subject: null,
});
export const decides = (call: string, code = `c.${call}`, by = ANN): Received => ({
  type: "approval.decided",
  at: NOON,
  call,
  digest: `d.${code}`,
  by,
  verdict: "approve",
});
export const edits = (call: string, code: string, newCode: string): Received => ({
  type: "approval.decided",
  at: NOON,
  call,
  digest: `d.${code}`,
  by: ANN,
  verdict: "edit",
  input: { command: "ls -l" },
  newDigest: `d.${newCode}`,
  newCode,
});
export const finished = (call: string, content = "done"): Recorded => ({ type: "call.finished", at: NOON, call, content, failed: false });
export const posting = (slot: string): Recorded => ({ type: "post.started", at: NOON, slot, key: slot, mark: false });
export const shown = (slot: string, message: string): Recorded => ({
  type: "post.shown",
  at: NOON,
  slot,
  ref: { channel: "C1", message },
  digest: "d",
  final: false,
});
export const todos = (...contents: string[]): Recorded => ({
  type: "todos.written",
  at: NOON,
  todos: contents.map((content): Todo => ({ content, status: "pending" })),
});

export async function held(journal: Journal, root: SessionId): Promise<Lease> {
  const lease = await journal.lease(root);
  if (!lease) throw new Error(`the lease of ${root} is held by somebody else`);
  return lease;
}

/** A message of Ann's taken up, and answered with calls that ask. */
export async function asking(journal: Journal, root: SessionId, calls = 1, quorum = 1): Promise<Lease> {
  const lease = await held(journal, root);
  await journal.receive(root, `${root} m1`, said("m1"), opening(root));
  const gates = Array.from({ length: calls }, (_, n) => asks(`1.1.${n}`, `c.${root}.${n}`, quorum));
  if (!(await journal.record(lease, [[root, [step(1, 1, 1), answers(1, 1, calls), ...gates]]]))) throw new Error("the story did not apply");
  return lease;
}

/** Opens a helper below a waiting call, with a call of its own that asks. */
export async function helping(journal: Journal, lease: Lease, helper: SessionId): Promise<void> {
  const parent = { session: lease.root, call: "1.1.0", agent: "general" };
  const opened: Event = { type: "session.opened", at: NOON, ...opening(lease.root), code: `s.${helper}`, parent };
  const task = said("task", "look it up");
  const own = [step(1, 1, 1), answers(1, 1, 1), asks("1.1.0", `c.${helper}`)];
  if (!(await journal.record(lease, [[helper, [opened, task, ...own]]]))) throw new Error("the helper did not open");
}
