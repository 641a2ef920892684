/**
 * A session's state: what its events add up to. Split by slice; each slice folds the events it cares for and no other.
 *
 * `reduce` ignores what does not apply, the journal refuses to record it: `applies` is the only guard (applies.ts).
 * States are values: never changed, only replaced, so that a slice that did not change is the same object as before.
 */
import { applies } from "./applies.ts";
import { type Attached, NO_FILES, reduceAttached } from "./attached.ts";
import { type Calls, NO_CALLS, reduceCalls } from "./calls.ts";
import { type Context, NO_CONTEXT, reduceContext } from "./context.ts";
import { type Digest, reduceDigest } from "./digest.ts";
import type { Event, Grant, Parent, Place, Speaker, Todo } from "./event.ts";
import { type Posts, reducePosts } from "./posts.ts";
import type { Scope } from "./scope.ts";
import { NO_TALK, reduceTalk, type Talk } from "./talk.ts";

/** Changes whenever the fold does, so that a snapshot made by another one is not used. */
export const REDUCER = 13;

export interface Opened {
  home: string;
  scope: Scope;
  place: Place;
  code: string;
  parent?: Parent;
}

export interface State {
  /** Undefined until the session is opened. */
  opened: Opened | undefined;
  talk: Talk;
  calls: Calls;
  attached: Attached;
  posts: Posts;
  context: Context;
  todos: readonly Todo[];
  grants: readonly Grant[];
  /** Of the home's own session: who paused it, and who was told what is kept. */
  paused: { by: Speaker; at: number } | null;
  told: readonly string[];
  /** Of the home's own session: what tools said of themselves when they were last approved. */
  pins: Readonly<Record<string, { pin: string; at: number }>>;
  /** Tools that were told in full here, beyond those that always are. */
  loaded: readonly string[];
  /** Of a session that tells what nights learned. */
  digest: Digest | null;
}

export const INITIAL: State = {
  opened: undefined,
  talk: NO_TALK,
  calls: NO_CALLS,
  attached: NO_FILES,
  posts: {},
  context: NO_CONTEXT,
  todos: [],
  grants: [],
  paused: null,
  told: [],
  pins: {},
  loaded: [],
  digest: null,
};

export function reduce(state: State, event: Event): State {
  if (!applies(state, event)) return state;
  return {
    opened: event.type === "session.opened" ? openedBy(event) : state.opened,
    talk: reduceTalk(state.talk, event, state),
    calls: reduceCalls(state.calls, event, state),
    attached: reduceAttached(state.attached, event, state),
    posts: reducePosts(state.posts, event, state),
    context: reduceContext(state.context, event, state),
    todos: event.type === "todos.written" ? event.todos : state.todos,
    grants: reduceGrants(state.grants, event),
    paused: event.type === "home.paused" ? { by: event.by, at: event.at } : event.type === "home.resumed" ? null : state.paused,
    told: event.type === "person.told" ? [...state.told, event.person] : state.told,
    pins: event.type === "tool.pinned" ? { ...state.pins, [event.tool]: { pin: event.pin, at: event.at } } : state.pins,
    loaded: event.type === "tools.loaded" ? [...new Set([...state.loaded, ...event.tools])] : state.loaded,
    digest: reduceDigest(state.digest, event),
  };
}

function openedBy({ home, scope, place, code, parent }: Extract<Event, { type: "session.opened" }>): Opened {
  return { home, scope, place, code, ...(parent ? { parent } : {}) };
}

function reduceGrants(grants: readonly Grant[], event: Event): readonly Grant[] {
  if (event.type === "grant.given") return [...grants, event.grant];
  if (event.type === "grant.revoked") return grants.filter((grant) => grant.id !== event.id);
  return grants;
}
