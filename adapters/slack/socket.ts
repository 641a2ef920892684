/**
 * Socket Mode connections that are always there again.
 *
 * S1. The library's own reconnecting is off: it waits seconds before it begins, and rejects where nobody can catch it. Each connection here
 *     is a fresh receiver; when it ends, the next is opened at once, after failures with growing pauses.
 * S2. A frame the library cannot read is logged and costs nothing else.
 * S3. Healthy means: Slack said hello on a connection that stands now. The library ends one whose pings go unanswered.
 * S4. There are two, and Slack tells each event on one of them: while one is replaced, the other hears.
 */
import { type App, type Logger, SocketModeReceiver, type webApi } from "@slack/bolt";
import type { Log } from "../../src/core/ports.ts";
import { within } from "../shared/within.ts";
import { failure } from "./outcome.ts";

const HELLO_WITHIN = 20_000;
const PONG_WITHIN = 10_000;
const LONGEST_PAUSE = 30_000;
const CLOSE_WITHIN = 1500;

export interface SocketOptions {
  appToken: string;
  client: webApi.WebClientOptions;
  logger: Logger;
  log: Log;
  /** Events come again after a time in which there was no connection. */
  back: () => void;
}
/** The way events come in. */
export interface Door {
  /** Resolves once events can come; rejects if that fails the first time. */
  start(app: App): Promise<void>;
  stop(): Promise<void>;
  health(): { ok: boolean; detail: string };
}

export function sockets({ back, ...options }: SocketOptions): Door {
  let deaf = false;
  const stood = () => {
    if (deaf) back();
    deaf = false;
  };
  const fell = () => {
    deaf ||= !both.some((one) => one.health().ok);
  };
  const both = [new Socket({ ...options, stood, fell }), new Socket({ ...options, stood, fell })];
  return {
    async start(app) {
      const [first, ...others] = both;
      await first?.start(app);
      for (const other of others) other.keep(app);
    },
    async stop() {
      await Promise.all(both.map((one) => one.stop()));
    },
    health() {
      const all = both.map((one) => one.health());
      return { ok: all.some(({ ok }) => ok), detail: (all.find(({ ok }) => !ok) ?? all[0])?.detail ?? "" };
    },
  };
}

interface OneOptions extends Omit<SocketOptions, "back"> {
  stood: () => void;
  fell: () => void;
}
class Socket implements Door {
  readonly #options: OneOptions;
  #current: SocketModeReceiver | undefined;
  #detail = "not connected yet";
  #standing = false;
  #stopped = false;
  #failures = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OneOptions) {
    this.#options = options;
  }

  async start(app: App): Promise<void> {
    const { appToken, client, logger, log } = this.#options;
    const receiver = new SocketModeReceiver({
      appToken,
      logger,
      autoReconnectEnabled: false,
      clientPingTimeout: PONG_WITHIN,
      installerOptions: { clientOptions: client },
    });
    guard(receiver, log, () => this.#ended(receiver, app));
    receiver.init(app);
    this.#current = receiver;
    await helloWithin(receiver, HELLO_WITHIN);
    if (this.#stopped) return void receiver.client.disconnect();
    this.#standing = true;
    this.#detail = "connected";
    this.#since = Date.now();
    receiver.client.once("disconnected", () => this.#ended(receiver, app));
    this.#options.stood();
  }

  /** Connects, however long it takes. */
  keep(app: App): void {
    this.start(app).catch((error: unknown) => {
      const { code, reason, retryIn } = failure(error);
      this.#detail = reason;
      this.#options.log.warn({ adapter: "slack", failures: this.#failures }, `Socket Mode: ${reason} Trying again.`);
      this.#again(app, code === "ratelimited" ? (retryIn ?? 0) : 0);
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#standing = false;
    this.#detail = "stopped";
    clearTimeout(this.#timer);
    if (this.#current) await close(this.#current);
  }

  health(): { ok: boolean; detail: string } {
    return { ok: this.#standing, detail: this.#detail };
  }

  /** Said by Slack, or seen: whichever comes first for the connection that stands. */
  #ended(receiver: SocketModeReceiver, app: App): void {
    if (!this.#standing || receiver !== this.#current) return;
    this.#standing = false;
    this.#detail = "the connection ended, connecting anew";
    this.#options.fell();
    if (Date.now() - this.#since > PONG_WITHIN) this.#failures = 0;
    this.#again(app);
  }

  #again(app: App, atLeast = 0): void {
    if (this.#stopped) return;
    const wait = Math.max(atLeast, pauseAfter(this.#failures++));
    this.#timer = setTimeout(() => this.keep(app), wait);
  }
}

const pauseAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(LONGEST_PAUSE, 250 * 2 ** failures) * (0.75 + Math.random() / 2);

async function close({ client }: SocketModeReceiver): Promise<void> {
  await within(CLOSE_WITHIN, client.disconnect(), undefined);
  // Asked a second time, the library no longer waits for the other side.
  void client.disconnect();
}

/**
 * Puts a guard around what reads frames: the library's reader rejects on frames it does not know, and nobody waits for it.
 * `goodbye`: Slack is about to take this connection away.
 */
function guard({ client }: SocketModeReceiver, log: Log, goodbye: () => void): void {
  const readers = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  client.on("ws_message", (...frame: unknown[]) => {
    if (typeof frame[0] === "string" && /^\s*\{\s*"type"\s*:\s*"disconnect"/.test(frame[0])) goodbye();
    for (const read of readers) {
      Promise.resolve()
        .then(() => read.apply(client, frame))
        .catch(() => log.warn({ adapter: "slack" }, "A frame from Slack could not be read and was left."));
    }
  });
}

async function helloWithin({ client }: SocketModeReceiver, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_done, fail) => {
    timer = setTimeout(() => fail(new Error("Slack opened no connection in time.")), ms);
  });
  const started = client.start().catch((error: unknown) => {
    throw error ?? new Error("Slack closed the connection before it stood.");
  });
  try {
    await Promise.race([started, late]);
  } catch (error) {
    started.catch(() => {});
    void client.disconnect().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
