/**
 * A small world in one process for the core to live in: a journal with leases, a platform, tools and a model, all as plain data.
 * Nothing here knows how the core decides; what happens is told by `Fate`, so a run repeats exactly.
 */
import { applies } from "../../src/core/applies.ts";
import { deliver } from "../../src/core/deliver.ts";
import type { Event, JsonObject, Received, Ref, Speaker } from "../../src/core/event.ts";
import { type CallId, HOME_SESSION, rootOf, type SessionId } from "../../src/core/id.ts";
import type { Limits } from "../../src/core/next.ts";
import type { Slot } from "../../src/core/slots.ts";
import { INITIAL, reduce, type State } from "../../src/core/state.ts";

export type ModelFate =
  | { do: "say"; text: string; thought?: boolean; note?: string; whole?: boolean }
  | { do: "call"; calls: { tool: ToolName; broken?: boolean; as?: string }[]; text?: string }
  | { do: "fail"; overflow: boolean; wait: number; times?: number }
  | { do: "die" };
export type ToolName = keyof typeof TOOLS;
/** What each tool is like. Grants can waive `asks`; `pay` twice does harm, `fix` does not. */
export const TOOLS = {
  read: { asks: false, repeatable: true },
  write: { asks: false, repeatable: false },
  write_file: { asks: false, repeatable: false },
  pay: { asks: true, repeatable: false },
  fix: { asks: true, repeatable: true },
  forbidden: { asks: false, repeatable: true },
  ask: { asks: false, repeatable: true },
  task: { asks: false, repeatable: true },
  send: { asks: false, repeatable: true },
  consult: { asks: false, repeatable: false },
  todo: { asks: false, repeatable: true },
  remind: { asks: false, repeatable: true },
} as const;
export type PostFate = "ok" | "refused" | "never" | "lost" | "arrived" | "late";

/** What happens where the core has no say. */
export interface Fate {
  model(world: World, session: SessionId, state: State): ModelFate;
  tool(tool: string): { failed: boolean; long: boolean };
  post(edit: boolean): PostFate;
  /** Whether a search for a post in doubt works. */
  search(): boolean;
  summary(): boolean;
  /** Whether a file that came can be had. */
  file(): boolean;
  quorum(): 1 | 2;
  expires(): boolean;
}

export interface Seen {
  ref: Ref;
  session: SessionId;
  slot: Slot;
  key: string;
  mark: boolean;
  /** Order of arrival. */
  at: number;
}
export interface Run {
  session: SessionId;
  call: CallId;
  tool: string;
  digest: string;
}
export interface Asked {
  session: SessionId;
  turn: number;
  step: number;
  entries: number;
}

export interface World {
  now: number;
  commits: (readonly [SessionId, Event])[][];
  states: Map<SessionId, State>;
  keys: Set<string>;
  holders: Map<SessionId, string>;
  platform: Seen[];
  /** Sent, not arrived yet, though its sender was told that it timed out. */
  underway: Seen[];
  arrivals: number;
  /** Calls that wait for an answer of people in the memory of a process. */
  held: Set<string>;
  /** Files that came with messages and are kept, by session and key. */
  disk: Set<string>;
  /** Which definition each tool has now. */
  versions: Map<string, number>;
  runs: Run[];
  asked: Asked[];
  /** Slots the platform will never take, with edits it will never make. */
  never: Set<string>;
  /** Keys that could not be looked for, so that a doubtful post may stand twice. */
  blind: Set<string>;
  limits: Limits;
  fate: Fate;
  watch: (world: World, commit: readonly (readonly [SessionId, Event])[]) => void;
}

export const ROOT = "slack:T:C:1";
export const START = Date.UTC(2026, 0, 5, 9);
export const person = (name: string): Speaker => ({ id: `slack:${name}`, name, kind: "member" });
export const place = { platform: "slack", team: "T", channel: "C", thread: "1" };

export const newWorld = (fate: Fate, watch: World["watch"], limits: Limits = { steps: 6, attempts: 3, window: 5000 }): World => ({
  now: START,
  commits: [],
  states: new Map(),
  keys: new Set(),
  holders: new Map(),
  platform: [],
  underway: [],
  arrivals: 0,
  held: new Set(),
  disk: new Set(),
  versions: new Map(),
  runs: [],
  asked: [],
  never: new Set(),
  blind: new Set(),
  limits,
  fate,
  watch,
});

export const stateOf = (world: World, session: SessionId): State => world.states.get(session) ?? INITIAL;
export const sessionsOf = (world: World): SessionId[] => [...world.states.keys()].filter((session) => session !== HOME_SESSION);
const familyOf = (world: World, root: SessionId): Map<SessionId, State> =>
  new Map([...world.states].filter(([session]) => rootOf(session) === root));
export const eventsOf = (world: World, session: SessionId): Event[] =>
  world.commits.flat().flatMap(([id, event]) => (id === session ? [event] : []));

/** Refused as a whole if the lease is lost or one of the events does not apply. */
export function record(world: World, holder: string, writes: readonly (readonly [SessionId, readonly Event[]])[]): boolean {
  if (writes.some(([session]) => session !== HOME_SESSION && world.holders.get(rootOf(session)) !== holder)) return false;
  return commit(
    world,
    writes.flatMap(([session, events]) => events.map((event) => [session, event] as const)),
  );
}

/** Unconditional, once a key. The thread's first message opens its session. */
export function receive(
  world: World,
  session: SessionId,
  key: string,
  event: Received,
  also: readonly (readonly [SessionId, Received])[] = [],
): boolean {
  if (world.keys.has(key)) return false;
  world.keys.add(key);
  const opening: (readonly [SessionId, Event])[] = world.states.has(session) ? [] : [[session, openedAs(session, world.now)]];
  const opened = opening.reduce((state, [, it]) => reduce(state, it), stateOf(world, session));
  const family = familyOf(world, rootOf(session)).set(session, opened);
  const taken = deliver(family, session, event);
  if (taken.length === 0) return false;
  return commit(world, [...opening, ...taken, ...also]);
}

export const openedAs = (session: SessionId, at: number, parent?: { session: SessionId; call: CallId; agent: string }): Received => ({
  type: "session.opened",
  at,
  home: "slack-T",
  scope: "team",
  place,
  code: `s${session.length}`,
  ...(parent ? { parent } : {}),
});

function commit(world: World, events: readonly (readonly [SessionId, Event])[]): boolean {
  const states = new Map<SessionId, State>();
  for (const [session, event] of events) {
    const state = states.get(session) ?? stateOf(world, session);
    if (!applies(state, event)) return false;
    states.set(session, reduce(state, event));
  }
  for (const [session, state] of states) world.states.set(session, state);
  world.commits.push([...events]);
  world.watch(world, events);
  return true;
}

export const versionOf = (world: World, tool: string): number => world.versions.get(tool) ?? 0;
export const digestOf = (world: World, tool: string, input: JsonObject): string =>
  `${tool}#${versionOf(world, tool)} ${JSON.stringify(input)}`;

export function arrive(world: World, seen: Omit<Seen, "at" | "ref">): Ref {
  const at = ++world.arrivals;
  const ref = { channel: "C", message: `m${at}` };
  world.platform.push({ ...seen, ref, at });
  return ref;
}
