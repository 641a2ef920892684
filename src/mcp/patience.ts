/** How long a call may be silent: a sign of life gives it as much again, but not for ever. The clock stands while people are asked. */

/** A call that goes on giving signs of life may take so many times its time. */
export const LONGER = 5;

export class Patience {
  readonly #over = new AbortController();
  #each = 0;
  #left = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Aborted once it is used up. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  start(each: number): void {
    this.#each = each;
    this.#left = each * LONGER;
    this.resume();
  }

  touch(): void {
    if (this.#timer === undefined) return;
    this.pause();
    this.resume();
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= performance.now() - this.#since;
  }

  resume(): void {
    if (this.#timer !== undefined || this.#each === 0) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#over.abort(), Math.max(0, Math.min(this.#each, this.#left)));
    this.#timer.unref();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#each = 0;
  }
}
