/**
 * Keeps a history from growing for ever: the newest commits stay, what only older ones need is dropped.
 * A repository that git itself opens stays whole: where it ends is written down as git does it.
 */
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "./repository.ts";

export interface Bounds {
  commits: number;
  bytes: number;
}
const BOUNDS: Bounds = { commits: 2_000, bytes: 256 * 1024 * 1024 };
/** However large they are. */
const LEAST = 20;

export async function prune(repository: Repository, { commits, bytes }: Bounds = BOUNDS): Promise<void> {
  const chain = await chainOf(repository);
  const objects = await objectsIn(join(repository.gitdir, "objects"));
  const size = objects.reduce((sum, object) => sum + object.size, 0);
  if (chain.length <= commits * 1.25 && size <= bytes) return;
  const kept = chain.slice(0, size > bytes ? Math.max(LEAST, Math.min(commits, Math.floor(chain.length / 2))) : commits);
  const needed = new Set(kept.map(({ id }) => id));
  for (const { tree } of kept) await repository.reach(tree, needed);
  const oldest = kept.at(-1);
  if (oldest?.parent !== undefined) await writeFile(join(repository.gitdir, "shallow"), `${oldest.id}\n`);
  for (const object of objects) if (!needed.has(object.oid)) await rm(object.path, { force: true });
  repository.forget();
}

async function chainOf(repository: Repository): Promise<{ id: string; tree: string; parent: string | undefined }[]> {
  const chain = [];
  for (let id = await repository.head(); id !== undefined; ) {
    const saved = await repository.find(id);
    if (!saved) break;
    chain.push({ id, tree: saved.tree, parent: saved.parent });
    id = saved.parent;
  }
  return chain;
}

async function objectsIn(folder: string): Promise<{ oid: string; path: string; size: number }[]> {
  const found = [];
  for (const start of (await readdir(folder).catch(() => [])).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const rest of await readdir(join(folder, start))) {
      const path = join(folder, start, rest);
      found.push({ oid: start + rest, path, size: (await stat(path)).size });
    }
  }
  return found;
}
