/**
 * The files of conversations on the disk: those that came with messages, which the session may read, and those that calls set aside.
 *
 * A1. A file belongs to its thread and is below no other's folder. What is full or cannot be written is said in a sentence.
 */
import type { Attachments, Files } from "../core/ports.ts";
import { callName, handedFiles, receivedFiles } from "./mounts.ts";
import { isError } from "./refusal.ts";

export interface AttachmentsOptions {
  /** The home's directory. */
  directory(home: string): string;
  /** Bounds what all of a home's conversations may take. */
  bounded?(home: string, files: Files): Files;
}

export function attachments({ directory, bounded = (_, files) => files }: AttachmentsOptions): Attachments {
  const received = (home: string, session: string) => bounded(home, receivedFiles(directory(home), session));
  return {
    async has(home, session, name) {
      return !isError(await received(home, session).read(`/${name}`));
    },
    async put(home, session, name, bytes) {
      const written = await received(home, session).write(`/${name}`, bytes);
      return isError(written) ? `it could not be kept: ${written.detail}` : undefined;
    },
    async remove(home, session, name) {
      await received(home, session).remove(`/${name}`);
    },
    async handed(home, session, call) {
      const bytes = await handedFiles(directory(home), session).read(`/${callName(session, call)}`);
      return isError(bytes) ? undefined : bytes;
    },
  };
}
