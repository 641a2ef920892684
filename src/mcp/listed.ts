/**
 * What a session lists, and lists again when the server says that it changed.
 *
 * L1. However often it says so, it is listed once at a time, and not without a pause. A list that cannot be had again leaves the old one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Listing } from "./called.ts";

/** A server that goes on saying that its tools changed is given so much time between two lists. */
const RELIST = 300;

export class Listed {
  now: Listing = { tools: [], about: { instructions: "", resources: false, prompts: false } };
  /** A list that is under way. */
  fresh: { done: Promise<void>; since: number } | undefined;
  #list: (() => Promise<Listing>) | undefined;
  #stale = false;
  #over = false;

  /** Rejects if there is no first list. */
  async begin(list: () => Promise<Listing>): Promise<void> {
    this.now = await list();
    this.#list = list;
    if (this.#stale) this.changed();
  }

  /** The server said that it changed. */
  changed(): void {
    this.#stale = true;
    if (!this.#list || this.fresh || this.#over) return;
    this.fresh = { done: this.#again(this.#list), since: Date.now() };
  }

  /** The session is over. */
  end(): void {
    this.#over = true;
  }

  async #again(list: () => Promise<Listing>): Promise<void> {
    for (let tries = 0; this.#stale && !this.#over; tries++) {
      if (tries) await sleep(RELIST, undefined, { ref: false });
      this.#stale = false;
      const listing = await list().catch(() => undefined);
      if (listing) this.now = listing;
    }
    this.fresh = undefined;
  }
}
