/** Why messages were or were not answered, the newest of each channel, for `/why`. In memory: a reason is for the moment it is asked about. */
import type { Place } from "../core/event.ts";
import type { Incoming, Silence } from "../core/ports.ts";
import { isPrivate, scopeOf } from "../core/scope.ts";

const CHANNELS = 500;
const EACH = 10;

export class Reasons {
  readonly #lines = new Map<string, Silence & { home: string }>();

  add(home: string, { place, channel, shared, by, text, at }: Incoming, reason: string): void {
    const key = keyOf(place);
    const when = new Date(at).toISOString().slice(11, 16);
    const line = `${when} UTC, ${by.name}: “${text.slice(0, 40).replace(/\s+/g, " ")}” — ${reason}`;
    const lines = [line, ...(this.#lines.get(key)?.lines ?? [])].slice(0, EACH);
    this.#lines.delete(key);
    this.#lines.set(key, { home, place: { ...place, thread: null }, private: isPrivate(scopeOf(channel, shared, "", "")), lines });
    const oldest = this.#lines.keys().next().value;
    if (this.#lines.size > CHANNELS && oldest !== undefined) this.#lines.delete(oldest);
  }

  of(place: Place): string[] {
    return this.#lines.get(keyOf(place))?.lines ?? [];
  }

  /** Of all places of a home, the latest first. */
  all(home: string): Silence[] {
    return [...this.#lines.values()].filter((silence) => silence.home === home).reverse();
  }
}
const keyOf = ({ platform, team, channel }: Place): string => `${platform} ${team} ${channel}`;
