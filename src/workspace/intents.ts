/**
 * What is about to be changed in a home, by whom and why, written down before it happens: whatever kills the process, the next look
 * finds whose change it was.
 *
 * I1. Written synchronously, a few hundred bytes: a change waits for no commit.
 * I2. Never throws: a history that cannot be written takes nothing else down.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cause, Log } from "../core/ports.ts";
import { isAlive } from "./hold.ts";
import { oidOf } from "./repository.ts";

export interface Changing {
  /** Below the home, without a slash in front. */
  path: string;
  /** Undefined: there was no file; null: not known. */
  before: Uint8Array | undefined | null;
  after: Uint8Array | undefined;
}
export interface Intent {
  id: string;
  pid: number;
  cause: Cause;
  files: { path: string; after: string | null }[];
}
/** Of this process: with the contents, and whether it has happened. */
export interface Own {
  intent: Intent;
  files: readonly Changing[];
  happened: boolean;
}

export class Intents {
  readonly #folder: string;
  readonly #log: Log;
  readonly own = new Map<string, Own>();
  #count = 0;

  constructor(gitdir: string, log: Log) {
    this.#folder = join(gitdir, "intents");
    this.#log = log;
  }

  begin(cause: Cause, files: readonly Changing[]): Own {
    const order = `${Date.now().toString().padStart(14, "0")}-${String(++this.#count).padStart(6, "0")}`;
    const after = files.map((file) => ({ path: file.path, after: file.after ? oidOf(file.after) : null }));
    const intent: Intent = { id: `${order}-${randomUUID()}`, pid: process.pid, cause, files: after };
    const own: Own = { intent, files, happened: false };
    this.own.set(intent.id, own);
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(this.#file(intent.id), JSON.stringify(intent), { mode: 0o600 });
    } catch (error) {
      this.#log.warn({ err: error }, "a change of a home could not be announced to its history");
    }
    return own;
  }

  end(id: string): void {
    this.own.delete(id);
    rmSync(this.#file(id), { force: true });
  }

  /** Of processes that died in between, the oldest first. */
  left(): Intent[] {
    const found: Intent[] = [];
    for (const name of names(this.#folder)) {
      const id = name.replace(/\.json$/, "");
      if (this.own.has(id)) continue;
      const intent = readIntent(join(this.#folder, name));
      if (!intent) rmSync(join(this.#folder, name), { force: true });
      else if (intent.pid === process.pid || !isAlive(intent.pid)) found.push(intent);
    }
    return found;
  }

  /** Paths that somebody is changing now, in this process or another. */
  underway(): Set<string> {
    const others = names(this.#folder).flatMap((name) => readIntent(join(this.#folder, name)) ?? []);
    const alive = others.filter(({ pid }) => pid !== process.pid && isAlive(pid));
    return new Set([...this.own.values(), ...alive].flatMap(({ files }) => files.map(({ path }) => path)));
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function readIntent(file: string): Intent | undefined {
  try {
    const found: Intent = JSON.parse(readFileSync(file, "utf8"));
    return typeof found.id === "string" && Array.isArray(found.files) && typeof found.cause?.kind === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}
