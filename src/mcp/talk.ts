/**
 * One call of a server's tool, for as long as it lasts: it may ask people things in between, and is left and taken up again then.
 *
 * K1. Who runs it is given back a question as a value; the call goes on waiting here, under its own name, until it is taken up with what
 *     became of the question. A process that ends loses it: then nobody knows what came of the call, and that is what is said.
 * K2. While people are asked, the call's time stands still and others may talk with the server.
 * K3. A stop, and the end of its turn, cancel it at the server and answer what it asked.
 * K4. An answer is for the question that people saw: one that the server took back since is answered by nobody.
 */
import type { Decided } from "../core/calls.ts";
import type { JsonObject, Question, Usage } from "../core/event.ts";
import type { Called } from "./called.ts";
import { wished } from "./elicit.ts";
import { fateOf } from "./fate.ts";
import type { Floor } from "./floor.ts";
import { Patience } from "./patience.ts";
import { type Sampler, sampled } from "./sample.ts";

export type Elicited = { action: "accept"; content?: JsonObject } | { action: "decline" } | { action: "cancel" };
export type Ran = { called: Called; notes: string[]; usage: Usage[] } | { asks: Question; usage: Usage[] };

export interface TalkOptions {
  server: string;
  /** The conversation it is for. */
  of: string;
  floor: Floor<Talk>;
  /** The call itself; once more after people opened a page that it needs. */
  run(signal: AbortSignal, patience: Patience): Promise<Called>;
  sampler: Sampler | undefined;
}
/** How often a call that needs pages opened is tried, and how long the server may take to see that they were. */
const TRIES = 3;
const SEEN_WITHIN = 20_000;

export class Talk {
  readonly #patience = new Patience();
  readonly #options: TalkOptions;
  readonly #stop = new AbortController();
  readonly #notes: string[] = [];
  readonly #seen = new Map<string, () => void>();
  #usage: Usage[] = [];
  #samples = 0;
  #spent = 0;
  #open: { question: Question; settle: (answer: Decided | undefined) => void } | undefined;
  /** The question that was given back last. */
  #told: Question | undefined;
  #called: Called | undefined;
  #news: () => void = () => undefined;

  constructor(options: TalkOptions) {
    this.#options = options;
    this.#stop.signal.addEventListener("abort", () => this.#settle(undefined));
    void this.#go().then((called) => {
      this.#called = called;
      this.#patience.end();
      this.#news();
    });
  }

  get of(): string {
    return this.#options.of;
  }

  /** Until it is done or asks something. */
  async next(signal: AbortSignal): Promise<Ran> {
    const stop = () => this.cancel();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    while (!this.#called && !this.#open) await new Promise<void>((resolve) => (this.#news = resolve));
    signal.removeEventListener("abort", stop);
    const usage = this.spent();
    if (this.#called) return { called: this.#called, notes: this.#notes, usage };
    const { question } = this.#open ?? {};
    this.#told = question;
    return question ? { asks: question, usage } : this.next(signal);
  }

  /** What became of its question. */
  answer(decided: Decided): void {
    if (this.#open?.question === this.#told) this.#settle(decided);
  }

  /** What the model is told beside the result. */
  note(text: string): void {
    if (!this.#notes.includes(text)) this.#notes.push(text);
  }

  cancel(): void {
    this.#stop.abort();
  }

  /** What it used of the model since this was last asked. */
  spent(): Usage[] {
    const usage = this.#usage;
    this.#usage = [];
    return usage;
  }

  /** The server asks people something. `back`: it takes the question back. */
  async elicit(params: unknown, back?: AbortSignal): Promise<Elicited> {
    const wish = wished(this.#options.server, params);
    if (!wish.ok) {
      this.note(`The server wanted to ask people something, which was declined: ${wish.why}.`);
      return { action: "decline" };
    }
    if (this.#open) {
      this.note("The server wanted to ask people several things at once: they were asked the first.");
      return { action: "cancel" };
    }
    let content: JsonObject = {};
    for (const question of wish.questions) {
      const decided = await this.#put(question, back);
      if (decided?.how === "denied") return { action: "decline" };
      if (decided?.how !== "answered") return { action: "cancel" };
      content = { ...content, ...decided.values };
    }
    return wish.questions.some(({ url }) => url !== undefined) ? { action: "accept" } : { action: "accept", content };
  }

  /** The server wants the model's words. */
  async sample(params: unknown, back: AbortSignal): Promise<unknown> {
    const { sampler, server } = this.#options;
    const signal = AbortSignal.any([this.#stop.signal, back]);
    const done = await sampled(sampler, params, { count: ++this.#samples, spent: this.#spent, signal, server });
    if (!done.ok) {
      this.note(`The server wanted to ask the model something, which was refused: ${done.why}.`);
      throw new Error(done.why);
    }
    this.#usage.push(done.usage);
    this.#spent += done.usage.input + done.usage.cacheRead + done.usage.cacheWrite + done.usage.output;
    return done.result;
  }

  /** A page that people were asked to open is done with. */
  completed(page: string): void {
    this.#seen.get(page)?.();
  }

  async #go(): Promise<Called> {
    const { floor } = this.#options;
    const waits = floor.enter(this);
    if (waits) await waits;
    try {
      return await this.#tries();
    } catch (error) {
      return { ok: false, ran: "unknown", why: fateOf(error, 0).why };
    } finally {
      floor.leave(this);
    }
  }

  async #tries(): Promise<Called> {
    for (let left = TRIES; ; left--) {
      const called = await this.#options.run(this.#stop.signal, this.#patience);
      if (called.ok || !called.pages?.length || left <= 1) return called;
      for (const page of called.pages)
        if (!(await this.#opened(page))) return { ok: false, ran: "no", why: "people did not open the page that it needs" };
    }
  }

  async #opened(page: unknown): Promise<boolean> {
    const { elicitationId } = page as { elicitationId?: unknown };
    const seen = new Promise<void>((resolve) => this.#seen.set(String(elicitationId), resolve));
    const asked = await this.elicit({ ...(page as object), mode: "url" });
    if (asked.action !== "accept") return false;
    const late = new Promise<void>((resolve) => setTimeout(resolve, SEEN_WITHIN).unref());
    await Promise.race([seen, late]);
    return true;
  }

  async #put(question: Question, back: AbortSignal | undefined): Promise<Decided | undefined> {
    if (this.#stop.signal.aborted || back?.aborted) return undefined;
    const { floor } = this.#options;
    this.#patience.pause();
    floor.rest(this);
    const taken = () => {
      floor.freed(this);
      this.note("The server took back what it asked people before they answered.");
      this.#settle(undefined);
    };
    back?.addEventListener("abort", taken, { once: true });
    const decided = await new Promise<Decided | undefined>((settle) => {
      this.#open = { question, settle };
      this.#news();
    });
    back?.removeEventListener("abort", taken);
    await floor.enter(this);
    this.#patience.resume();
    return decided;
  }

  #settle(decided: Decided | undefined): void {
    const open = this.#open;
    this.#open = undefined;
    open?.settle(decided);
  }
}

/** Calls that wait for people, by what they are for. */
export class Held {
  readonly #talks = new Map<string, Talk>();

  /** Runs a call, or goes on with one that was left waiting; undefined: it is not here any more. */
  async run(key: string, begin: () => Talk, answer: Decided | undefined, signal: AbortSignal): Promise<Ran | undefined> {
    const talk = answer ? this.#talks.get(key) : begin();
    if (!talk) return undefined;
    if (answer) talk.answer(answer);
    const ran = await talk.next(signal);
    if ("asks" in ran) this.#talks.set(key, talk);
    else this.#talks.delete(key);
    return ran;
  }

  /** Cancels what still waits and belongs to a conversation or its helpers; gives what it used since it was left waiting. */
  release(root: string): { key: string; usage: Usage }[] {
    const own = [...this.#talks].filter(([key]) => key.startsWith(`${root} `) || key.startsWith(`${root}/`));
    return own.flatMap(([key, talk]) => {
      this.#talks.delete(key);
      talk.cancel();
      return talk.spent().map((usage) => ({ key, usage }));
    });
  }
}
