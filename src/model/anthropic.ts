/**
 * The model behind the Anthropic Messages API, or behind any server that speaks it.
 *
 * M1. One request, one answer: nothing is retried here, and a partial answer is never returned.
 * M2. A stream without an event for `idleMs` is given up. Pings are no events: a server can ping for ever.
 * M3. The SDK is loaded with the first request, so a start without a key does not pay for it, and it prints nothing.
 */
import type { Model } from "../core/ports.ts";
import { assemble, type StreamEvent } from "./assemble.ts";
import { bodyOf } from "./body.ts";
import { type Failure, failureOf } from "./failure.ts";

export interface AnthropicOptions {
  apiKey: string;
  baseURL?: string | undefined;
  /** The model used where nothing else is named. */
  model: string;
  /** Masks secrets in what is written to logs. */
  scrub: (text: string) => string;
  idleMs?: number;
}

type Client = { send(body: Uint8Array, signal: AbortSignal): Promise<AsyncIterable<StreamEvent>> };

export function anthropic({ apiKey, baseURL, model, scrub, idleMs = 60_000 }: AnthropicOptions): Model {
  let loading: Promise<Client> | undefined;
  const client = () => (loading ??= connect(apiKey, baseURL));
  return {
    kind: "anthropic",
    name: model,
    window: (name) => (name.startsWith("claude-") ? 200_000 : undefined),
    async answer(request, onDelta, signal) {
      const api = await client();
      const watch = watchdog(signal, idleMs);
      try {
        const assembly = assemble(request.model);
        for await (const event of await api.send(bodyOf(request), watch.signal)) {
          watch.event();
          const delta = assembly.take(event);
          if (delta && !watch.signal.aborted) onDelta(delta);
        }
        // An aborted stream ends without an error.
        return ended(watch, idleMs) ?? assembly.answer() ?? CUT;
      } catch (thrown) {
        return ended(watch, idleMs) ?? failureOf(thrown, scrub, Date.now());
      } finally {
        watch.stop();
      }
    },
  };
}

const ABORTED: Failure = { ok: false, kind: "aborted", detail: "The model request was stopped." };
const CUT: Failure = { ok: false, kind: "retry", detail: "The model's stream ended before its answer was complete." };

async function connect(apiKey: string, baseURL: string | undefined): Promise<Client> {
  const { Anthropic } = await import("@anthropic-ai/sdk");
  const client = new Anthropic({ apiKey, maxRetries: 0, logLevel: "off", ...(baseURL && { baseURL: baseURL.replace(/\/+$/, "") }) });
  const headers = { "content-type": "application/json" };
  return {
    // `post` takes the body as it is; `messages.stream` would encode the whole history again and print on the console.
    send: (body, signal) => client.post<AsyncIterable<StreamEvent>>("/v1/messages", { body, headers, stream: true, signal }),
  };
}

interface Watch {
  signal: AbortSignal;
  event(): void;
  stop(): void;
  /** Why it was aborted. */
  cause(): "outside" | "idle" | undefined;
}

/** Aborts when the caller does, or when no event came for too long. */
function watchdog(outside: AbortSignal, idleMs: number): Watch {
  const control = new AbortController();
  let cause: "outside" | "idle" | undefined;
  const abort = (why: "outside" | "idle") => {
    cause ??= why;
    control.abort();
  };
  const stopped = () => abort("outside");
  if (outside.aborted) stopped();
  outside.addEventListener("abort", stopped, { once: true });
  const timer = setTimeout(abort, idleMs, "idle");
  return {
    signal: control.signal,
    event: () => void timer.refresh(),
    stop() {
      clearTimeout(timer);
      outside.removeEventListener("abort", stopped);
    },
    cause: () => cause,
  };
}

function ended(watch: Watch, idleMs: number): Failure | undefined {
  const cause = watch.cause();
  if (cause === "outside") return ABORTED;
  return cause && { ok: false, kind: "retry", detail: `The model's stream was silent for ${idleMs / 1000} s and was given up.` };
}
