/**
 * What a home remembers: one MEMORY.md for each scope.
 *
 * K1. Which file a fact lands in is decided here from the scope of the session, never by the model.
 * K2. A call adds its fact once, however often it is repeated.
 * K3. Changes of one file wait for each other, and a file is replaced as a whole.
 */
import { createHash } from "node:crypto";
import type { CallId, SessionId } from "../core/id.ts";
import type { FileError, Files } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { diskFiles } from "../files/disk.ts";
import { locked } from "../files/lock.ts";
import { memoryPath } from "../files/mounts.ts";
import { isError } from "../files/refusal.ts";
import { addFact, type Fact, oneLine } from "./facts.ts";
import { type Recalled, recall } from "./recall.ts";
import { unfit } from "./unfit.ts";

/** Where a fact was said, and by which call it is kept. */
export interface Occasion {
  scope: Scope;
  session: SessionId;
  call: CallId;
  /** Who the turn is for, platform-qualified. */
  by: string;
  /** The channel, platform-qualified. */
  channel: string;
  now: number;
}

export interface Memory {
  remember(text: string, occasion: Occasion): Promise<{ ok: true; text: string; fresh: boolean } | { ok: false; error: string }>;
  /** What these scopes hold, each under the budget of its prompt part. Scopes with nothing are left out. */
  read(scopes: readonly Scope[]): Promise<Recalled[]>;
}

export const homeMemory = (homeDir: string): Memory => new HomeMemory(homeDir);

class HomeMemory implements Memory {
  private readonly homeDir: string;
  private readonly files: Files;

  constructor(homeDir: string) {
    this.homeDir = homeDir;
    this.files = diskFiles(homeDir);
  }

  async remember(text: string, occasion: Occasion): Promise<{ ok: true; text: string; fresh: boolean } | { ok: false; error: string }> {
    const fact = factOf(text, occasion);
    const error = unfit(fact.text);
    if (error) return { ok: false, error };
    const path = memoryPath(occasion.scope);
    // The file may have to be begun, which `update` does not do.
    const outcome = await locked(`memory ${this.homeDir}${path}`, () => this.add(path, fact));
    return isError(outcome)
      ? { ok: false, error: `The fact could not be kept: ${outcome.detail}.` }
      : { ok: true, text: fact.text, fresh: outcome.changed };
  }

  async read(scopes: readonly Scope[]): Promise<Recalled[]> {
    const found = await Promise.all(scopes.map(async (scope) => recall(scope, await this.text(memoryPath(scope)))));
    return found.filter((each) => each.text !== "" || each.problem !== undefined);
  }

  private async add(path: string, fact: Fact): Promise<{ ok: true; changed: boolean } | FileError> {
    const updated = await this.files.update(path, (content) => {
      const text = addFact(new TextDecoder("utf-8", { ignoreBOM: true }).decode(content), fact);
      return text === null ? null : new TextEncoder().encode(text);
    });
    if (!isError(updated) || updated.error !== "file_not_found") return updated;
    const written = await this.files.write(path, new TextEncoder().encode(addFact("", fact) ?? ""));
    return isError(written) ? written : { ok: true, changed: true };
  }

  private async text(path: string): Promise<string | FileError> {
    const content = await this.files.read(path);
    if (isError(content)) return content.error === "file_not_found" ? "" : content;
    return new TextDecoder().decode(content);
  }
}

function factOf(text: string, { session, call, by, channel, now }: Occasion): Fact {
  const id = createHash("sha256").update(`${session} ${call}`).digest("hex").slice(0, 12);
  return { id, text: oneLine(text), by, at: new Date(now).toISOString().slice(0, 10), in: channel, session };
}
