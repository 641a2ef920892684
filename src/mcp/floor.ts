/**
 * Who has the floor at a server: what it asks while calls run belongs to one of them, and the protocol does not say to which.
 *
 * F1. A request is given to a call only if no other can have caused it: what is asked for one conversation is never shown in another.
 * F2. From the first request on, a server has one call at a time; one that waits for people makes room for the others.
 */
export class Floor<T> {
  readonly #talking = new Set<T>();
  readonly #here = new Set<T>();
  readonly #queue: (() => void)[] = [];
  #alone = false;

  /** Undefined: it has it at once. */
  enter(call: T): Promise<void> | undefined {
    this.#here.add(call);
    if (this.#alone && this.#talking.size > 0) return this.#wait(call);
    this.#talking.add(call);
    return undefined;
  }

  async #wait(call: T): Promise<void> {
    while (this.#talking.size > 0) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#talking.add(call);
  }

  /** `for good`: else it waits for people, and comes back. */
  leave(call: T, forGood: boolean): void {
    if (forGood) this.#here.delete(call);
    this.#talking.delete(call);
    this.#queue.shift()?.();
  }

  /** All calls that have not ended. */
  all(): T[] {
    return [...this.#here];
  }

  /** Whose a request is that came just now; undefined where that cannot be known. */
  asking(): T | undefined {
    this.#alone = true;
    return this.#talking.size === 1 ? [...this.#talking][0] : undefined;
  }
}
