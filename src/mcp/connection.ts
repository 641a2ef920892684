/**
 * One server of one home, kept alive: connected in the background, its tools listed, restarted after a crash, closed when nobody needs it.
 *
 * N1. `ready` never rejects and waits no longer than it is told, of all waiting for one attempt together; a server that could not be
 *     connected is tried again beside the work, with growing pauses, one try at a time, and is not waited for.
 * N2. A session that the server has ended is begun anew. A call that found it ended runs again only if it certainly did not run, or may
 *     be repeated, and only if the tool is still the same.
 * N3. Once retired it takes no new calls, and ends when those under way have ended.
 * N4. What changed at the server is listed again before the next `ready`, however often it says so, once at a time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Account } from "./account.ts";
import { pagesIn } from "./asks.ts";
import { Backoff } from "./backoff.ts";
import type { Called, CallWishes, Listing } from "./called.ts";
import { openSession, type Session } from "./client.ts";
import { digest } from "./digest.ts";
import { type Fate, fateOf } from "./fate.ts";
import { Floor } from "./floor.ts";
import { masked } from "./masked.ts";
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
  /** Masks the entry's secrets in what is told. */
  mask: (text: string) => string;
  log: (text: string) => void;
  /** What the server logs. */
  debug: (text: string, facts: object) => void;
}
type State =
  | { is: "idle" }
  | { is: "connecting"; done: Promise<void>; since: number; failed?: string | undefined }
  | { is: "up"; session: Session; listing: Listing; since: number; fresh?: { done: Promise<void>; since: number } }
  | { is: "down"; problem: string; until: number; signin: boolean };
type Up = Extract<State, { is: "up" }>;

/** Unheard of for so long, a session is looked at before something is asked of it that must not run twice. */
const QUIET = 30_000;
/** A server that goes on saying that its tools changed is given so much time between two lists. */
const RELIST = 300;
/** Lines of a server's log within a second; the rest is dropped. */
const [LINES, SECOND] = [20, 1000];

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #leaving = new AbortController();
  #state: State = { is: "idle" };
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
  /** The server said that its tools changed. */
  #stale = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  async ready(patience: number): Promise<ReturnType<typeof settled>> {
    this.#touch();
    const before = this.#state;
    if (before.is === "idle" || (before.is === "down" && !before.signin && Date.now() >= before.until)) this.#begin();
    const state = this.#state;
    if (state.is === "connecting" && this.#reached) await within(state.done, state.since + patience - Date.now());
    if (state.is === "up" && state.fresh) await within(state.fresh.done, state.fresh.since + patience - Date.now());
    return settled(this.#state);
  }

  /** How it is, without waking it. */
  now(): { ok: boolean; detail: string } {
    const found = settled(this.#state);
    if (!("problem" in found)) return { ok: true, detail: `${found.tools.length} tools` };
    if (this.#state.is === "idle") return { ok: true, detail: "it starts when it is wanted" };
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

  async call(tool: string, input: Record<string, unknown>, wishes: CallWishes): Promise<Called> {
    this.#busy++;
    try {
      const first = await this.#try(tool, input, wishes);
      if ("ok" in first) return first;
      const mayRepeat = first.fate.ran === "no" || wishes.repeatable;
      const now = mayRepeat ? await this.#renewed(tool, first.up) : this.#leave(first.up);
      if (now !== true) return { ok: false, ran: mayRepeat ? "no" : "unknown", why: now ?? this.#options.mask(first.fate.why) };
      const second = await this.#try(tool, input, wishes);
      return "ok" in second ? second : { ok: false, ran: second.fate.ran, why: this.#options.mask(second.fate.why) };
    } finally {
      this.#touch();
      if (--this.#busy === 0) this.#done();
    }
  }

  /** Asks for something that changes nothing. */
  async request(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<Called> {
    if (this.#state.is !== "up") return { ok: false, ran: "no", why: "the server is not running" };
    this.#touch();
    try {
      return { ok: true, result: this.#clean(await this.#state.session.request(method, params, signal)) };
    } catch (error) {
      return { ok: false, ran: "no", why: this.#options.mask(fateOf(error, this.#options.startTimeout).why) };
    }
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
    if (this.#state.is === "up") await this.#state.session.close();
  }

  /** One run; of a session that was ended only that it was. */
  async #try(tool: string, input: Record<string, unknown>, wishes: CallWishes): Promise<Called | { fate: Fate; up: Up }> {
    const up = this.#state;
    if (up.is !== "up" || this.#leaving.signal.aborted) return { ok: false, ran: "no", why: "the server is not running" };
    const { callTimeout: timeout, mask, entry } = this.#options;
    const { signal, patience, tell } = wishes;
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
        tell?.(mask(text));
      };
      const result = await up.session.call(tool, input, { signal: AbortSignal.any([signal, patience.signal]), onProgress });
      this.#heard = Date.now();
      return { ok: true, result: this.#clean(result) };
    } catch (error) {
      if (signal.aborted) return { ok: false, ran: "unknown", why: "the call was stopped" };
      if (patience.signal.aborted) return { ok: false, ran: "unknown", why: `no answer came within ${timeout / 1000} s` };
      const [fate, pages] = [fateOf(error, timeout), pagesIn(error)];
      if (fate.is === "expired") return { fate, up };
      if (fate.is === "unreached" || fate.is === "lost") this.#drop(up, fate.why);
      if (fate.is === "signin" && this.#options.account?.signedIn === false) this.#drop(up, fate.why, true);
      return { ok: false, ran: fate.ran, why: mask(fate.why), ...(pages.length && { pages }) };
    }
  }

  /** True: there is a session again in which the tool is what it was. Else why there is none. */
  async #renewed(tool: string, old: Up): Promise<true | string> {
    this.#leave(old);
    if (this.#state.is === "idle") this.#begin();
    if (this.#state.is === "connecting") await this.#state.done;
    const now = settled(this.#state);
    if ("problem" in now) return now.problem;
    const same = digest(named(now, tool)) === digest(named(old.listing, tool));
    return same || "the server has begun anew, and there this tool is not what it was. Call it again if it is still needed";
  }

  /** The session is over: the next who wants the server begins another. */
  #leave({ session }: Up): undefined {
    if (this.#state.is !== "up" || this.#state.session !== session) return;
    void session.close().catch(() => undefined);
    this.#state = { is: "idle" };
  }

  #begin(): void {
    const failed = this.#state.is === "down" ? this.#state.problem : undefined;
    this.#state = { is: "connecting", done: this.#connect(), since: Date.now(), failed };
  }

  async #connect(): Promise<void> {
    const { entry, cwd, startTimeout, callTimeout, account, debug, mask } = this.#options;
    let session: Session | undefined;
    try {
      const onEnd = (why: string) => {
        if (this.#state.is === "up" && this.#state.session === session) this.#fail(why || "its connection ended");
      };
      const onChanged = () => this.#changed();
      const onLog = (level: string, text: string) => {
        if (this.#room()) debug(`The MCP server ${entry.name} logs`, { level, text: mask(text) });
      };
      const [signal, timeout, patience] = [this.#leaving.signal, startTimeout, callTimeout];
      const asks = { floor: this.floor, sampling: this.#options.sampling };
      session = await openSession({ entry, cwd, timeout, patience, signal, account, asks, onChanged, onLog, onEnd });
      const listing = this.#clean({ tools: await session.tools(), about: session.about });
      this.#reached = true;
      this.#heard = Date.now();
      this.#state = { is: "up", session, listing, since: this.#heard };
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

  #changed(): void {
    this.#stale = true;
    const up = this.#state;
    if (up.is !== "up" || up.fresh) return;
    const done = this.#relist(up.session);
    this.#state = { ...up, fresh: { done, since: Date.now() } };
  }

  /** A list that cannot be had again leaves the old one. */
  async #relist(session: Session): Promise<void> {
    const still = () => (this.#state.is === "up" && this.#state.session === session ? this.#state : undefined);
    for (let tries = 0; this.#stale && still(); tries++) {
      if (tries) await sleep(RELIST, undefined, { ref: false });
      this.#stale = false;
      const tools = await session.tools().catch(() => undefined);
      const up = still();
      if (up && tools) this.#state = { ...up, listing: this.#clean({ tools, about: session.about }) };
    }
    const up = still();
    if (!up) return;
    const { fresh: _fresh, ...rest } = up;
    this.#state = rest;
  }

  #drop(up: Up, why: string, signin = false): void {
    if (this.#state.is !== "up" || this.#state.session !== up.session) return;
    void up.session.close().catch(() => undefined);
    this.#fail(why, signin);
  }

  #fail(why: string, signin = false): void {
    const { entry, mask, log } = this.#options;
    const problem = mask(why);
    const until = this.#backoff.failed(this.#state.is === "up" ? this.#state.since : undefined);
    this.#state = { is: "down", problem, until, signin };
    if (!this.#leaving.signal.aborted && !signin) log(`The MCP server ${entry.name} is down: ${problem}`);
  }

  #touch(): void {
    clearTimeout(this.#closing);
    this.#closing = setTimeout(() => {
      if (this.#state.is !== "up" || this.#busy > 0) return;
      const { session } = this.#state;
      this.#state = { is: "idle" };
      void session.close().catch(() => undefined);
    }, this.#options.idle).unref();
  }

  /** Tokens that were given for this server are nobody's to read, whatever it sends back. */
  #clean<T>(result: T): T {
    const secrets = this.#options.account?.secrets ?? [];
    return secrets.length ? (masked(result, secrets) as T) : result;
  }
}

const named = ({ tools }: Listing, tool: string): unknown => tools.find((it) => (it as { name?: unknown } | null)?.name === tool);

/** `starting`: it may be there in a moment. One that failed is what it was until it is back. */
function settled(state: State): Listing | { problem: string; signin: boolean; starting: boolean } {
  if (state.is === "up") return state.listing;
  if (state.is === "down") return { problem: state.problem, signin: state.signin, starting: false };
  if (state.is === "connecting" && state.failed) return { problem: state.failed, signin: false, starting: false };
  return { problem: "it is still starting", signin: false, starting: true };
}
