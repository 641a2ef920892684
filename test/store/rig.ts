/** A journal in a folder of its own, and what the world can do to its file. */
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Journal } from "../../src/core/ports.ts";
import { connect } from "../../src/store/file.ts";
import { type JournalOptions, journalOn, openJournal } from "../../src/store/journal.ts";
import type { JournalRig } from "../contract/journal.ts";

export interface Folder {
  path: string;
  open(options?: JournalOptions): Journal;
  end(): Promise<void>;
}

/** Closes what was opened in it, then removes it. */
export function folder(): Folder {
  const dir = mkdtempSync(join(tmpdir(), "journal-"));
  const path = join(dir, "agents", "main", "context", "journal.db");
  const opened: Journal[] = [];
  const open = (options?: JournalOptions): Journal => {
    const journal = openJournal(path, options);
    opened.push(journal);
    return journal;
  };
  const end = async (): Promise<void> => {
    for (const journal of opened) await journal.close();
    rmSync(dir, { recursive: true });
  };
  return { path, open, end };
}

/** What a crash leaves: the file and its log as they are at this moment. */
export function leftBehind(path: string): string {
  const copy = `${path}.left`;
  copyFileSync(path, copy);
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
  return copy;
}

export async function sqliteRig(): Promise<JournalRig> {
  const { path, open, end } = folder();
  open().close();
  const db = connect(path);
  const journal = journalOn(db);
  const others: Journal[] = [];
  const kept = (other: Journal): Journal => {
    others.push(other);
    return other;
  };
  return {
    journal,
    reopen: async () => {
      await journal.close();
      return open();
    },
    second: async (ahead = 0) => open({ now: () => Date.now() + ahead }),
    torn: async () => {
      const copy = leftBehind(path);
      truncateSync(`${copy}-wal`, statSync(`${copy}-wal`).size - 700);
      return kept(openJournal(copy));
    },
    newer: async () => {
      db.pragma("user_version = 999999");
      await journal.close();
      return open();
    },
    full: (on) => {
      const pages = db.pragma("page_count", { simple: true });
      db.pragma(`max_page_count = ${on ? pages : 4_000_000_000}`);
    },
    end: async () => {
      for (const other of [journal, ...others]) await other.close();
      await end();
    },
  };
}
