/**
 * A git repository without a working tree, kept outside the home: the one door to the library.
 *
 * G1. Nothing that lies in it is ever run: no hooks, no filters, no configured commands. The agent and its sandbox never see it.
 * G2. A file is its content and whether it can be run, as git names both: `100755 <content>`.
 * G3. What a commit refers to is written before it, and the branch moves last: a crash leaves at most something nobody refers to.
 */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Loaded with its first use: a start does not pay for it. */
const git = () => createRequire(import.meta.url)("isomorphic-git") as typeof import("isomorphic-git");

const REF = "refs/heads/main";
const PLAIN = "100644";
const PROGRAM = "100755";
const FOLDER = "040000";

export interface Saved {
  tree: string;
  parent: string | undefined;
  message: string;
}
/** A content as it is kept, and whether it can be run. */
export type Kept = `${typeof PLAIN | typeof PROGRAM} ${string}`;
export const keptAs = (oid: string, program: boolean): Kept => `${program ? PROGRAM : PLAIN} ${oid}`;
export const oidIn = (kept: Kept): string => kept.slice(kept.indexOf(" ") + 1);
export const isProgram = (kept: Kept): boolean => kept.startsWith(PROGRAM);
/** Files by their path below the root. */
export type Tree = ReadonlyMap<string, Kept>;
type Changed = { path: string; a: Kept | undefined; b: Kept | undefined };

export class Repository {
  readonly gitdir: string;
  readonly #on;
  /** Folders written by this process, by what is in them. */
  readonly #folders = new Map<string, string>();

  constructor(gitdir: string) {
    this.gitdir = gitdir;
    this.#on = { fs, gitdir, cache: {} };
  }

  async begin(): Promise<void> {
    await fs.promises.mkdir(this.gitdir, { recursive: true, mode: 0o700 });
    if (!fs.existsSync(join(this.gitdir, "HEAD"))) await git().init({ ...this.#on, bare: true, defaultBranch: "main" });
  }

  /** The newest commit. Throws if what the branch names is not there. */
  async head(): Promise<string | undefined> {
    const oid = await git()
      .resolveRef({ ...this.#on, ref: REF })
      .catch(() => undefined);
    if (oid !== undefined) await this.read(oid);
    return oid;
  }

  async read(oid: string): Promise<Saved> {
    const { commit } = await git().readCommit({ ...this.#on, oid });
    return { tree: commit.tree, parent: commit.parent[0], message: commit.message };
  }

  /** Undefined: it was dropped, as what is very old is. */
  find(oid: string): Promise<Saved | undefined> {
    return this.read(oid).catch(() => undefined);
  }

  /** Written, but not yet part of the history. */
  async commit(
    tree: string,
    parent: string | undefined,
    message: string,
    by: { name: string; email: string },
    at: number,
  ): Promise<string> {
    const who = { ...by, timestamp: Math.floor(at / 1000), timezoneOffset: 0 };
    return git().writeCommit({ ...this.#on, commit: { tree, parent: parent ? [parent] : [], message, author: who, committer: who } });
  }
  moveTo(oid: string): Promise<void> {
    return git().writeRef({ ...this.#on, ref: REF, value: oid, force: true });
  }

  async blob(kept: Kept): Promise<Uint8Array> {
    return (await git().readBlob({ ...this.#on, oid: oidIn(kept) })).blob;
  }
  async keep(content: Uint8Array, program: boolean): Promise<Kept> {
    return keptAs(await git().writeBlob({ ...this.#on, blob: content }), program);
  }

  async files(tree: string, into = new Map<string, Kept>(), at = ""): Promise<Map<string, Kept>> {
    for (const entry of await this.#entries(tree)) {
      if (entry.type === "tree") await this.files(entry.oid, into, `${at}${entry.path}/`);
      else into.set(at + entry.path, keptIn(entry));
    }
    return into;
  }

  /** Paths that differ between two trees, with what each has. */
  async changed(a: string | undefined, b: string | undefined, at = ""): Promise<Changed[]> {
    if (a === b) return [];
    const [before, after] = await Promise.all([a, b].map(async (tree) => byName(tree ? await this.#entries(tree) : [])));
    const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].sort();
    const found: Changed[] = [];
    for (const name of names) {
      const [x, y] = [before?.get(name), after?.get(name)];
      if (x?.oid === y?.oid && x?.mode === y?.mode) continue;
      const folders = [x, y].map((it) => (it?.type === "tree" ? it.oid : undefined));
      found.push(...(await this.changed(folders[0], folders[1], `${at}${name}/`)));
      const files = [x, y].map((it) => (it?.type === "blob" ? keptIn(it) : undefined));
      if (files[0] !== files[1]) found.push({ path: at + name, a: files[0], b: files[1] });
    }
    return found;
  }

  async write(files: Tree): Promise<string> {
    const root: Folder = new Map();
    for (const [path, kept] of files) put(root, path.split("/"), kept);
    return this.#write(root);
  }

  async #write(folder: Folder): Promise<string> {
    const tree = [];
    for (const [path, it] of folder) {
      const isFile = typeof it === "string";
      tree.push({
        mode: isFile ? (isProgram(it) ? PROGRAM : PLAIN) : FOLDER,
        path,
        oid: isFile ? oidIn(it) : await this.#write(it),
        type: isFile ? ("blob" as const) : ("tree" as const),
      });
    }
    const key = tree.map(({ mode, path, oid }) => `${mode} ${path} ${oid}`).join("\n");
    const oid = this.#folders.get(key) ?? (await git().writeTree({ ...this.#on, tree }));
    if (this.#folders.size > 5_000) this.#folders.clear();
    this.#folders.set(key, oid);
    return oid;
  }

  async #entries(tree: string) {
    return (await git().readTree({ ...this.#on, oid: tree })).tree;
  }

  /** Everything a tree needs, itself included, added to what is known to be needed. */
  async reach(tree: string, known: Set<string>): Promise<void> {
    if (known.has(tree)) return;
    known.add(tree);
    for (const { oid, type } of await this.#entries(tree)) {
      if (type === "tree") await this.reach(oid, known);
      else known.add(oid);
    }
  }
  /** Folders of objects may be dropped behind our back. */
  forget(): void {
    this.#folders.clear();
    this.#on.cache = {};
  }
}

type Folder = Map<string, Kept | Folder>;

const keptIn = ({ oid, mode }: { oid: string; mode: string }): Kept => keptAs(oid, mode === PROGRAM);

function put(folder: Folder, [name = "", ...rest]: string[], kept: Kept): void {
  if (rest.length === 0) {
    folder.set(name, kept);
    return;
  }
  const known = folder.get(name);
  const below: Folder = typeof known === "object" ? known : new Map();
  folder.set(name, below);
  put(below, rest, kept);
}

const byName = <T extends { path: string }>(entries: readonly T[]): Map<string, T> => new Map(entries.map((entry) => [entry.path, entry]));

/** The name git gives a content. */
export const oidOf = (content: Uint8Array): string =>
  createHash("sha1").update(`blob ${content.byteLength}\0`).update(content).digest("hex");
