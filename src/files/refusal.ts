/**
 * The ways a file operation can fail, as values. Inside a backend they travel as a thrown `Refusal` or as the system's own error;
 * `attempt` is the one door through which both leave as a `FileError`. Anything else is a bug and stays thrown.
 *
 * Details are sentences without the path: only the caller knows under which name the model sees it.
 */
import type { FileError } from "../core/ports.ts";

export class Refusal extends Error {
  override name = "Refusal";
  readonly value: FileError;
  constructor(error: FileError["error"], detail: string) {
    super(detail);
    this.value = { error, detail };
  }
}

export const NOT_FOUND = "there is no such file or folder";
export const IS_FOLDER = "this is a folder";
export const NOT_FOLDER = "this is a file, not a folder";
export const ROOT_STAYS = "this folder cannot be deleted";
export const READ_ONLY = "this can be read but not changed";

const KINDS: Record<string, [FileError["error"], string]> = {
  ENOENT: ["file_not_found", NOT_FOUND],
  EISDIR: ["is_directory", IS_FOLDER],
  ENOTDIR: ["invalid_path", "a part of the path is not a folder"],
  ELOOP: ["permission_denied", "links are not followed"],
  EACCES: ["permission_denied", "the system does not allow it"],
  EPERM: ["permission_denied", "the system does not allow it"],
  EROFS: ["permission_denied", "the disk is read-only"],
  ENAMETOOLONG: ["invalid_path", "the name is too long for this disk"],
  EINVAL: ["invalid_path", "the disk does not take this name"],
  ENOSPC: ["failed", "the disk is full"],
  EDQUOT: ["failed", "the disk quota is used up"],
};

export async function attempt<T>(work: () => Promise<T>): Promise<T | FileError> {
  try {
    return await work();
  } catch (error) {
    const value = toFileError(error);
    if (!value) throw error;
    return value;
  }
}

function toFileError(error: unknown): FileError | undefined {
  if (error instanceof Refusal) return error.value;
  const code = codeOf(error);
  if (code === undefined) return undefined;
  const [kind, detail] = KINDS[code] ?? ["failed", `the system answered ${code}`];
  return { error: kind, detail };
}

/** The system's name of an error, e.g. `ENOENT`; undefined for everything that is not the system's. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

export const isError = (value: object): value is FileError => "error" in value;
