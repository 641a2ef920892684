/**
 * What the harness works with: one object made by main, handed down, never changed. Its parts are ports; nothing here knows a platform.
 */
import type { Speaker } from "../core/event.ts";
import type { CallId, SessionId } from "../core/id.ts";
import type {
  Attachments,
  Changes,
  Homes,
  Hook,
  Journal,
  Log,
  Model,
  Moment,
  Platform,
  Remembering,
  Request,
  ToolContext,
} from "../core/ports.ts";
import type { Opened, State } from "../core/state.ts";

export interface World {
  /** The journal of a home, opened once. Rejects with a UserError if it cannot be. */
  journal(home: string): Promise<Journal>;
  homes: Homes;
  /** What turns changed in their homes; absent where homes have no history. */
  changes?: Changes;
  /** What people said in a home and is kept; absent where nothing is remembered. */
  memory?: Remembering;
  /** The files of conversations; absent where none are kept. */
  attachments?: Attachments;
  platforms: ReadonlyMap<string, Platform>;
  model: Model;
  modelName: string;
  /** Input tokens, where the operator said so. */
  window: number | undefined;
  hooks: readonly Hook[];
  now(): number;
  /** Scales every wait before something is tried again: 1, but for tests. */
  patience: number;
  /** Masks secrets and whatever looks like one. */
  scrub(text: string): string;
  log: Log;
  /** Told what a step is about to send; nothing comes of it. */
  sent?(home: string, session: SessionId, at: { turn: number; step: number }, request: Request): void;
  /** What is wrong in a home, as far as people were told: each sentence once, until it is mended. */
  told: Told;
}

/** Which of the sentences about a home's troubles are news. */
export type Told = (home: string, sentences: readonly string[]) => string[];
export function told(): Told {
  const known = new Map<string, ReadonlySet<string>>();
  return (home, sentences) => {
    const before = known.get(home);
    known.set(home, new Set(sentences));
    return sentences.filter((sentence) => !before?.has(sentence));
  };
}

/** One session in the hands of the loop. */
export interface Scene {
  world: World;
  home: string;
  journal: Journal;
  session: SessionId;
  state: State;
  opened: Opened;
  platform: Platform;
  signal: AbortSignal;
  /** Tokens that were used and are not in the journal yet. */
  unrecorded?: number;
  /** The answer as it grows; shown live, never journaled. */
  draft(text: string): void;
  /** What a running call is at; likewise. */
  said?(call: CallId, text: string): void;
}

const NOBODY: Speaker = { id: "system", name: "system", kind: "system" };

export function momentOf({ world, home, session, opened, state, signal }: Scene): Moment {
  const { scope, place } = opened;
  return { home, session, scope, place, by: whoFor(opened, state) ?? NOBODY, state, now: world.now(), signal };
}

/** What a tool is given with one of its calls. */
export function contextOf(scene: Scene, call: CallId): ToolContext {
  const { home, session, scope, place, by, state, now, signal } = momentOf(scene);
  return { home, session, call, scope, place, by, state, now, signal, tell: (text) => scene.said?.(call, text) };
}

/** The person the work is for: a helper's is the one of its root. */
export const whoFor = ({ parent }: Opened, { talk }: State): Speaker | undefined => (parent ? parent.by : talk.by) ?? undefined;

/** Scrubs every string inside a value. */
export function scrubbed<T>(value: T, scrub: (text: string) => string): T {
  if (typeof value === "string") return scrub(value) as T;
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, scrub)) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scrubbed(item, scrub)])) as T;
}
