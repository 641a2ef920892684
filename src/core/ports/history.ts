/** What happened to a home's files: every change with its cause, and the way back. */
import type { Speaker } from "../event.ts";
import type { CallId, SessionId } from "../id.ts";
import type { Scope } from "../scope.ts";

/** Why a file was changed. */
export interface Cause {
  /** `outside`: nobody told us; found at the next look. */
  kind: "agent" | "person" | "job" | "undo" | "outside" | "begun";
  /** A sentence for people. */
  text: string;
  /** Who asked for it or did it. */
  by?: Pick<Speaker, "id" | "name">;
  at: number;
  /** Who approved it, where it was asked. */
  approved?: string[];
  session?: SessionId;
  call?: CallId;
  /** Of the session: where it is private, the link to it is shown only there. */
  scope?: Scope;
  /** With `undo`: the changes that were taken back. */
  undoes?: string[];
}
export interface FileChange {
  /** Below the home, without a slash in front: `AGENTS.md`, `files/a.md`. */
  path: string;
  how: "added" | "changed" | "deleted";
}
export interface Commit extends Cause {
  id: string;
  files: FileChange[];
}
export interface FileDiff extends FileChange {
  /** Unified; a sentence where there is nothing to show as text. */
  diff: string;
}
export type Undone = { ok: true; commit: Commit } | { ok: false; why: string };

export interface History {
  /** The newest first. */
  commits(page?: { skip?: number; limit?: number }): Promise<{ commits: Commit[]; more: boolean }>;
  /** Undefined: there is no such change. */
  commit(id: string): Promise<Commit | undefined>;
  diff(id: string): Promise<FileDiff[] | undefined>;
  /** Takes changes back, all of them or none: each file three-way against what it is now. Conflicts are explained. */
  undo(ids: readonly string[], by: Pick<Speaker, "id" | "name">): Promise<Undone>;
}

/** What the harness needs to take back what a turn changed. */
export interface Changes {
  /**
   * The changes of a turn and its helpers that were not taken back yet, and whose decision taking them back is. `since`: when the
   * conversation began; one that was retired and begun anew has turns of the same numbers.
   */
  of(home: string, session: SessionId, turn: number, since: number): Promise<{ ids: string[]; level: "approve" | "admin" }>;
  undo(home: string, ids: readonly string[], by: Pick<Speaker, "id" | "name">): Promise<Undone>;
}
