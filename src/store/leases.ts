/**
 * Who may write to a root and its helpers. Every method runs inside a transaction of the journal.
 *
 * L1. A root has at most one holder. A lease that was not renewed in time, or whose process is known to be gone, goes to whoever asks.
 * L2. `holds` looks at the row, not at the clock: a late holder may go on until another has taken over, and never after.
 */
import type { SessionId } from "../core/id.ts";
import type { Lease } from "../core/ports.ts";
import type { Connection } from "./file.ts";
import { isGone, newHolder } from "./holder.ts";

interface Row {
  holder: string;
  expires: number;
}

export class Leases {
  readonly #holder = newHolder();
  readonly #ttl: number;
  readonly #now: () => number;
  readonly #find;
  readonly #take;
  readonly #renew;
  readonly #drop;
  readonly #dropAll;
  readonly #held = new Set<SessionId>();

  constructor(db: Connection, ttl: number, now: () => number) {
    this.#ttl = ttl;
    this.#now = now;
    this.#find = db.prepare<[SessionId], Row>("SELECT holder, expires FROM lease WHERE root = ?");
    this.#take = db.prepare<[SessionId, string, number]>("INSERT OR REPLACE INTO lease (root, holder, expires) VALUES (?, ?, ?)");
    this.#renew = db.prepare<[number, string]>("UPDATE lease SET expires = ? WHERE holder = ?");
    this.#drop = db.prepare<[SessionId, string]>("DELETE FROM lease WHERE root = ? AND holder = ?");
    this.#dropAll = db.prepare<[string]>("DELETE FROM lease WHERE holder = ?");
  }

  /** Whether there is anything to renew. */
  get any(): boolean {
    return this.#held.size > 0;
  }

  take(root: SessionId): Lease | undefined {
    const now = this.#now();
    const row = this.#find.get(root);
    const own = row?.holder === this.#holder;
    if (row && !own && row.expires > now && !isGone(row.holder)) return undefined;
    if (!own || row.expires - now < this.#ttl / 2) this.#take.run(root, this.#holder, now + this.#ttl);
    this.#held.add(root);
    return { root, holder: this.#holder };
  }

  holds({ root, holder }: Lease): boolean {
    return this.#find.get(root)?.holder === holder;
  }

  drop({ root, holder }: Lease): void {
    this.#drop.run(root, holder);
    this.#held.delete(root);
  }

  renew(): void {
    this.#renew.run(this.#now() + this.#ttl, this.#holder);
  }

  dropAll(): void {
    this.#dropAll.run(this.#holder);
  }
}
