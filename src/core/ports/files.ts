/** A tree of files. */

export type FileError = {
  error: "file_not_found" | "permission_denied" | "is_directory" | "invalid_path" | "too_large" | "failed";
  detail: string;
};
export interface FileInfo {
  path: string;
  directory: boolean;
  /** Bytes. */
  size: number;
}
/** A tree of files below `/`. Paths are absolute, `/`-separated, already normalised. Failures are values. */
export interface Files {
  list(path: string): Promise<FileInfo[] | FileError>;
  read(path: string): Promise<Uint8Array | FileError>;
  write(path: string, content: Uint8Array): Promise<{ ok: true } | FileError>;
  /** Reads, changes, writes with no other writer of this path between. `change` returns null to leave the file as it is. */
  update(path: string, change: (content: Uint8Array) => Uint8Array | null): Promise<{ ok: true; changed: boolean } | FileError>;
  remove(path: string): Promise<{ ok: true } | FileError>;
  /** All files below a path, links not followed, unreadable places skipped. Stops after `limit`. */
  walk(path: string, limit: number): Promise<{ files: FileInfo[]; truncated: boolean } | FileError>;
}
