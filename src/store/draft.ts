/**
 * What one operation would add, decided in full before anything is written: so that a refused one leaves nothing behind.
 *
 * D1. Each event must apply to the state after those before it in the same draft.
 * D2. What is received is taken once by the key of its root, whether it changed something or not; what finds no session is not taken at all.
 */
import { applies } from "../core/applies.ts";
import { deliver } from "../core/deliver.ts";
import type { Event, Received } from "../core/event.ts";
import { HOME_SESSION, rootOf, type SessionId } from "../core/id.ts";
import type { Opening, Receipt, Write } from "../core/ports.ts";
import { reduce, type State } from "../core/state.ts";
import type { Ledger } from "./ledger.ts";

class Draft {
  readonly #ledger: Ledger;
  readonly #states = new Map<SessionId, State>();
  readonly #events: { session: SessionId; event: Event; state: State }[] = [];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  state(session: SessionId): State {
    return this.#states.get(session) ?? this.#ledger.state(session);
  }

  add(session: SessionId, event: Event): boolean {
    const before = this.state(session);
    if (!applies(before, event)) return false;
    const state = reduce(before, event);
    this.#states.set(session, state);
    this.#events.push({ session, event, state });
    return true;
  }

  write(): void {
    for (const { session, event, state } of this.#events) this.#ledger.append(session, event, state);
  }
}

const NOTHING: Receipt = { fresh: false, sessions: [] };
type Also = readonly (readonly [SessionId, Received])[];

export function receive(
  ledger: Ledger,
  session: SessionId,
  key: string,
  event: Received,
  opening: Opening | undefined,
  also: Also,
): Receipt {
  const root = rootOf(session);
  if (ledger.seen(root, key)) return NOTHING;
  const draft = new Draft(ledger);
  if (!draft.state(session).opened && session !== HOME_SESSION && event.type !== "session.opened") {
    if (!opening) return NOTHING;
    draft.add(session, { type: "session.opened", at: event.at, ...opening });
  }
  const family = new Map([...ledger.family(root), session].map((id) => [id, draft.state(id)]));
  const taken = deliver(family, session, event).filter(([to, what]) => draft.add(to, what));
  ledger.remember(root, key);
  if (taken.length === 0) return NOTHING;
  for (const [to, what] of also) draft.add(to, what);
  draft.write();
  return { fresh: true, sessions: [...new Set(taken.map(([to]) => to))] };
}

/** All or nothing. A session of another root is no right of this lease; the home's own session needs none. */
export function record(ledger: Ledger, root: SessionId, writes: readonly Write[]): boolean {
  const draft = new Draft(ledger);
  const taken = writes.every(
    ([session, events]) => (session === HOME_SESSION || rootOf(session) === root) && events.every((event) => draft.add(session, event)),
  );
  if (taken) draft.write();
  return taken;
}
