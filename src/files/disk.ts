/**
 * Files on the disk, below one root that no operation can leave.
 *
 * D1. Containment holds on every operation by what is really opened (jail.ts), links are neither followed nor listed.
 * D2. A write replaces the file as a whole and keeps its mode: whenever the process dies, the old or the new content is there.
 * D3. Changes of one file wait for each other in the whole process; `update` also starts over if another program changed the file meanwhile.
 * D4. Deleting a link removes the link. The root stays.
 * D5. What `allow` does not name does not exist in listings and is refused everywhere else.
 */
import { type FileHandle, opendir } from "node:fs/promises";
import { resolve } from "node:path";
import type { FileError, FileInfo, Files } from "../core/ports.ts";
import { type Dir, enter, inside, look, openFile, verify, within } from "./jail.ts";
import { locked } from "./lock.ts";
import { components, join } from "./path.ts";
import { attempt, codeOf, IS_FOLDER, NOT_FOLDER, Refusal, ROOT_STAYS } from "./refusal.ts";
import { erase, isTemporary, replace, sameFile } from "./replace.ts";

export interface DiskOptions {
  /** A folder below the root that is this tree's `/`; reached without following links, made at the first write. */
  at?: string;
  /** Which paths are part of this tree at all. */
  allow?: (path: string) => boolean;
  /** Why a path cannot be changed; undefined: it can. */
  frozen?: (path: string) => string | undefined;
  /** Largest file that is read or written, in bytes. */
  maxBytes?: number;
  /** False: as on systems without /proc. */
  proc?: boolean;
}

const MAX_BYTES = 32 * 1024 * 1024;
const LISTED = 10_000;
const DEEPEST = 100;
const TRIES = 5;

export function diskFiles(root: string, options: DiskOptions = {}): Files {
  return new Disk(root, options);
}

class Disk implements Files {
  private readonly root: string;
  private readonly at: readonly string[];
  private readonly options: DiskOptions;
  private readonly maxBytes: number;

  constructor(root: string, options: DiskOptions) {
    this.root = resolve(root);
    this.at = components(options.at ?? "");
    this.options = options;
    this.maxBytes = options.maxBytes ?? MAX_BYTES;
  }

  async list(path: string): Promise<FileInfo[] | FileError> {
    return attempt(async () => {
      this.permit(path);
      const found = await this.inside(components(path), false, (dir) => this.entries(dir, path, LISTED)).catch((error) =>
        this.absent(path, error),
      );
      return found?.infos ?? [];
    });
  }

  async read(path: string): Promise<Uint8Array | FileError> {
    return attempt(async () => {
      this.permit(path);
      return this.parent(path, IS_FOLDER, false, async (dir, name) => {
        const { handle, stats } = await openFile(dir, name);
        return this.drain(handle, stats.size);
      });
    });
  }

  async write(path: string, content: Uint8Array): Promise<{ ok: true } | FileError> {
    return attempt(async () => {
      this.permitChange(path);
      this.weigh(content.byteLength);
      return this.alone(path, () =>
        this.parent(path, IS_FOLDER, true, async (dir, name) => {
          await replace(dir, name, content, await look(dir, name));
          return { ok: true } as const;
        }),
      );
    });
  }

  async update(path: string, change: (content: Uint8Array) => Uint8Array | null): Promise<{ ok: true; changed: boolean } | FileError> {
    return attempt(async () => {
      this.permitChange(path);
      return this.alone(path, () => this.parent(path, IS_FOLDER, false, (dir, name) => this.swap(dir, name, change)));
    });
  }

  async remove(path: string): Promise<{ ok: true } | FileError> {
    return attempt(async () => {
      this.permitChange(path);
      return this.alone(path, () =>
        this.parent(path, ROOT_STAYS, false, async (dir, name) => {
          await erase(dir, name);
          return { ok: true } as const;
        }),
      );
    });
  }

  async walk(path: string, limit: number): Promise<{ files: FileInfo[]; truncated: boolean } | FileError> {
    return attempt(async () => {
      this.permit(path);
      const budget = { left: limit, files: [] as FileInfo[], truncated: false };
      const names = components(path);
      try {
        await this.inside(names, false, (dir) => this.visit(dir, path, budget, 0));
      } catch (error) {
        const file = codeOf(error) === "ENOTDIR" ? await this.parent(path, IS_FOLDER, false, look) : undefined;
        if (file?.isFile()) budget.files.push({ path, directory: false, size: file.size });
        else this.absent(path, error);
      }
      return { files: budget.files, truncated: budget.truncated };
    });
  }

  private async visit(
    dir: Dir,
    path: string,
    budget: { left: number; files: FileInfo[]; truncated: boolean },
    depth: number,
  ): Promise<void> {
    const { infos, more } = await this.entries(dir, path, budget.left);
    if (more || depth > DEEPEST) budget.truncated = true;
    if (depth > DEEPEST) return;
    budget.left -= infos.length;
    for (const info of infos) if (!info.directory) budget.files.push(info);
    for (const info of infos.filter((each) => each.directory)) {
      const child = await enter(dir, info.path.slice(info.path.lastIndexOf("/") + 1), false, this.options.proc).catch(ignoreSystem);
      if (!child) continue;
      try {
        await this.visit(child, info.path, budget, depth + 1);
      } catch (error) {
        ignoreSystem(error);
      } finally {
        await child.handle.close();
      }
    }
  }

  /** What is in an open folder, sorted by name: plain files and folders, at most `limit`. */
  private async entries(dir: Dir, path: string, limit: number): Promise<{ infos: FileInfo[]; more: boolean }> {
    const names: string[] = [];
    let more = false;
    for await (const entry of await opendir(within(dir, "."), { bufferSize: 512 })) {
      if (isTemporary(entry.name) || !this.allows(join(path, entry.name))) continue;
      if (names.length >= limit) {
        more = true;
        break;
      }
      names.push(entry.name);
    }
    await verify(dir);
    names.sort();
    const infos: FileInfo[] = [];
    for (let i = 0; i < names.length; i += 256) {
      const stats = await Promise.all(names.slice(i, i + 256).map((name) => look(dir, name).catch(ignoreSystem)));
      stats.forEach((stat, index) => {
        if (!stat?.isFile() && !stat?.isDirectory()) return;
        infos.push({ path: join(path, names[i + index] ?? ""), directory: stat.isDirectory(), size: stat.isFile() ? stat.size : 0 });
      });
    }
    return { infos, more };
  }

  private async swap(dir: Dir, name: string, change: (content: Uint8Array) => Uint8Array | null): Promise<{ ok: true; changed: boolean }> {
    for (let i = 0; i < TRIES; i++) {
      const { handle, stats } = await openFile(dir, name);
      const after = change(await this.drain(handle, stats.size));
      if (after === null) return { ok: true, changed: false };
      this.weigh(after.byteLength);
      const now = await look(dir, name);
      if (!now || !sameFile(now, stats)) continue;
      await replace(dir, name, after, now);
      return { ok: true, changed: true };
    }
    throw new Refusal("failed", "another program keeps changing this file");
  }

  private async drain(handle: FileHandle, size: number): Promise<Uint8Array> {
    try {
      this.weigh(size);
      const content = await handle.readFile();
      this.weigh(content.byteLength);
      return content;
    } finally {
      await handle.close();
    }
  }

  private inside<T>(names: readonly string[], make: boolean, work: (dir: Dir) => Promise<T>): Promise<T> {
    return inside(this.root, [...this.at, ...names], make, work, this.options.proc);
  }

  /** Opens the folder a path lies in. `whole` says why the tree itself cannot be meant. */
  private parent<T>(path: string, whole: string, make: boolean, work: (dir: Dir, name: string) => Promise<T>): Promise<T> {
    const names = components(path);
    const name = names.pop();
    if (name === undefined) throw new Refusal(whole === IS_FOLDER ? "is_directory" : "permission_denied", whole);
    return this.inside(names, make, (dir) => work(dir, name));
  }

  private alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    return locked(["", this.root, ...this.at, ...components(path)].join("/"), work);
  }

  /** A tree nobody has written to yet is empty, not missing. */
  private absent(path: string, error: unknown): undefined {
    if (codeOf(error) === "ENOENT" && path === "/") return undefined;
    if (codeOf(error) === "ENOTDIR") throw new Refusal("invalid_path", NOT_FOLDER);
    throw error;
  }

  private allows(path: string): boolean {
    return this.options.allow?.(path) ?? true;
  }
  private permit(path: string): void {
    if (!this.allows(path)) throw new Refusal("permission_denied", "this is not open to you");
  }
  private permitChange(path: string): void {
    this.permit(path);
    const why = this.options.frozen?.(path);
    if (why !== undefined) throw new Refusal("permission_denied", why);
  }
  private weigh(size: number): void {
    if (size > this.maxBytes) throw new Refusal("too_large", `the file is larger than ${this.maxBytes} bytes`);
  }
}

/** One unreadable place costs itself only. */
function ignoreSystem(error: unknown): undefined {
  if (error instanceof Refusal || codeOf(error) !== undefined) return undefined;
  throw error;
}
