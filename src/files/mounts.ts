/**
 * The one tree a session sees, put together from the home, and which of it may be changed.
 *
 * T1. Of the home only what is named here is there; never memory/, agents/ or any `.git`.
 * T2. MEMORY.md changes only through `remember` and `forget`, policy.json only by people.
 * T3. Notes are those of the session's own scope; nothing of another scope can be named.
 * T4. A helper works on its root's scratch and kept results, so that files can be handed over.
 * T5. Where the team's memory is not shown (guests outside the team's channels), its facts and files are not there either.
 * T6. Files that came with messages of a thread are seen by that thread alone, and by its helpers.
 */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type CallId, rootOf, type SessionId } from "../core/id.ts";
import type { Files } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { compositeFiles } from "./composite.ts";
import { diskFiles } from "./disk.ts";
import { components } from "./path.ts";
import { READ_ONLY } from "./refusal.ts";
import { safeName } from "./safe-name.ts";
import { deferred, stateFiles } from "./state.ts";

export interface MountOptions {
  homeDir: string;
  /** The skills shared by all homes; shown read-only. */
  sharedSkillsDir?: string;
  session: SessionId;
  scope: Scope;
  /** False: this session must not see what the team knows. */
  seesTeam?: boolean;
  /** Why nothing of the home may be changed at the moment, e.g. a broken policy.json. */
  frozen?: string;
  /** What was left out of the conversation, by path below /history; made only when somebody looks. */
  history?: () => Record<string, string>;
}

/** What is mounted into the scratch, always, at times, or by a sandbox: these names are never the session's. */
const TAKEN = new Set([
  "usr",
  "bin",
  "sbin",
  "lib",
  "lib64",
  "etc",
  "proc",
  "dev",
  "tmp",
  "home",
  "skills",
  "evicted",
  "attachments",
  "memories",
  "history",
]);

/** What the agent may see of its home, by the first name. */
const CHARACTER = ["AGENTS.md", "skills", "subagents"];
const TEAM = ["KNOWLEDGE.md", "MEMORY.md", "tools.json", "policy.json", "files"];

export function mounts(options: MountOptions): Files {
  const { homeDir, session, scope, history, sharedSkillsDir } = options;
  const readOnly = (): string => READ_ONLY;
  return compositeFiles({
    "/": diskFiles(homeDir, { at: scratchPath(session), allow: (path) => !TAKEN.has(components(path)[0] ?? "") }),
    "/home": homeFiles(options),
    "/memories": diskFiles(homeDir, { at: notesPath(scope) }),
    "/evicted": diskFiles(homeDir, { at: evictedPath(session), frozen: readOnly }),
    "/attachments": diskFiles(homeDir, { at: receivedPath(session), frozen: readOnly }),
    ...(sharedSkillsDir === undefined ? {} : { "/skills": diskFiles(sharedSkillsDir, { frozen: readOnly }) }),
    ...(history === undefined ? {} : { "/history": deferred(() => stateFiles(history(), { readOnly: true })) }),
  });
}

function homeFiles({ homeDir, seesTeam = true, frozen }: MountOptions): Files {
  const shown = new Set(seesTeam ? [...CHARACTER, ...TEAM] : CHARACTER);
  return diskFiles(homeDir, {
    allow: (path) => {
      const names = components(path);
      return (names.length === 0 || shown.has(names[0] ?? "")) && !names.some((name) => name.toLowerCase() === ".git");
    },
    frozen: (path) => keptByOthers(path) ?? frozen,
  });
}

/** Why a file of the home is not the agent's to write; by its path below the home. */
export function keptByOthers(path: string): string | undefined {
  const [first] = components(path);
  if (first === "MEMORY.md") return "facts are kept with the tool `remember`, not by writing this file";
  if (first === "policy.json") return "only people change this file, in an editor or in the console";
  return undefined;
}

/** Results too large for the context, written by the product and read by the session. */
export const evictedFiles = (homeDir: string, session: SessionId): Files => diskFiles(homeDir, { at: evictedPath(session) });

/** Where a scope's memory lies below the home, but for the team's MEMORY.md. */
export function memoryFolder(scope: Scope): string {
  if (scope === "team") return "memory/team";
  const id = scope.slice(scope.indexOf(":") + 1);
  return `memory/${scope.startsWith("person:") ? "people" : "channels"}/${safeName(id)}`;
}

const notesPath = (scope: Scope): string => `${memoryFolder(scope)}/notes`;

/** A scope's MEMORY.md, below the home. */
export const memoryPath = (scope: Scope): string => (scope === "team" ? "/MEMORY.md" : `/${memoryFolder(scope)}/MEMORY.md`);

/** A session's scratch, below the home. */
export const scratchPath = (session: SessionId): string => `agents/main/context/scratch/${safeName(rootOf(session))}`;
export const evictedPath = (session: SessionId): string => `agents/main/evicted/${safeName(rootOf(session))}`;
/** Files of a thread's messages, and files that were set aside to be posted in it. */
export const attachmentsPath = (session: SessionId): string => `agents/main/context/attachments/${safeName(rootOf(session))}`;
const receivedPath = (session: SessionId): string => `${attachmentsPath(session)}/received`;
export const receivedFiles = (homeDir: string, session: SessionId): Files => diskFiles(homeDir, { at: receivedPath(session) });
export const handedFiles = (homeDir: string, session: SessionId): Files => diskFiles(homeDir, { at: `${attachmentsPath(session)}/handed` });
/** What a thread leaves on the disk beside its record, below the home. */
export const leftovers = (session: SessionId): string[] => [scratchPath(session), evictedPath(session), attachmentsPath(session)];

/** A name for what belongs to a call: helpers share the folders of their root, so the way to the helper is part of it. */
export const callName = (session: SessionId, call: CallId): string =>
  safeName([...session.slice(rootOf(session).length + 1).split("/"), call].filter(Boolean).join("-"));

/** The folders a command sees, at the paths the file tools know. */
export async function sandboxMounts(
  options: Pick<MountOptions, "homeDir" | "sharedSkillsDir" | "session" | "scope"> & { filesWritable: boolean; seesTeam: boolean },
) {
  const { homeDir, sharedSkillsDir, session, scope, filesWritable, seesTeam } = options;
  const wanted = [
    { at: "/", dir: join(homeDir, scratchPath(session)), writable: true },
    ...(seesTeam ? [{ at: "/home/files", dir: join(homeDir, "files"), writable: filesWritable }] : []),
    { at: "/home/skills", dir: join(homeDir, "skills"), writable: false },
    // To be read only: what a command writes is bounded where room is measured, and notes are not.
    { at: "/memories", dir: join(homeDir, notesPath(scope)), writable: false },
    { at: "/evicted", dir: join(homeDir, evictedPath(session)), writable: false },
    { at: "/attachments", dir: join(homeDir, receivedPath(session)), writable: false },
    ...(sharedSkillsDir === undefined ? [] : [{ at: "/skills", dir: sharedSkillsDir, writable: false }]),
  ];
  await Promise.all(wanted.map(({ dir }) => mkdir(dir, { recursive: true })));
  return wanted;
}
