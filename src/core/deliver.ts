/**
 * Where something received is written: the one decision made inside the receiving transaction, from the states of a root and its helpers.
 *
 * D1. A stop reaches every session of the family that it applies to, at once.
 * D2. A plain reply answers the oldest open question of the family, also a helper's.
 */
import { applies } from "./applies.ts";
import { openDecisions } from "./calls.ts";
import type { Received } from "./event.ts";
import type { SessionId } from "./id.ts";
import type { State } from "./state.ts";

export function deliver(family: ReadonlyMap<SessionId, State>, session: SessionId, event: Received): [SessionId, Received][] {
  if (event.type === "turn.stopped")
    return [...family].filter(([, state]) => applies(state, event)).map(([id]): [SessionId, Received] => [id, event]);
  if (event.type === "message.received" && !event.heard) {
    const answer = answering(family, event);
    if (answer) return [answer];
  }
  const state = family.get(session);
  return state && applies(state, event) ? [[session, event]] : [];
}

function answering(
  family: ReadonlyMap<SessionId, State>,
  { at, by, id, text }: Extract<Received, { type: "message.received" }>,
): [SessionId, Received] | undefined {
  for (const [session, state] of family) {
    const call = openDecisions(state.calls).find((it) => it.gate?.verdict === "question");
    if (call?.gate)
      return [session, { type: "approval.decided", at, call: call.id, digest: call.gate.digest, by, verdict: "answer", text, message: id }];
  }
  return undefined;
}
