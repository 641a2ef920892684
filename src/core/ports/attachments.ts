/** Where the files of conversations are kept: those that came with messages, and those that tools set aside to be handed over. */
import type { CallId, SessionId } from "../id.ts";

export interface Attachments {
  has(home: string, session: SessionId, name: string): Promise<boolean>;
  /** Undefined: it is kept. Else why not, in a sentence. */
  put(home: string, session: SessionId, name: string, bytes: Uint8Array): Promise<string | undefined>;
  /** Also when it was never there. */
  remove(home: string, session: SessionId, name: string): Promise<void>;
  /** What a call set aside; undefined: it is not there any more. */
  handed(home: string, session: SessionId, call: CallId): Promise<Uint8Array | undefined>;
}
