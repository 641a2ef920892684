/** The log, and the one kind of error that is meant for people. */

/** One line per fact: what it is about, and a sentence. Secrets are masked by whoever implements it. */
export interface Log {
  debug(facts: object, msg: string): void;
  info(facts: object, msg: string): void;
  warn(facts: object, msg: string): void;
  error(facts: object, msg: string): void;
}

/** A sentence for people: what is wrong and what mends it. */
export class UserError extends Error {
  override name = "UserError";
}
