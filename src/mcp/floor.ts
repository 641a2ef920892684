/**
 * Who has the floor at a server: what it asks while calls run belongs to one of them, and the protocol does not say to which.
 *
 * F1. A request is given to a call only if none of another conversation can have caused it: what is asked for one is never shown in another.
 * F2. From the first request on, a server has one call at a time; one that waits for people makes room for the others. While it does, its
 *     tool waits for the answer and asks nothing else; one that was seen to do so, or that took its question back, may ask at any time.
 */
export class Floor<T extends { of: string }> {
  readonly #talking = new Set<T>();
  /** All that began and have not ended. */
  readonly #begun = new Set<T>();
  /** Those whose tool waits for an answer of people. */
  readonly #waiting = new Set<T>();
  readonly #queue: (() => void)[] = [];
  #alone = false;

  /** Undefined: it has it at once. */
  enter(call: T): Promise<void> | undefined {
    if (this.#alone && this.#talking.size > 0) return this.#wait(call);
    this.#begin(call);
    return undefined;
  }

  async #wait(call: T): Promise<void> {
    while (this.#talking.size > 0) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#begin(call);
  }

  #begin(call: T): void {
    this.#talking.add(call);
    this.#begun.add(call);
    this.#waiting.delete(call);
  }

  leave(call: T): void {
    this.#begun.delete(call);
    this.#waiting.delete(call);
    this.#go(call);
  }

  /** It waits for people, and comes back. */
  rest(call: T): void {
    this.#waiting.add(call);
    setTimeout(() => this.#go(call), TOGETHER).unref();
  }

  #go(call: T): void {
    this.#talking.delete(call);
    this.#queue.shift()?.();
  }

  /** Its question was taken back. */
  freed(call: T): void {
    this.#waiting.delete(call);
  }

  /** All calls that have not ended. */
  all(): T[] {
    return [...this.#begun];
  }

  /** Whose a request is that came just now; undefined where that cannot be known. */
  asking(): T | undefined {
    this.#alone = true;
    const [one, another] = this.#talking;
    if (!one) this.#waiting.clear();
    if (!one || another) return undefined;
    return this.all().every((call) => call.of === one.of || this.#waiting.has(call)) ? one : undefined;
  }
}

/** What a tool asks side by side comes within so much time. */
const TOGETHER = 50;
