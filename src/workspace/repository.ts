/**
 * A git repository without a working tree, kept outside the home: the one door to the library.
 *
 * G1. Nothing that lies in it is ever run: no hooks, no filters, no configured commands. The agent and its sandbox never see it.
 * G2. What a commit refers to is written before it, and the branch moves last: a crash leaves at most something nobody refers to.
 */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import git from "isomorphic-git";

const REF = "refs/heads/main";
const FILE = "100644";
const FOLDER = "040000";

export interface Saved {
  tree: string;
  parent: string | undefined;
  message: string;
}
/** Files by their path below the root. */
export type Tree = ReadonlyMap<string, string>;

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
    if (!fs.existsSync(join(this.gitdir, "HEAD"))) await git.init({ ...this.#on, bare: true, defaultBranch: "main" });
  }

  /** The newest commit. Throws if what the branch names is not there. */
  async head(): Promise<string | undefined> {
    const oid = await git.resolveRef({ ...this.#on, ref: REF }).catch(() => undefined);
    if (oid !== undefined) await this.read(oid);
    return oid;
  }

  async read(oid: string): Promise<Saved> {
    const { commit } = await git.readCommit({ ...this.#on, oid });
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
    return git.writeCommit({ ...this.#on, commit: { tree, parent: parent ? [parent] : [], message, author: who, committer: who } });
  }
  moveTo(oid: string): Promise<void> {
    return git.writeRef({ ...this.#on, ref: REF, value: oid, force: true });
  }

  async blob(oid: string): Promise<Uint8Array> {
    return (await git.readBlob({ ...this.#on, oid })).blob;
  }
  keep(content: Uint8Array): Promise<string> {
    return git.writeBlob({ ...this.#on, blob: content });
  }

  async files(tree: string, into = new Map<string, string>(), at = ""): Promise<Map<string, string>> {
    for (const { path, oid, type } of await this.#entries(tree)) {
      if (type === "tree") await this.files(oid, into, `${at}${path}/`);
      else into.set(at + path, oid);
    }
    return into;
  }

  /** Paths that differ between two trees, with what each has. */
  async changed(
    a: string | undefined,
    b: string | undefined,
    at = "",
  ): Promise<{ path: string; a: string | undefined; b: string | undefined }[]> {
    if (a === b) return [];
    const [before, after] = await Promise.all([a, b].map(async (tree) => byName(tree ? await this.#entries(tree) : [])));
    const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].sort();
    const found = [];
    for (const name of names) {
      const [x, y] = [before?.get(name), after?.get(name)];
      if (x?.oid === y?.oid) continue;
      const folders = [x, y].map((it) => (it?.type === "tree" ? it.oid : undefined));
      found.push(...(await this.changed(folders[0], folders[1], `${at}${name}/`)));
      const files = [x, y].map((it) => (it?.type === "blob" ? it.oid : undefined));
      if (files[0] !== files[1]) found.push({ path: at + name, a: files[0], b: files[1] });
    }
    return found;
  }

  async write(files: Tree): Promise<string> {
    const root: Folder = new Map();
    for (const [path, oid] of files) put(root, path.split("/"), oid);
    return this.#write(root);
  }

  async #write(folder: Folder): Promise<string> {
    const tree = [];
    for (const [path, it] of folder) {
      const isFile = typeof it === "string";
      tree.push({
        mode: isFile ? FILE : FOLDER,
        path,
        oid: isFile ? it : await this.#write(it),
        type: isFile ? ("blob" as const) : ("tree" as const),
      });
    }
    const key = tree.map(({ mode, path, oid }) => `${mode} ${path} ${oid}`).join("\n");
    const oid = this.#folders.get(key) ?? (await git.writeTree({ ...this.#on, tree }));
    if (this.#folders.size > 5_000) this.#folders.clear();
    this.#folders.set(key, oid);
    return oid;
  }

  async #entries(tree: string) {
    return (await git.readTree({ ...this.#on, oid: tree })).tree;
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

type Folder = Map<string, string | Folder>;

function put(folder: Folder, [name = "", ...rest]: string[], oid: string): void {
  if (rest.length === 0) {
    folder.set(name, oid);
    return;
  }
  const known = folder.get(name);
  const below: Folder = typeof known === "object" ? known : new Map();
  folder.set(name, below);
  put(below, rest, oid);
}

const byName = <T extends { path: string }>(entries: readonly T[]): Map<string, T> => new Map(entries.map((entry) => [entry.path, entry]));

/** The name git gives a content. */
export const oidOf = (content: Uint8Array): string =>
  createHash("sha1").update(`blob ${content.byteLength}\0`).update(content).digest("hex");
