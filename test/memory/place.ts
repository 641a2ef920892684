/** A home with a journal in which people say things in scopes, and a model that keeps what it was asked. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, Place, Received, Speaker } from "../../src/core/event.ts";
import type { Answer, Journal, Model, Request } from "../../src/core/ports.ts";
import type { Scope } from "../../src/core/scope.ts";
import { memoryPath } from "../../src/files/mounts.ts";
import { factsIn } from "../../src/memory/facts.ts";
import { homeMemory, type Memory } from "../../src/memory/memory.ts";
import { type NightOn, type NightReport, night } from "../../src/memory/night.ts";
import { openJournal } from "../../src/store/journal.ts";
import { says } from "../help/script.ts";

export const ANN: Speaker = { id: "slack:UANN", name: "Ann", kind: "member" };
export const BEN: Speaker = { id: "slack:UBEN", name: "Ben", kind: "member" };
export const NOON = Date.UTC(2026, 10, 30, 12);

/** What a model answers to a request of the night; the default: nothing to do. */
export type Brain = (request: Request) => JsonObject[] | Answer | Promise<JsonObject[] | Answer>;

export class Home {
  /** The folder of the homes, and this one. */
  readonly root = mkdtempSync(join(tmpdir(), "denizen-memory-"));
  readonly dir = join(this.root, "home");
  readonly requests: Request[] = [];
  brain: Brain = () => [];
  now = NOON;
  journal: Journal = this.open();
  readonly #opened: Journal[] = [];
  #count = 0;

  open(): Journal {
    return openJournal(join(this.dir, "agents/main/context/journal.db"));
  }
  /** Another process on the same home. */
  second(): Journal {
    const journal = this.open();
    this.#opened.push(journal);
    return journal;
  }
  /** Each journal's memory is as in a process of its own: it waits for no lock that lives in this one. */
  memory(journal: Journal = this.journal): Memory {
    const life = [this.journal, ...this.#opened].indexOf(journal);
    return homeMemory(`${this.dir}${"/.".repeat(Math.max(0, life))}`, async () => journal);
  }
  readonly model: Model = {
    kind: "script",
    name: "script",
    window: () => 200_000,
    answer: async (request) => {
      this.requests.push(request);
      const answer = await this.brain(request);
      return Array.isArray(answer) ? says(JSON.stringify({ operations: answer })) : answer;
    },
  };
  on(journal: Journal = this.journal, model: Model = this.model, book = this.memory(journal).book): NightOn {
    return { book, journal, model, modelName: "script", scrub: (text) => text, now: () => this.now, signal: new AbortController().signal };
  }
  night(journal?: Journal): Promise<NightReport[]> {
    return night(this.on(journal));
  }

  /** Somebody says something in a scope's own channel; gives the message's id. */
  async say(
    by: Speaker,
    text: string,
    scope: Scope = "team",
    more: Partial<Extract<Received, { type: "message.received" }>> = {},
  ): Promise<string> {
    const id = more.id ?? `m${++this.#count}`;
    const session = sessionOf(scope);
    const opening = { home: "home", scope, place: placeOf(scope), code: `code ${session}` };
    await this.journal.receive(
      session,
      `m:${id}`,
      { type: "message.received", at: this.now, id, by, text, heard: false, ...more },
      opening,
    );
    return id;
  }
  async happens(event: Received, scope: Scope = "team"): Promise<void> {
    await this.journal.receive(sessionOf(scope), JSON.stringify(event), event);
  }
  file(scope: Scope = "team"): string {
    try {
      return readFileSync(join(this.dir, memoryPath(scope)), "utf8");
    } catch {
      return "";
    }
  }
  texts(scope: Scope = "team"): string[] {
    return factsIn(this.file(scope)).map(({ fact }) => fact.text);
  }
  idOf(text: string, scope: Scope = "team"): string {
    const found = factsIn(this.file(scope)).find(({ fact }) => fact.text.includes(text));
    if (!found) throw new Error(`nothing remembered holds “${text}”: ${this.file(scope)}`);
    return found.fact.id;
  }
  async end(): Promise<void> {
    for (const journal of [this.journal, ...this.#opened]) await journal.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A person's direct messages have a channel of their own, as on the platforms. */
function channelOf(scope: Scope): string {
  if (scope === "team") return "C1";
  const id = scope.split(":").at(-1) ?? "";
  return scope.startsWith("person:") ? `D${id.slice(1)}` : id;
}
export const sessionOf = (scope: Scope): string => `slack:T1:${channelOf(scope)}:1.1`;
export const placeOf = (scope: Scope): Place => ({ platform: "slack", team: "T1", channel: channelOf(scope), thread: "1.1" });

export const add = (text: string, ...evidence: string[]): JsonObject => ({ op: "add", text, evidence });
export const asked = (request: Request | undefined): string => JSON.stringify(request?.messages);
