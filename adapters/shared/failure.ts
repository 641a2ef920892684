/** What became of a call to a platform, as a value. */
import type { Posted } from "../../src/core/ports.ts";

export type Outcome<T> = { ok: true; value: T } | Failure;
export interface Failure {
  ok: false;
  /** The platform may have done it; else it certainly did not. */
  unsure: boolean;
  /** Not before, in ms from now; null: it will never work. */
  retryIn: number | null;
  /** The platform's own code where there is one. */
  code: string;
  reason: string;
}

/** A request that never left: nothing listened, or the name is unknown. */
export const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

/** The value of a call, or its failure as the platform's own words make it out. */
export const attempting =
  (failure: (error: unknown) => Failure) =>
  async <T>(call: Promise<T>): Promise<Outcome<T>> => {
    try {
      return { ok: true, value: await call };
    } catch (error) {
      return failure(error);
    }
  };

export const notPosted = ({ unsure, retryIn, reason }: Failure): Posted => ({ ok: false, unsure, retryIn, reason });
