/**
 * Names of sessions, calls and slots. Owns their spelling, so that no other file takes one apart.
 *
 * I1. A call is `<turn>.<step>.<index>`; on the wire it is `c_<turn>_<step>_<index>`. The provider's own id is never used.
 * I2. A helper's session is `<parent>/<call>`; everything before the first `/` is its root.
 */

/** `slack:<team>:<channel>:<thread ts>`, `discord:<guild>:<thread>`, `console:<home>:<thread>`, or a helper below one of them. */
export type SessionId = string;
export type CallId = string;
export type SlotKey = string;
/** A file that came with a message: the same for the same file of the same message. */
export type FileKey = string;

/** The session in which a home keeps what belongs to no thread: grants for everywhere. */
export const HOME_SESSION: SessionId = "home";

/** Sessions in which nights are told begin so; what follows is their first change of memory. */
export const DIGEST = "digest:";

export const callId = (turn: number, step: number, index: number): CallId => `${turn}.${step}.${index}`;
export const wireId = (call: CallId): string => `c_${call.replaceAll(".", "_")}`;

export const childOf = (parent: SessionId, call: CallId): SessionId => `${parent}/${call}`;
export const rootOf = (session: SessionId): SessionId => session.split("/", 1)[0] ?? session;

/** How many helpers stand between a session and its root. */
export const depthOf = (session: SessionId): number => session.split("/").length - 1;

/**
 * What a post is recognised by on the platform when it is in doubt: session, slot and generation. `life`: what the session was opened
 * with; a thread that was retired and is begun anew has the same name and counts from one again.
 */
export const postKey = (session: SessionId, slot: SlotKey, generation: number, life: string): string =>
  `${session} ${slot} ${generation} ${fingerprint(life)}`;

/** A short fingerprint of text, to see that something changed. Not for security: 53 bits, no secret. */
export function fingerprint(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
