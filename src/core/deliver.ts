/**
 * Where something received is written: the one decision made inside the receiving transaction, from the states of a root and its helpers.
 *
 * D1. A stop reaches every session of the family that it applies to, at once.
 * D2. A plain reply answers the oldest open question of the family, also a helper's.
 * D4. A message whose deletion came before it is written nowhere; one whose edit did is written as it was edited.
 * D5. What comes with such a reply is taken up beside the answer, by whoever asked.
 * D3. A deletion also reaches the session whose question the deleted message answered.
 */
import { applies } from "./applies.ts";
import { openDecisions } from "./calls.ts";
import type { Received } from "./event.ts";
import type { SessionId } from "./id.ts";
import type { State } from "./state.ts";
import { earlyOf, holds } from "./talk.ts";

export function deliver(family: ReadonlyMap<SessionId, State>, session: SessionId, event: Received): [SessionId, Received][] {
  if (event.type === "turn.stopped")
    return [...family].filter(([, state]) => applies(state, event)).map(([id]): [SessionId, Received] => [id, event]);
  if (event.type !== "message.received") return written(family, session, event);
  const early = earlyOf(family.get(session)?.talk, event.id);
  if (early === "gone") return [];
  const newest = early ? { ...event, text: early.text } : event;
  const answer = event.heard ? undefined : answering(family, newest);
  return answer ? [answer, ...beside(family, answer[0], newest)] : written(family, session, newest);
}

function written(family: ReadonlyMap<SessionId, State>, session: SessionId, event: Received): [SessionId, Received][] {
  return [...family]
    .filter(([id, state]) => (id === session || (event.type === "message.deleted" && tookAnswer(state, event.id))) && applies(state, event))
    .map(([id]) => [id, event]);
}

function answering(
  family: ReadonlyMap<SessionId, State>,
  { at, by, id, text: words, files = [] }: Extract<Received, { type: "message.received" }>,
): [SessionId, Received] | undefined {
  const open = [...family].flatMap(([session, state]) =>
    openDecisions(state.calls).flatMap((call) => (call.gate?.verdict === "question" ? [{ session, call, digest: call.gate.digest }] : [])),
  );
  const [oldest] = open.sort((a, b) => (a.call.asked ?? 0) - (b.call.asked ?? 0));
  if (!oldest) return undefined;
  const { session, call, digest } = oldest;
  const text = words.trim() ? words : files.map(({ name }) => name).join(", ");
  // Nothing but the agent's name is no answer.
  if (!text) return undefined;
  return [session, { type: "approval.decided", at, call: call.id, digest, by, verdict: "answer", text, message: id }];
}

/** The files of a reply that answered: as a message without words that opens no turn, since its words are in the answer. */
function beside(family: ReadonlyMap<SessionId, State>, session: SessionId, event: Extract<Received, { type: "message.received" }>) {
  return event.files?.length ? written(family, session, { ...event, text: "", heard: true }) : [];
}

const tookAnswer = ({ talk, calls }: State, message: string): boolean =>
  talk.entries.some((entry) => entry.as === "answer" && holds(entry, message)) ||
  Object.values(calls.byId).some((call) => call.decided?.message === message);
