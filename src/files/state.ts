/**
 * Files held in memory: for what is rendered and never was on a disk, and for tests of whatever uses `Files`.
 *
 * Folders are implied by the files in them, so an emptied folder is gone.
 */
import type { FileError, FileInfo, Files } from "../core/ports.ts";
import { components, isWithin, join } from "./path.ts";
import { attempt, IS_FOLDER, NOT_FOLDER, NOT_FOUND, READ_ONLY, Refusal, ROOT_STAYS } from "./refusal.ts";

/** `content`: text by path. */
export function stateFiles(content: Readonly<Record<string, string>> = {}, options: { readOnly?: boolean } = {}): Files {
  const encoder = new TextEncoder();
  return new StateFiles(new Map(Object.entries(content).map(([path, text]) => [path, encoder.encode(text)])), options.readOnly ?? false);
}

class StateFiles implements Files {
  private readonly files: Map<string, Uint8Array>;
  private readonly readOnly: boolean;

  constructor(files: Map<string, Uint8Array>, readOnly: boolean) {
    this.files = files;
    this.readOnly = readOnly;
  }

  async list(path: string): Promise<FileInfo[] | FileError> {
    return attempt(async () => {
      this.mustBeFolder(path);
      const children = new Map<string, FileInfo>();
      for (const [file, content] of this.below(path)) {
        const [name = "", ...deeper] = components(file).slice(components(path).length);
        const child = join(path, name);
        children.set(child, { path: child, directory: deeper.length > 0, size: deeper.length > 0 ? 0 : content.byteLength });
      }
      return sorted([...children.values()]);
    });
  }

  async read(path: string): Promise<Uint8Array | FileError> {
    return attempt(async () => this.content(path).slice());
  }

  async write(path: string, content: Uint8Array): Promise<{ ok: true } | FileError> {
    return attempt(async () => {
      this.mayChange();
      if (this.isFolder(path)) throw new Refusal("is_directory", IS_FOLDER);
      this.mustFit(path);
      this.files.set(path, content.slice());
      return { ok: true } as const;
    });
  }

  async update(path: string, change: (content: Uint8Array) => Uint8Array | null): Promise<{ ok: true; changed: boolean } | FileError> {
    return attempt(async () => {
      this.mayChange();
      const after = change(this.content(path).slice());
      if (after) this.files.set(path, after);
      return { ok: true, changed: after !== null } as const;
    });
  }

  async remove(path: string): Promise<{ ok: true } | FileError> {
    return attempt(async () => {
      this.mayChange();
      if (path === "/") throw new Refusal("permission_denied", ROOT_STAYS);
      if (!this.files.has(path) && !this.isFolder(path)) throw this.missing(path);
      for (const [file] of this.below(path)) this.files.delete(file);
      return { ok: true } as const;
    });
  }

  async walk(path: string, limit: number): Promise<{ files: FileInfo[]; truncated: boolean } | FileError> {
    return attempt(async () => {
      if (!this.files.has(path)) this.mustBeFolder(path);
      const all = sorted(this.below(path).map(([file, content]) => ({ path: file, directory: false, size: content.byteLength })));
      return { files: all.slice(0, limit), truncated: all.length > limit };
    });
  }

  private content(path: string): Uint8Array {
    const content = this.files.get(path);
    if (content) return content;
    if (this.isFolder(path)) throw new Refusal("is_directory", IS_FOLDER);
    throw this.missing(path);
  }
  private below(path: string): [string, Uint8Array][] {
    return [...this.files].filter(([file]) => isWithin(path, file));
  }
  private isFolder(path: string): boolean {
    return path === "/" || [...this.files.keys()].some((file) => file !== path && isWithin(path, file));
  }
  private mustBeFolder(path: string): void {
    if (this.files.has(path)) throw new Refusal("invalid_path", NOT_FOLDER);
    if (!this.isFolder(path)) throw this.missing(path);
  }
  private mayChange(): void {
    if (this.readOnly) throw new Refusal("permission_denied", READ_ONLY);
  }
  private missing(path: string): Refusal {
    return this.insideFile(path)
      ? new Refusal("invalid_path", "a part of the path is not a folder")
      : new Refusal("file_not_found", NOT_FOUND);
  }
  private mustFit(path: string): void {
    if (this.insideFile(path)) throw new Refusal("invalid_path", "a part of the path is not a folder");
  }
  private insideFile(path: string): boolean {
    return [...this.files.keys()].some((file) => file !== path && isWithin(file, path));
  }
}

const sorted = (infos: FileInfo[]): FileInfo[] => infos.sort((a, b) => (a.path < b.path ? -1 : 1));

/** Files that are costly to make, made at the first use. */
export function deferred(make: () => Files): Files {
  let made: Files | undefined;
  const files = (): Files => (made ??= make());
  return {
    list: (path) => files().list(path),
    read: (path) => files().read(path),
    write: (path, content) => files().write(path, content),
    update: (path, change) => files().update(path, change),
    remove: (path) => files().remove(path),
    walk: (path, limit) => files().walk(path, limit),
  };
}
