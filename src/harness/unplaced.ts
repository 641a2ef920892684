/**
 * Messages of threads in which nobody has called the agent, as far as it knows. A call can still be on its way (it was sent while the
 * process was down, and the platform repeats it later than what followed it): then they are looked at again. In memory, bounded; what is
 * lost with the process is found again by catching up.
 */
import type { SessionId } from "../core/id.ts";
import type { Incoming } from "../core/ports.ts";

const THREADS = 500;
const EACH = 20;

export class Unplaced {
  readonly #kept = new Map<SessionId, Incoming[]>();

  keep(session: SessionId, incoming: Incoming): void {
    const known = this.#kept.get(session) ?? [];
    this.#kept.delete(session);
    this.#kept.set(session, [...known, incoming].slice(-EACH));
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > THREADS && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** What was said after the call that has now come, oldest first. */
  take(session: SessionId, call: Incoming): Incoming[] {
    const known = this.#kept.get(session) ?? [];
    this.#kept.delete(session);
    return known.filter((each) => each.at >= call.at && each.id !== call.id).sort((a, b) => a.at - b.at);
  }
}
