/**
 * Several trees as one: each path belongs to exactly one mount, the one with the longest prefix of whole names.
 *
 * M1. `/mem` does not capture `/memory.txt`.
 * M2. A listing shows the mounts below it as folders; what a mount covers in the tree beneath is not shown.
 * M3. A walk gives each mount below it a fair share of what is left of the limit, so that none hides another.
 * M4. A mount, and a folder that holds one, cannot be deleted.
 */
import type { FileError, FileInfo, Files } from "../core/ports.ts";
import { components, isWithin, join } from "./path.ts";
import { isError, ROOT_STAYS } from "./refusal.ts";

/** `mounts`: trees by the folder they appear under; the one at `/` takes what no other does. */
export function compositeFiles(mounts: Readonly<Record<string, Files>> & { "/": Files }): Files {
  return new Composite(Object.entries(mounts).map(([at, files]) => ({ at, files })));
}

interface Mount {
  at: string;
  files: Files;
}

class Composite implements Files {
  private readonly mounts: readonly Mount[];

  constructor(mounts: Mount[]) {
    this.mounts = mounts.sort((a, b) => b.at.length - a.at.length);
  }

  async list(path: string): Promise<FileInfo[] | FileError> {
    const { mount, inner } = this.owner(path);
    const found = await mount.files.list(inner);
    const folders = this.foldersOf(path);
    if (isError(found) && (found.error !== "file_not_found" || folders.length === 0)) return found;
    const own = isError(found) ? [] : found.map((info) => outer(mount, info)).filter((info) => !folders.includes(info.path));
    const all = [...own, ...folders.map((folder) => ({ path: folder, directory: true, size: 0 }))];
    return all.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async read(path: string): Promise<Uint8Array | FileError> {
    const { mount, inner } = this.owner(path);
    return mount.files.read(inner);
  }

  async write(path: string, content: Uint8Array): Promise<{ ok: true } | FileError> {
    const { mount, inner } = this.owner(path);
    if (this.holdsMount(path)) return { error: "is_directory", detail: "this is a folder" };
    return mount.files.write(inner, content);
  }

  async update(path: string, change: (content: Uint8Array) => Uint8Array | null): Promise<{ ok: true; changed: boolean } | FileError> {
    const { mount, inner } = this.owner(path);
    return mount.files.update(inner, change);
  }

  async remove(path: string): Promise<{ ok: true } | FileError> {
    const { mount, inner } = this.owner(path);
    if (this.holdsMount(path)) return { error: "permission_denied", detail: ROOT_STAYS };
    return mount.files.remove(inner);
  }

  async walk(path: string, limit: number): Promise<{ files: FileInfo[]; truncated: boolean } | FileError> {
    const own = this.owner(path);
    const parts = [own, ...this.mounts.filter(({ at }) => at !== path && isWithin(path, at)).map((mount) => ({ mount, inner: "/" }))];
    const files: FileInfo[] = [];
    let truncated = false;
    for (const [index, { mount, inner }] of parts.entries()) {
      const share = Math.ceil((limit - files.length) / (parts.length - index));
      const found = await mount.files.walk(inner, share);
      if (isError(found)) {
        // What is below the path may be there although the path itself is only implied by it.
        if (parts.length === 1) return found;
        continue;
      }
      truncated ||= found.truncated;
      for (const info of found.files.map((each) => outer(mount, each))) if (this.owner(info.path).mount === mount) files.push(info);
    }
    return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), truncated };
  }

  private owner(path: string): { mount: Mount; inner: string } {
    const mount = this.mounts.find(({ at }) => isWithin(at, path));
    if (!mount) throw new Error(`no tree is mounted for ${path}`);
    return { mount, inner: mount.at === "/" ? path : path.slice(mount.at.length) || "/" };
  }

  /** Folders directly in a path that are mounts or lead to one. */
  private foldersOf(path: string): string[] {
    const depth = components(path).length;
    const below = this.mounts.filter(({ at }) => at !== path && isWithin(path, at));
    return [...new Set(below.map(({ at }) => join(path, components(at)[depth] ?? "")))];
  }

  private holdsMount(path: string): boolean {
    return this.mounts.some(({ at }) => isWithin(path, at));
  }
}

const outer = (mount: Mount, info: FileInfo): FileInfo => ({ ...info, path: mount.at === "/" ? info.path : `${mount.at}${info.path}` });
