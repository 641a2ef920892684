/**
 * One server of one home, kept alive: connected in the background, its tools listed, restarted after a crash, closed when nobody needs it.
 *
 * N1. `ready` never rejects and waits no longer than it is told, of all waiting for one attempt together; a server that could not be
 *     connected is tried again beside the work, with growing pauses, one try at a time, and is not waited for.
 * N2. A session that the server has ended is begun anew. A call that found it ended runs again only if it certainly did not run, or may
 *     be repeated. A call runs only if the tool is still what it was when it was offered.
 * N3. Once retired it takes no new calls, and ends when those under way have ended.
 * N4. What changed at the server is listed again before the next `ready`, however often it says so, once at a time.
 * N5. One that was closed because nobody used it offers what it had, and is begun again beside that: who was asked about a call for an
 *     hour need not wait, and a call waits until it is there.
 * N6. What it was given to sign in with leaves this file in nothing it says; the entry's secrets in no words about it.
 */
import type { Account } from "./account.ts";
import { pagesIn } from "./asks.ts";
import { Backoff } from "./backoff.ts";
import { type Called, type CallWishes, type Given, isStill } from "./called.ts";
import { openSession, type Session, type SessionOptions } from "./client.ts";
import { type Fate, fateOf } from "./fate.ts";
import { Floor } from "./floor.ts";
import { Listed } from "./listed.ts";
import { masked } from "./masked.ts";
import { type Phase, type Settled, settled, type Up, whileBegun } from "./phase.ts";
import { ration } from "./ration.ts";
import type { Talk } from "./talk.ts";
import type { Entry } from "./tools-file.ts";
import { within } from "./within.ts";

export interface ConnectionOptions {
  /** With secrets filled in. */
  entry: Entry;
  cwd: string;
  startTimeout: number;
  callTimeout: number;
  /** Unused for so long it is closed. */
  idle: number;
  /** Signs in, where the server wants that. */
  account?: Account | undefined;
  /** Whether it may ask the model. */
  sampling: boolean;
  /** Which addresses may be asked that nobody wrote. */
  isOpen?: ((address: string) => boolean) | undefined;
  /** The entry's secrets, and of those what it signs in with. */
  secrets: readonly string[];
  keys: readonly string[];
  log: (text: string) => void;
  /** What the server logs. */
  debug: (text: string, facts: object) => void;
}

/** Unheard of for so long, a session is looked at before something is asked of it that must not run twice. */
const QUIET = 30_000;
/** Lines of a server's log within a second; the rest is dropped. */
const [LINES, SECOND] = [20, 1000];
const GONE = "the server is not running";

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #leaving = new AbortController();
  #state: Phase = { is: "idle" };
  readonly #backoff = new Backoff();
  /** The last try led somewhere. */
  #reached = true;
  #busy = 0;
  /** When the server last answered. */
  #heard = 0;
  #closing: NodeJS.Timeout | undefined;
  #done: () => void = () => undefined;
  readonly #room = ration(LINES, SECOND);
  /** Whose turn it is to be asked things by the server. */
  readonly floor = new Floor<Talk>();
  /** What it was given to sign in with as the product itself. */
  readonly #tokens = new Set<string>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  async ready(patience: number): Promise<Settled> {
    this.#touch();
    const before = this.#state;
    if (before.is === "idle" || (before.is === "down" && !before.signin && Date.now() >= before.until)) this.#begin();
    const state = this.#state;
    if (state.is === "connecting" && this.#reached && !state.rested) await within(state.done, state.since + patience - Date.now());
    const { fresh } = state.is === "up" ? state.listed : {};
    if (fresh) await within(fresh.done, fresh.since + patience - Date.now());
    return settled(this.#state);
  }

  /** How it is, without waking it. */
  now(): { ok: boolean; detail: string } {
    if (this.#state.is === "idle") return { ok: true, detail: "it starts when it is wanted" };
    const found = settled(this.#state);
    if (!("problem" in found)) return { ok: true, detail: `${found.tools.length} tools` };
    return { ok: found.starting, detail: found.starting ? "it is starting" : found.problem };
  }

  /** It is not there because nobody has signed in. */
  get wantsSignIn(): boolean {
    return this.#state.is === "down" && this.#state.signin;
  }

  /** Forgets what went wrong: something was mended. */
  again(): void {
    if (this.#state.is === "down") this.#state = { is: "idle" };
    this.#backoff.forget();
    this.#reached = true;
  }

  call(tool: Given, input: Record<string, unknown>, wishes: CallWishes): Promise<Called> {
    return this.#used(async () => {
      const first = await this.#try(tool, input, wishes);
      if ("ok" in first) return first;
      const mayRepeat = first.fate.ran === "no" || wishes.repeatable;
      this.#leave(first.up);
      if (!mayRepeat) return { ok: false, ran: "unknown", why: this.#words(first.fate.why) };
      const second = await this.#try(tool, input, wishes);
      return "ok" in second ? second : { ok: false, ran: second.fate.ran, why: this.#words(second.fate.why) };
    });
  }

  /** Asks for something that changes nothing. */
  request(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<Called> {
    const ask = async (again: boolean): Promise<Called> => {
      const up = await this.#up();
      if (typeof up === "string") return { ok: false, ran: "no", why: up };
      try {
        return { ok: true, result: this.#clean(await up.session.request(method, params, signal)) };
      } catch (error) {
        const fate = fateOf(error, this.#options.startTimeout);
        if (fate.is === "expired") this.#leave(up);
        if (fate.is === "expired" && again) return ask(false);
        this.#mind(up, fate);
        return { ok: false, ran: "no", why: this.#words(fate.why) };
      }
    };
    return this.#used(() => ask(true));
  }

  /** `now`: without waiting for calls. */
  async retire(now: boolean): Promise<void> {
    this.#leaving.abort();
    clearTimeout(this.#closing);
    if (this.#state.is === "connecting") await this.#state.done;
    if (this.#busy > 0 && !now) {
      await new Promise<void>((resolve) => {
        this.#done = resolve;
      });
    }
    if (this.#state.is !== "up") return;
    this.#state.listed.end();
    await this.#state.session.close();
  }

  async #used<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#touch();
      if (--this.#busy === 0) this.#done();
    }
  }

  /** The session, begun if there was one; or why there is none. */
  async #up(): Promise<Up | string> {
    if (this.#leaving.signal.aborted) return GONE;
    if (this.#state.is === "idle") this.#begin();
    if (this.#state.is === "connecting") await this.#state.done;
    if (this.#state.is === "up") return this.#state;
    return this.#state.is === "down" && !this.#reached ? this.#state.problem : GONE;
  }

  /** One run; of a session that was ended only that it was. */
  async #try(tool: Given, input: Record<string, unknown>, wishes: CallWishes): Promise<Called | { fate: Fate; up: Up }> {
    const { callTimeout: timeout, entry } = this.#options;
    const { signal, patience, tell } = wishes;
    const up = this.#state.is === "up" && !this.#leaving.signal.aborted ? this.#state : await this.#up();
    if (typeof up === "string") return { ok: false, ran: "no", why: up };
    if (signal.aborted) return { ok: false, ran: "no", why: "the call was stopped before it began" };
    if (!isStill(tool, up.listed.now)) return { ok: false, ran: "no", why: CHANGED };
    patience.start(timeout);
    const quiet = entry.kind === "http" && !wishes.repeatable && Date.now() - this.#heard > QUIET;
    try {
      if (quiet) await up.session.look();
    } catch (error) {
      return { fate: { ...fateOf(error, timeout), ran: "no" }, up };
    }
    try {
      const onProgress = (text: string) => {
        patience.touch();
        tell?.(this.#words(text));
      };
      const result = await up.session.call(tool.name, input, { signal: AbortSignal.any([signal, patience.signal]), onProgress });
      this.#heard = Date.now();
      return { ok: true, result: this.#clean(result) };
    } catch (error) {
      if (signal.aborted) return { ok: false, ran: "unknown", why: "the call was stopped" };
      if (patience.signal.aborted) return { ok: false, ran: "unknown", why: `no answer came within ${timeout / 1000} s` };
      const [fate, pages] = [fateOf(error, timeout), pagesIn(error)];
      if (fate.is === "expired") return { fate, up };
      this.#mind(up, fate);
      return { ok: false, ran: fate.ran, why: this.#words(fate.why), ...(pages.length && { pages: this.#clean(pages) }) };
    }
  }

  /** What went wrong may mean that there is no session any more. */
  #mind(up: Up, { is, why }: Fate): void {
    const signin = is === "signin" && this.#options.account?.signedIn === false;
    if ((is !== "unreached" && is !== "lost" && !signin) || this.#state !== up) return;
    void up.session.close().catch(() => undefined);
    this.#fail(why, signin);
  }

  /** The session is over: the next who wants the server begins another. */
  #leave(up: Up): void {
    if (this.#state !== up) return;
    up.listed.end();
    void up.session.close().catch(() => undefined);
    this.#state = { is: "idle", rested: up.listed.now };
  }

  #begin(): void {
    const told = whileBegun(this.#state);
    this.#state = { is: "connecting", done: this.#connect(), since: Date.now(), ...told };
  }

  async #connect(): Promise<void> {
    const { startTimeout } = this.#options;
    const listed = new Listed();
    let session: Session | undefined;
    try {
      session = await openSession(this.#wishes(listed));
      const { tools, about } = session;
      await listed.begin(async () => this.#clean({ tools: await tools(), about }));
      this.#reached = true;
      this.#heard = Date.now();
      this.#state = { is: "up", session, listed, since: this.#heard };
      this.#touch();
    } catch (error) {
      void session?.close().catch(() => undefined);
      const { is, why } = fateOf(error, startTimeout);
      this.#reached = false;
      const words =
        is === "late" ? `it did not answer within ${startTimeout / 1000} s` : is === "expired" ? "nothing is there (HTTP 404)" : why;
      this.#fail(words, is === "signin");
    }
  }

  #wishes(listed: Listed): SessionOptions {
    const { entry, startTimeout, callTimeout, debug, sampling } = this.#options;
    return {
      ...this.#options,
      timeout: startTimeout,
      patience: callTimeout,
      signal: this.#leaving.signal,
      onToken: (token) => this.#tokens.add(token),
      asks: { floor: this.floor, sampling, clean: (params) => this.#clean(params) },
      onChanged: () => listed.changed(),
      onLog: (level, text) => {
        if (this.#room()) debug(`The MCP server ${entry.name} logs`, { level, text: this.#words(text) });
      },
      onEnd: (why) => {
        if (this.#state.is === "up" && this.#state.listed === listed) this.#fail(why || "its connection ended");
      },
    };
  }

  #fail(why: string, signin = false): void {
    const { entry, log } = this.#options;
    const problem = this.#words(why);
    if (this.#state.is === "up") this.#state.listed.end();
    const until = this.#backoff.failed(this.#state.is === "up" ? this.#state.since : undefined);
    this.#state = { is: "down", problem, until, signin };
    if (!this.#leaving.signal.aborted && !signin) log(`The MCP server ${entry.name} is down: ${problem}`);
  }

  #touch(): void {
    clearTimeout(this.#closing);
    this.#closing = setTimeout(() => {
      if (this.#state.is === "up" && this.#busy === 0) this.#leave(this.#state);
    }, this.#options.idle).unref();
  }

  get #keys(): string[] {
    return [...(this.#options.account?.secrets ?? []), ...this.#options.keys, ...this.#tokens];
  }
  #clean<T>(value: T): T {
    return masked(value, this.#keys) as T;
  }
  #words(text: string): string {
    return masked(text, [...this.#keys, ...this.#options.secrets]) as string;
  }
}

const CHANGED = "the tool is not what it was when it was offered. Call it again if it is still needed";
