/** Why messages were or were not answered, the newest of each channel, for `/why`. In memory: a reason is for the moment it is asked about. */
import type { Place } from "../core/event.ts";
import type { Incoming } from "../core/ports.ts";

const CHANNELS = 500;
const EACH = 10;

export class Reasons {
  readonly #lines = new Map<string, string[]>();

  add({ place, by, text, at }: Incoming, reason: string): void {
    const key = keyOf(place);
    const when = new Date(at).toISOString().slice(11, 16);
    const line = `${when} UTC, ${by.name}: “${text.slice(0, 40).replace(/\s+/g, " ")}” — ${reason}`;
    const lines = [line, ...(this.#lines.get(key) ?? [])].slice(0, EACH);
    this.#lines.delete(key);
    this.#lines.set(key, lines);
    const oldest = this.#lines.keys().next().value;
    if (this.#lines.size > CHANNELS && oldest !== undefined) this.#lines.delete(oldest);
  }

  of(place: Place): string[] {
    return this.#lines.get(keyOf(place)) ?? [];
  }
}
const keyOf = ({ platform, team, channel }: Place): string => `${platform} ${team} ${channel}`;
