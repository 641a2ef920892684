/**
 * The history of a home made anew without somebody's words: every commit again, in its order, with its files, its cause and its author
 * cleaned, in a repository of its own that takes the place of the old one.
 *
 * W1. Nothing of the old repository is kept, packed or loose: what no commit needs any more does not come along either.
 * W2. Killed at any point, there is a whole history: the old one, or the new one.
 * W4. No other process writes to the history meanwhile: what it recorded would be lost with the old one.
 * W3. What was taken back still names what it took back, under its new name.
 */
import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Cause } from "../core/ports.ts";
import { held, lockOf, type Patience } from "./hold.ts";
import { messageOf, readMessage } from "./message.ts";
import { isProgram, type Kept, Repository } from "./repository.ts";

export interface Cleaning {
  /** A text without the words. */
  text(text: string): string;
  /** A file's content; the same object if nothing in it changes. */
  content(path: string, bytes: Uint8Array): Uint8Array;
  path(path: string): string;
  /** Who did or approved something, without the person. */
  cause(cause: Cause): Cause;
}

/** How many commits say something else than before; undefined: there is no history. */
export const rewriteHistory = (gitdir: string, clean: Cleaning, patience?: Patience): Promise<number | undefined> =>
  held(lockOf(gitdir), () => rewritten(gitdir, clean), patience);

async function rewritten(gitdir: string, clean: Cleaning): Promise<number | undefined> {
  const [old, fresh] = [`${gitdir}.old`, `${gitdir}.new`];
  if (!existsSync(gitdir) && existsSync(old)) await rename(old, gitdir);
  await Promise.all([old, fresh].map((path) => rm(path, { recursive: true, force: true })));
  await dropUnreadable(gitdir);
  if (!existsSync(gitdir)) return undefined;
  const changed = await copy(new Repository(gitdir), new Repository(fresh), clean);
  await rename(gitdir, old);
  await rename(fresh, gitdir);
  await rm(old, { recursive: true, force: true });
  return changed;
}

/** Repositories that could not be read were set aside: nobody can tell what is in them. */
async function dropUnreadable(gitdir: string): Promise<void> {
  for (const name of await readdir(dirname(gitdir)).catch(() => []))
    if (name.startsWith(`${basename(gitdir)}.unreadable-`)) await rm(join(dirname(gitdir), name), { recursive: true, force: true });
}

async function copy(from: Repository, to: Repository, clean: Cleaning): Promise<number> {
  await to.begin();
  const names = new Map<string, string>();
  const made = new Map<string, Kept>();
  const content = async (path: string, kept: Kept): Promise<Kept> => {
    const key = `${path} ${kept}`;
    const known = made.get(key) ?? (await to.keep(clean.content(path, await from.blob(kept)), isProgram(kept)));
    made.set(key, known);
    return known;
  };
  let parent: string | undefined;
  let changed = 0;
  for (const { id, tree, message } of await oldestFirst(from)) {
    const files = new Map<string, Kept>();
    for (const [path, kept] of await from.files(tree)) files.set(clean.path(path), await content(path, kept));
    const cleaned = clean.text(message);
    const cause = clean.cause(readMessage([...names].reduce((text, [before, after]) => text.replaceAll(before, after), cleaned)));
    const { message: own, author } = messageOf(cause);
    const newTree = await to.write(files);
    parent = await to.commit(newTree, parent, own, author, cause.at);
    names.set(id, parent);
    if (newTree !== tree || cleaned !== message) changed++;
  }
  if (parent !== undefined) await to.moveTo(parent);
  return changed;
}

async function oldestFirst(from: Repository): Promise<{ id: string; tree: string; message: string }[]> {
  const chain: { id: string; tree: string; message: string }[] = [];
  for (let id = await from.head(); id !== undefined; ) {
    const saved = await from.find(id);
    if (!saved) break;
    chain.push({ id, tree: saved.tree, message: saved.message });
    id = saved.parent;
  }
  return chain.reverse();
}
