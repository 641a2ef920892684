/**
 * One server of one home, kept alive: connected in the background, its tools listed, restarted after a crash.
 *
 * N1. `ready` never rejects and waits no longer than it is told; connecting goes on without being waited for.
 * N2. After it failed it is tried again when it is next wanted, at first at once, then with growing pauses.
 * N3. Once retired it takes no new calls, and ends when those under way have ended.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { CLOSED, openSession, type Session, TIMEOUT } from "./client.ts";
import type { Entry } from "./tools-file.ts";

export interface ConnectionOptions {
  /** With secrets filled in. */
  entry: Entry;
  cwd: string;
  startTimeout: number;
  callTimeout: number;
  /** Masks the entry's secrets in what is told. */
  mask: (text: string) => string;
  log: (text: string) => void;
}
export interface Listing {
  tools: unknown[];
}
export type Called = { ok: true; result: unknown } | { ok: false; ran: "no" | "unknown"; why: string };

type State =
  | { is: "idle" }
  | { is: "connecting"; done: Promise<void> }
  | { is: "up"; session: Session; listing: Listing; since: number }
  | { is: "down"; problem: string; until: number };

const PAUSES = [0, 1000, 5000, 15_000, 60_000];
/** Up for so long, a crash is a first failure again. */
const STEADY = 10_000;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #leaving = new AbortController();
  #state: State = { is: "idle" };
  #failures = 0;
  #busy = 0;
  #idle: () => void = () => undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  async ready(patience: number): Promise<Listing | { problem: string }> {
    const state = this.#state;
    if (state.is === "idle" || (state.is === "down" && Date.now() >= state.until))
      this.#state = { is: "connecting", done: this.#connect() };
    if (this.#state.is === "connecting") await Promise.race([this.#state.done, sleep(patience, undefined, { ref: false })]);
    return settled(this.#state);
  }

  /** How it is, without waking it. */
  now(): { ok: boolean; detail: string } {
    const state = this.#state;
    switch (state.is) {
      case "up":
        return { ok: true, detail: `${state.listing.tools.length} tools` };
      case "down":
        return { ok: false, detail: state.problem };
      default:
        return { ok: true, detail: state.is === "connecting" ? "it is starting" : "it starts when it is wanted" };
    }
  }

  async call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<Called> {
    if (this.#state.is !== "up" || this.#leaving.signal.aborted) return { ok: false, ran: "no", why: "the server is not running" };
    const { session } = this.#state;
    const { callTimeout, mask } = this.#options;
    this.#busy++;
    try {
      return { ok: true, result: await session.call(tool, input, { signal, timeout: callTimeout }) };
    } catch (error) {
      return failed(error, signal, callTimeout, mask);
    } finally {
      if (--this.#busy === 0) this.#idle();
    }
  }

  /** `now`: without waiting for calls. */
  async retire(now: boolean): Promise<void> {
    this.#leaving.abort();
    if (this.#state.is === "connecting") await this.#state.done;
    if (this.#busy > 0 && !now) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    if (this.#state.is === "up") await this.#state.session.close();
  }

  async #connect(): Promise<void> {
    const { entry, cwd, startTimeout } = this.#options;
    let session: Session | undefined;
    try {
      const onEnd = (why: string) => {
        if (this.#state.is === "up" && this.#state.session === session) this.#fail(why || "its connection ended");
      };
      const onChanged = () => void this.#relist();
      session = await openSession({ entry, cwd, timeout: startTimeout, signal: this.#leaving.signal, onChanged, onEnd });
      const listing = { tools: await session.tools() };
      this.#state = { is: "up", session, listing, since: Date.now() };
    } catch (error) {
      void session?.close();
      this.#fail((error as Error).message);
    }
  }

  /** A list that cannot be had again leaves the old one. */
  async #relist(): Promise<void> {
    if (this.#state.is !== "up") return;
    const { session } = this.#state;
    const tools = await session.tools().catch(() => undefined);
    if (tools && this.#state.is === "up" && this.#state.session === session) this.#state = { ...this.#state, listing: { tools } };
  }

  #fail(why: string): void {
    const { entry, mask, log } = this.#options;
    const problem = mask(why);
    if (this.#state.is === "up" && Date.now() - this.#state.since > STEADY) this.#failures = 0;
    const pause = PAUSES[Math.min(this.#failures++, PAUSES.length - 1)] ?? 0;
    this.#state = { is: "down", problem, until: Date.now() + pause };
    if (!this.#leaving.signal.aborted) log(`The MCP server ${entry.name} is down: ${problem}`);
  }
}

const settled = (state: State): Listing | { problem: string } => {
  if (state.is === "up") return state.listing;
  return { problem: state.is === "down" ? state.problem : "it is still starting" };
};

function failed(error: unknown, signal: AbortSignal, timeout: number, mask: (text: string) => string): Called {
  const { code, message } = error as { code?: number; message?: string };
  if (signal.aborted) return { ok: false, ran: "unknown", why: "the call was stopped" };
  if (code === TIMEOUT) return { ok: false, ran: "unknown", why: `no answer came within ${timeout / 1000} s` };
  if (code === undefined || code === CLOSED)
    return { ok: false, ran: "unknown", why: `the server ended during the call (${mask(message ?? "")})` };
  return { ok: false, ran: "no", why: mask(String(message ?? error)) };
}
