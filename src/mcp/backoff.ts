/** When a server that failed is tried again: at first at once, then with growing pauses; one that was up for a while begins from the front. */
const PAUSES = [0, 1000, 5000, 15_000, 60_000];
/** Up for so long, a crash is a first failure again. */
const STEADY = 10_000;

export class Backoff {
  #failures = 0;

  /** The time of the next try. `up`: since when it was there, if it was. */
  failed(up: number | undefined): number {
    if (up !== undefined && Date.now() - up > STEADY) this.#failures = 0;
    return Date.now() + (PAUSES[Math.min(this.#failures++, PAUSES.length - 1)] ?? 0);
  }
  forget(): void {
    this.#failures = 0;
  }
}
