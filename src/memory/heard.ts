/**
 * What people said in a scope since its nights last read, as candidates for facts.
 *
 * H1. Only words of people who talk with the agent: nothing of tools, files, other bots, of the agent itself, or of strangers.
 * H2. What was deleted or withdrawn is not there; what was edited is there as it was edited last.
 * H3. A message that something forgotten came from is not there again.
 */
import type { Event, Speaker } from "../core/event.ts";
import type { SessionId } from "../core/id.ts";
import type { Journal } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import type { State } from "../core/state.ts";
import { authorOf, type Unsaid } from "./unsay.ts";

export interface Said {
  /** What the model cites: the message's own id, made unique where two channels have the same. */
  ref: string;
  id: string;
  session: SessionId;
  channel: string;
  by: Speaker;
  text: string;
  at: number;
  seq: number;
}
export interface Heard {
  said: Said[];
  /** Where the log ends. */
  upTo: number;
  /** Messages that were deleted since. */
  gone: Unsaid[];
  /** Nothing at all happened since. */
  still: boolean;
}

export async function heard(journal: Journal, scope: Scope): Promise<Heard> {
  const [{ events, upTo }, stones] = await Promise.all([journal.memory.news(scope), journal.memory.tombstones(scope)]);
  const buried = new Set(stones.flatMap(({ messages }) => messages));
  const states = new Map<SessionId, State>();
  for (const { session } of events) if (!states.has(session)) states.set(session, await journal.state(session));
  const found = new Map<string, Omit<Said, "ref">>();
  for (const { seq, session, event } of events) {
    const state = states.get(session);
    if (!state) continue;
    const message = messageOf(event, state);
    if (!message) continue;
    const key = `${session} ${message.id}`;
    if (message.gone || buried.has(key)) found.delete(key);
    else if (message.by) found.set(key, { ...message, by: message.by, session, channel: channelOf(state), seq });
    else {
      const before = found.get(key);
      if (before) found.set(key, { ...before, text: message.text, seq });
    }
  }
  const gone = events.flatMap(({ session, event }) => {
    const state = states.get(session);
    return event.type === "message.deleted" && state ? [{ session, message: event.id, by: authorOf(state, event.id) }] : [];
  });
  return { said: withRefs([...found.values()].sort((a, b) => a.seq - b.seq)), upTo, gone, still: events.length === 0 };
}

type Message = { id: string; text: string; at: number; by?: Speaker; gone?: boolean };

function messageOf(event: Event, { talk }: State): Message | undefined {
  switch (event.type) {
    case "message.received":
      return isPerson(event.by) && (!event.heard || talk.talkers.includes(event.by.id)) ? event : undefined;
    case "message.edited": {
      const old = talk.entries.findLast((entry) => entry.as === "said" && entry.id === event.id && entry.kind === "message");
      const by = old?.as === "said" && !old.gone && isPerson(old.by) ? old.by : undefined;
      return { id: event.id, text: event.text, at: event.at, ...(by ? { by } : {}) };
    }
    case "message.deleted":
    case "message.withdrawn":
      return { id: event.id, text: "", at: event.at, gone: true };
    case "approval.decided":
      return event.verdict === "answer" && event.message !== undefined && isPerson(event.by)
        ? { id: event.message, text: event.text, at: event.at, by: event.by }
        : undefined;
    default:
      return undefined;
  }
}

const isPerson = ({ kind }: Speaker): boolean => kind !== "bot" && kind !== "system";
const channelOf = ({ opened }: State): string => (opened ? `${opened.place.platform}:${opened.place.channel}` : "");

function withRefs(said: Omit<Said, "ref">[]): Said[] {
  const known = new Set<string>();
  return said.map((message) => {
    const plain = message.id.replace(/[\s\]]/g, "_");
    let ref = plain;
    for (let n = 2; known.has(ref); n++) ref = `${plain}~${n}`;
    known.add(ref);
    return { ...message, ref };
  });
}
