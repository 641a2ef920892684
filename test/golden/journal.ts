/**
 * Journals as files: one event a line, with the commit it was part of. The `v1-` files are what homes out there hold; they are never
 * written again, only read. `fingerprints.json` tells what the fold makes of each; it is renewed when the shape of a state changes on
 * purpose (`node --import tsx test/golden/write.ts`).
 */
import { readdirSync, readFileSync } from "node:fs";
import { type Event, upcast } from "../../src/core/event.ts";
import { fingerprint, rootOf, type SessionId } from "../../src/core/id.ts";
import { slots } from "../../src/core/slots.ts";
import { INITIAL, reduce, type State } from "../../src/core/state.ts";
import { type Seen, stateOf, type World } from "../core/world.ts";

export type Commit = (readonly [SessionId, Event])[];

const here = new URL(".", import.meta.url);
export const names = (): string[] =>
  readdirSync(here)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => name.replace(".jsonl", ""))
    .sort();

export const written = (commits: readonly Commit[]): string =>
  commits.flatMap((events, commit) => events.map(([session, event]) => `${JSON.stringify({ v: 1, commit, session, event })}\n`)).join("");

export function commitsIn(name: string): Commit[] {
  const commits: Commit[] = [];
  for (const line of readFileSync(new URL(`${name}.jsonl`, here), "utf8")
    .trim()
    .split("\n")) {
    const { v, commit, session, event } = JSON.parse(line) as { v: number; commit: number; session: SessionId; event: unknown };
    const events = commits[commit] ?? [];
    commits[commit] = events;
    events.push([session, upcast(v, event)]);
  }
  return commits;
}

export const endOf = (commits: readonly Commit[]): Map<SessionId, State> => {
  const states = new Map<SessionId, State>();
  for (const [session, event] of commits.flat()) states.set(session, reduce(states.get(session) ?? INITIAL, event));
  return states;
};

/** The same for states that are the same, whatever the order of their keys. */
export const printOf = (states: ReadonlyMap<SessionId, State>): string => fingerprint(JSON.stringify([...states].map(sorted)));
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, it]) => [key, sorted(it)]),
  );
};

/** Puts a world where a process left it that died after these commits. `arrived`: what it was sending then did arrive. */
export function restore(world: World, commits: readonly Commit[], arrived: boolean): void {
  const sending = new Map<string, Omit<Seen, "ref" | "at">>();
  for (const [session, event] of commits.flat()) {
    const before = stateOf(world, session);
    const after = reduce(before, event);
    world.states.set(session, after);
    if (session !== rootOf(session) || after.opened) world.holders.set(rootOf(session), "p0");
    if ("at" in event) world.now = Math.max(world.now, event.at);
    if (event.type === "post.started") {
      const slot = slots(before).find((it) => it.key === event.slot);
      if (slot) sending.set(`${session} ${event.slot}`, { session, slot, key: event.key, mark: event.mark });
    } else if (event.type === "file.fetched" && event.problem === undefined) world.disk.add(`${session} ${event.file}`);
    else if (event.type === "file.removed") world.disk.delete(`${session} ${event.file}`);
    else if (event.type === "post.shown") stand(world, session, before, event, sending);
    else if (event.type === "post.failed") sending.delete(`${session} ${event.slot}`);
    else if (event.type === "post.hidden") world.platform = world.platform.filter((seen) => seen.slot.key !== event.slot);
    else if (event.type === "step.opened")
      world.asked.push({ session, turn: event.turn, step: event.step, entries: after.talk.entries.length });
    // One that goes on with what people answered is no other run.
    else if (event.type === "call.started" && !after.calls.byId[event.call]?.questions.length)
      world.runs.push({ session, call: event.call, tool: after.calls.byId[event.call]?.tool ?? "", digest: event.digest });
  }
  world.commits.push(...commits);
  world.arrivals = 1000;
  for (const sent of arrived ? sending.values() : []) world.platform.push({ ...sent, ref: ref(world), at: world.arrivals });
}
const ref = (world: World): Seen["ref"] => ({ channel: "C", message: `m${++world.arrivals}` });

function stand(
  world: World,
  session: SessionId,
  before: State,
  event: Extract<Event, { type: "post.shown" }>,
  sending: Map<string, Omit<Seen, "ref" | "at">>,
): void {
  const id = `${session} ${event.slot}`;
  const slot = slots(before).find((it) => it.key === event.slot);
  const sent = sending.get(id);
  sending.delete(id);
  if (sent) world.platform.push({ ...sent, slot: slot ?? sent.slot, ref: event.ref, at: ++world.arrivals });
  else
    world.platform = world.platform.map((seen) => (seen.ref.message === event.ref.message ? { ...seen, slot: slot ?? seen.slot } : seen));
}
