/**
 * The full readable log of a home's sessions: `<folder>/<session>/<date>.jsonl`, rendered from the journal.
 *
 * A1. Nothing reads it but people: it is made from the journal, can be made again at any time, and only its last line is looked at, to
 *     see what is missing. So a repeat adds nothing, and whatever a crash left out is added by the next time.
 * A2. What a crash left of a line is taken away before the next is written.
 * A3. A deletion writes the log of its session anew, without the words that were deleted.
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "../core/id.ts";
import type { Journal } from "../core/ports.ts";
import { locked } from "../files/lock.ts";
import { safeName } from "../files/safe-name.ts";
import { type Day, daysOf, deletedIn } from "./lines.ts";

export interface Archive {
  /** Adds what the log of a root and its helpers lacks. */
  add(root: SessionId): Promise<void>;
  /** Writes all logs anew; returns how many sessions there are. What belongs to no session any more is removed. */
  renew(): Promise<number>;
}

export function archive(folder: string, journal: Journal): Archive {
  const add = async (session: SessionId): Promise<void> => {
    const own = join(folder, safeName(session));
    const last = await lastOf(own);
    const events = await journal.events(session, last.seq);
    if (deletedIn(events).size) return renew(session);
    await mkdir(own, { recursive: true, mode: 0o700 });
    for (const day of daysOf(events, last.date)) await append(own, day);
  };
  const renew = async (session: SessionId): Promise<void> => {
    const own = join(folder, safeName(session));
    const days = daysOf(await journal.events(session));
    await mkdir(own, { recursive: true, mode: 0o700 });
    for (const day of days) await replace(own, day);
    const names = days.map(nameOf);
    for (const name of await readdir(own)) if (!names.includes(name)) await rm(join(own, name), { recursive: true, force: true });
  };
  const each = async (root: SessionId, work: (session: SessionId) => Promise<void>): Promise<SessionId[]> => {
    const family = await journal.family(root);
    for (const session of family) await locked(join(folder, safeName(session)), () => work(session));
    return family;
  };
  return {
    add: async (root) => void (await each(root, add)),
    async renew() {
      const sessions: SessionId[] = [];
      for (const { session } of await journal.sessions()) sessions.push(...(await each(session, renew)));
      const names = new Set(sessions.map(safeName));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const name of await readdir(folder)) if (!names.has(name)) await rm(join(folder, name), { recursive: true, force: true });
      return sessions.length;
    },
  };
}

const nameOf = ({ date }: Day): string => `${date}.jsonl`;

async function append(folder: string, day: Day): Promise<void> {
  await writeFile(join(folder, nameOf(day)), day.lines, { flag: "a", mode: 0o600 });
}

async function replace(folder: string, day: Day): Promise<void> {
  const draft = join(folder, `.${randomUUID()}`);
  await writeFile(draft, day.lines, { mode: 0o600 });
  await rename(draft, join(folder, nameOf(day)));
}

/** The day and position of the last whole line; what stands behind it is cut off. */
async function lastOf(folder: string): Promise<{ date: string; seq: number }> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name)).sort();
  for (const name of names.reverse()) {
    const file = await open(join(folder, name), "r+");
    try {
      const line = await lastLine(file);
      const seq = line === undefined ? undefined : Number(/^\{"seq":(\d+)[,}]/.exec(line)?.[1]);
      if (seq !== undefined && Number.isSafeInteger(seq)) return { date: name.slice(0, 10), seq };
    } finally {
      await file.close();
    }
    // A day without a whole line has nothing to keep; its lines come again.
    await rm(join(folder, name), { force: true });
  }
  return { date: "", seq: 0 };
}

const CHUNK = 64 * 1024;
async function lastLine(file: FileHandle): Promise<string | undefined> {
  const { size } = await file.stat();
  for (let length = CHUNK; ; length *= 4) {
    const from = Math.max(0, size - length);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const end = buffer.subarray(0, bytesRead).lastIndexOf("\n");
    const start = end < 1 ? -1 : buffer.lastIndexOf("\n", end - 1);
    if (end >= 0 && (start >= 0 || from === 0)) {
      if (from + end + 1 < size) await file.truncate(from + end + 1);
      return buffer.subarray(start + 1, end).toString("utf8");
    }
    if (from === 0) return undefined;
  }
}
