/**
 * The history of a home: every change with who, when and why, and the way back. The repository lies outside the home.
 *
 * H1. A change by the agent, a person in the console or a job is one commit with its cause; what nobody announced is found at the next
 *     look and kept as changed outside. Announced changes that a dead process left are kept under their own cause.
 * H2. Commits are made beside whoever changes something, one after the other; nobody waits for one, and none fails a change.
 * H3. One process at a time writes, so that several on one home lose nothing of each other's.
 * H4. A repository that cannot be read is set aside and begun anew, and that is logged: the home works without its past.
 */
import { rename } from "node:fs/promises";
import type { Cause, Commit, FileDiff, History, Log, Undone } from "../core/ports.ts";
import { held, lockOf } from "./hold.ts";
import { type Changing, Intents, type Own } from "./intents.ts";
import { messageOf, readMessage } from "./message.ts";
import { prune } from "./prune.ts";
import { isProgram, type Kept, oidIn, Repository } from "./repository.ts";
import { isTooLarge, type Scan, scanOf } from "./scan.ts";
import { finishUndo, undo } from "./takeback.ts";
import { unified } from "./unified.ts";

export interface OpenHistory extends History {
  /** Announces a change that is about to happen; call what it gives back with whether it did. Never throws. */
  changing(cause: Cause, files: readonly Changing[]): (happened: boolean) => void;
  /** Something may have changed. What differs in `paths` (everywhere, without) is by this cause; nobody needs to wait. */
  look(cause?: Cause, paths?: readonly string[]): Promise<void>;
}
export interface HistoryOptions {
  dir: string;
  gitdir: string;
  log: Log;
  now?: () => number;
}

const BEGUN = "The home as it was found";
const PAGE = 20;
/** The history is looked over for what is too old after so many commits. */
const TIDIED = 100;

/** Undefined: no file. */
type Put = readonly [path: string, content: { bytes: Uint8Array; program: boolean } | undefined];

export function openHistory(options: HistoryOptions): OpenHistory {
  return new HomeHistory(options);
}

class HomeHistory implements OpenHistory {
  readonly #repository: Repository;
  readonly #scan: Scan;
  readonly #intents: Intents;
  readonly #log: Log;
  readonly #options: HistoryOptions;
  readonly #now: () => number;
  readonly #lock: string;
  #tail: Promise<unknown> = Promise.resolve();
  #begun = false;
  #looking: Promise<void> | undefined;
  #made = 0;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#now = options.now ?? Date.now;
    this.#lock = lockOf(options.gitdir);
    this.#repository = new Repository(options.gitdir);
    this.#scan = scanOf(options.dir);
    this.#intents = new Intents(options.gitdir, options.log);
  }

  changing(cause: Cause, files: readonly Changing[]): (happened: boolean) => void {
    const own = this.#intents.begin(cause, files);
    return (happened) => {
      if (!happened) return this.#intents.end(own.intent.id);
      own.happened = true;
      void this.look();
    };
  }

  look(cause?: Cause, paths?: readonly string[]): Promise<void> {
    if (cause) return this.#queue(() => this.#record(cause, paths));
    // One that has not begun yet will see what there is now.
    this.#looking ??= this.#queue(() => {
      this.#looking = undefined;
      return this.#record();
    });
    return this.#looking;
  }

  async commits({ skip = 0, limit = PAGE }: { skip?: number; limit?: number } = {}): Promise<{ commits: Commit[]; more: boolean }> {
    return this.#ready(async () => {
      const commits: Commit[] = [];
      let at = await this.#repository.head();
      for (let i = 0; at !== undefined && i < skip + limit; i++) {
        const saved = await this.#repository.find(at);
        if (!saved) return { commits, more: false };
        if (i >= skip) commits.push(await this.#commit(at));
        at = saved.parent;
      }
      return { commits, more: at !== undefined && (await this.#repository.find(at)) !== undefined };
    });
  }

  async commit(id: string): Promise<Commit | undefined> {
    return this.#ready(async () => ((await this.#repository.find(id)) ? this.#commit(id) : undefined));
  }

  async diff(id: string): Promise<FileDiff[] | undefined> {
    return this.#ready(async () => {
      const saved = await this.#repository.find(id);
      if (!saved) return undefined;
      const { files } = await this.#commit(id);
      const before = saved.parent === undefined ? undefined : (await this.#repository.find(saved.parent))?.tree;
      const changed = new Map((await this.#repository.changed(before, saved.tree)).map((it) => [it.path, it]));
      const shown = files.map(async (file) => {
        const { a, b } = changed.get(file.path) ?? {};
        const [old, now] = await Promise.all([a, b].map((kept) => this.#text(kept)));
        const readable = old !== null && now !== null;
        const diff = readable ? unified(file.path, old, now) : `${file.path} is no text, or too large to be shown.`;
        return { ...file, diff: `${modeChange(a, b)}${diff}` };
      });
      return Promise.all(shown);
    });
  }

  undo(ids: readonly string[], by: { id: string; name: string }): Promise<Undone> {
    return this.#alone(async () => {
      await this.#record();
      const on = { repository: this.#repository, scan: this.#scan };
      const done = await undo(on, ids, by, this.#now());
      return done.ok ? { ok: true, commit: await this.#commit(done.id) } : done;
    });
  }

  async #commit(id: string): Promise<Commit> {
    const saved = await this.#repository.read(id);
    const before = saved.parent === undefined ? undefined : await this.#repository.find(saved.parent);
    const dropped = saved.parent !== undefined && !before;
    const changed = dropped ? [] : await this.#repository.changed(before?.tree, saved.tree);
    const files = changed.map(({ path, a, b }) => ({
      path,
      how: a === undefined ? ("added" as const) : b === undefined ? ("deleted" as const) : ("changed" as const),
    }));
    return { id, ...readMessage(saved.message), files };
  }

  async #text(kept: Kept | undefined): Promise<string | undefined | null> {
    if (kept === undefined) return undefined;
    const content = await this.#repository.blob(kept);
    if (content.includes(0) || isTooLarge(content)) return null;
    return new TextDecoder().decode(content);
  }

  /** In the order asked, on a repository that is there. */
  #ready<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#tail.then(async () => {
      if (!this.#begun) await held(this.#lock, () => this.#begin());
      this.#begun = true;
      return work();
    });
    this.#tail = mine.catch(() => undefined);
    return mine;
  }

  /** Likewise, while no other process writes. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#ready(() => held(this.#lock, work));
  }

  async #queue(work: () => Promise<void>): Promise<void> {
    try {
      await this.#alone(work);
    } catch (error) {
      this.#log.error({ dir: this.#options.dir, err: error }, "the history of a home could not be written");
    }
  }

  async #begin(): Promise<void> {
    const { gitdir } = this.#options;
    try {
      await this.#repository.begin();
      await this.#repository.head();
    } catch (error) {
      this.#log.error({ gitdir, err: error }, "the history of a home cannot be read: it is set aside, and a new one is begun");
      await rename(gitdir, `${gitdir}.unreadable-${this.#now()}`);
      this.#repository.forget();
      await this.#repository.begin();
    }
    await finishUndo({ repository: this.#repository, scan: this.#scan });
  }

  async #record(cause?: Cause, paths?: readonly string[]): Promise<void> {
    for (const own of [...this.#intents.own.values()].filter(({ happened }) => happened)) await this.#recordOwn(own);
    await this.#recordLeft();
    const head = await this.#tree();
    const now = await this.#scan.all(head.keys());
    const underway = this.#intents.underway();
    // What cannot be read is left as it was.
    const differs = [...new Set([...head.keys(), ...now.keys()])].filter(
      (path) => !underway.has(path) && now.get(path) !== null && now.get(path) !== head.get(path),
    );
    const at = this.#now();
    const named =
      cause && paths ? differs.filter((path) => paths.some((it) => path === it || path.startsWith(`${it}/`))) : cause ? differs : [];
    const others = differs.filter((path) => !named.includes(path));
    const first = (await this.#repository.head()) === undefined;
    const outside: Cause = first ? { kind: "begun", text: BEGUN, at } : { kind: "outside", text: "Changed outside", at };
    if (others.length || first) await this.#save(outside, await this.#contents(others), first);
    if (cause && named.length) await this.#save(cause, await this.#contents(named));
  }

  /** What was there before the change, where nobody told us of it, and then the change. */
  async #recordOwn({ intent, files }: Own): Promise<void> {
    const head = await this.#tree();
    const contents = async (of: "before" | "after"): Promise<Put[]> => {
      const found = files.map(async (file): Promise<Put[]> => {
        const content = file[of];
        if (content === null) return [];
        const known = of === "before" ? head.get(file.path) : undefined;
        const program = known ? isProgram(known) : await this.#scan.program(file.path);
        return [[file.path, content && { bytes: this.#scan.shown(content), program }]];
      });
      return (await Promise.all(found)).flat();
    };
    const before = await contents("before");
    if ((await this.#repository.head()) === undefined) {
      const found = [...(await this.#scan.all([])).keys()];
      const underway = this.#intents.underway();
      const others = await this.#contents(found.filter((path) => !underway.has(path)));
      await this.#save({ kind: "begun", text: BEGUN, at: this.#now() }, [...others, ...before], true);
    } else await this.#save({ kind: "outside", text: "Changed outside", at: this.#now() }, before);
    await this.#save(intent.cause, await contents("after"));
    this.#intents.end(intent.id);
  }

  async #recordLeft(): Promise<void> {
    for (const { id, cause, files } of this.#intents.left()) {
      const head = await this.#tree();
      const now = await this.#scan.all(files.map(({ path }) => path));
      const oidAt = (tree: ReadonlyMap<string, Kept | null>, path: string): string | null => {
        const kept = tree.get(path);
        return kept ? oidIn(kept) : null;
      };
      const made = files.filter(({ path, after }) => oidAt(now, path) === after && oidAt(head, path) !== after);
      await this.#save(cause, await this.#contents(made.map(({ path }) => path)));
      this.#intents.end(id);
    }
  }

  async #contents(paths: readonly string[]): Promise<Put[]> {
    const found = paths.map(async (path): Promise<Put[]> => {
      const bytes = await this.#scan.look(path);
      return bytes === null ? [] : [[path, bytes && { bytes, program: await this.#scan.program(path) }]];
    });
    return (await Promise.all(found)).flat();
  }

  async #tree(): Promise<Map<string, Kept>> {
    const head = await this.#repository.head();
    return head === undefined ? new Map() : this.#repository.files((await this.#repository.read(head)).tree);
  }

  /** One commit, unless it would change nothing. */
  async #save(cause: Cause, contents: readonly Put[], always = false): Promise<void> {
    const [head, files] = [await this.#repository.head(), await this.#tree()];
    for (const [path, content] of contents) {
      if (content) files.set(path, await this.#repository.keep(content.bytes, content.program));
      else files.delete(path);
    }
    const tree = await this.#repository.write(files);
    if (!always && head !== undefined && (await this.#repository.read(head)).tree === tree) return;
    const { message, author } = messageOf(cause);
    await this.#repository.moveTo(await this.#repository.commit(tree, head, message, author, cause.at));
    if (++this.#made % TIDIED === 0) await prune(this.#repository);
  }
}

/** In a diff: a line about what lines do not show. */
function modeChange(a: Kept | undefined, b: Kept | undefined): string {
  const [before, after] = [a, b].map((kept) => kept !== undefined && isProgram(kept));
  if (a === undefined ? !after : b === undefined || before === after) return "";
  return after ? "It can be run now.\n" : "It can no longer be run.\n";
}
