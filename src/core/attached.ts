/**
 * The files that came with messages, and what is to be done about each.
 *
 * F1. A file is settled, there or not to be had, before the step that is told of it opens: what the model reads of it never changes.
 * F2. A file whose message is gone, or was never taken up, is taken away again, whether or not it had come yet.
 */
import type { Event } from "./event.ts";
import { type Attachment, fileKey, fileName } from "./file.ts";
import type { FileKey } from "./id.ts";
import type { State } from "./state.ts";
import { earlyOf, isOpen } from "./talk.ts";

export interface Held extends Attachment {
  key: FileKey;
  message: string;
  /** Below /attachments. */
  at: string;
  status: "wanted" | "there" | "missing" | "unwanted";
  /** Why it is missing. */
  problem: string;
}
export type Attached = Readonly<Record<FileKey, Held>>;
export const NO_FILES: Attached = {};

/** Fetched at the same time. */
const SIDE_BY_SIDE = 4;

export function reduceAttached(attached: Attached, event: Event, { talk }: State): Attached {
  switch (event.type) {
    case "message.received":
      return earlyOf(talk, event.id) === "gone" ? attached : came(attached, event.id, event.files ?? []);
    case "message.deleted":
    case "message.withdrawn":
      return each(attached, (held) => (held.message === event.id ? unwanted(held) : held));
    case "turn.stopped":
      // A stop takes up what was queued without a step that could be told of it.
      return isOpen(talk) ? attached : each(attached, (held) => (held.status === "wanted" ? unwanted(held) : held));
    case "file.fetched": {
      const { file, problem = "" } = event;
      return each(attached, (held) => (held.key === file ? { ...held, status: problem ? "missing" : "there", problem } : held));
    }
    case "file.removed": {
      const { [event.file]: _, ...rest } = attached;
      return rest;
    }
    default:
      return attached;
  }
}

const unwanted = (held: Held): Held => ({ ...held, status: "unwanted" });

function came(attached: Attached, message: string, files: readonly Attachment[]): Attached {
  const fresh = files.flatMap(({ id, name, mime, size }): [FileKey, Held][] => {
    const key = fileKey(message, id);
    return attached[key] ? [] : [[key, { id, name, mime, size, key, message, at: fileName(key, name), status: "wanted", problem: "" }]];
  });
  return fresh.length ? { ...attached, ...Object.fromEntries(fresh) } : attached;
}

function each(attached: Attached, change: (held: Held) => Held): Attached {
  const before = Object.entries(attached);
  const after = before.map(([key, held]) => [key, change(held)] as const);
  return after.every(([, held], index) => held === before[index]?.[1]) ? attached : Object.fromEntries(after);
}

/** Files to be fetched now, before the next step; the others follow. */
export const wanted = (attached: Attached): Held[] =>
  Object.values(attached)
    .filter(({ status }) => status === "wanted")
    .slice(0, SIDE_BY_SIDE);
export const toRemove = (attached: Attached): Held[] => Object.values(attached).filter(({ status }) => status === "unwanted");

/** A file as a message that was taken up tells of it. */
export interface Told extends Pick<Attachment, "name" | "mime" | "size"> {
  at: string;
  problem?: string;
}
export function toldOf(message: string, files: readonly Attachment[], attached: Attached): Told[] {
  return files.map(({ id, name, mime, size }) => {
    const key = fileKey(message, id);
    const { status, problem } = attached[key] ?? { status: "unwanted", problem: "" };
    const missing = status === "there" ? {} : { problem: problem || "it was not fetched" };
    return { name, mime, size, at: fileName(key, name), ...missing };
  });
}
