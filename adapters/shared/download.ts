/**
 * Fetching a file that a platform keeps.
 *
 * D1. Asked of `allowed` places only, at every turn the platform sends us round; what goes with the request is decided for each anew.
 * D2. Never more than so many bytes are taken, whatever was announced, and never for longer than a minute.
 */
import type { Fetched } from "../../src/core/ports.ts";
import { NEVER_SENT } from "./failure.ts";

export interface Wish {
  /** Its name in sentences. */
  platform: string;
  most: number;
  signal: AbortSignal;
  allowed(url: URL): boolean;
  headers?(url: URL): Record<string, string>;
}
export type Downloaded = (Extract<Fetched, { ok: true }> & { type: string }) | Extract<Fetched, { ok: false }>;

const PATIENCE = 60_000;
const TURNS = 5;
const failed = (why: string, retryIn: number | null = null): Downloaded => ({ ok: false, retryIn, why });

export async function download(address: string, wish: Wish): Promise<Downloaded> {
  const signal = AbortSignal.any([wish.signal, AbortSignal.timeout(PATIENCE)]);
  try {
    return await follow(address, wish, signal);
  } catch (error) {
    if (wish.signal.aborted) return failed("nobody waits for it any more");
    if (signal.aborted) return failed(`${wish.platform} did not send it in time`);
    const code = codeOf(error);
    return failed(
      `${NEVER_SENT.has(code) ? `${wish.platform} cannot be reached` : `the connection to ${wish.platform} broke`} (${code})`,
      1000,
    );
  }
}

async function follow(address: string, wish: Wish, signal: AbortSignal): Promise<Downloaded> {
  let url = URL.canParse(address) ? new URL(address) : undefined;
  for (let turn = 0; url && turn < TURNS; turn++) {
    if (!wish.allowed(url)) return failed(`it is kept at ${url.host}, outside ${wish.platform}`);
    const answer = await fetch(url.href, { headers: wish.headers?.(url) ?? {}, redirect: "manual", signal });
    const next = answer.headers.get("location");
    if (answer.status < 300 || answer.status >= 400 || !next) return taken(answer, wish);
    await answer.body?.cancel();
    url = URL.canParse(next, url.href) ? new URL(next, url.href) : undefined;
  }
  return failed(`${wish.platform} does not say where it is`);
}

async function taken(answer: Response, { platform, most }: Wish): Promise<Downloaded> {
  const { status, headers, body } = answer;
  if (!answer.ok) {
    await body?.cancel();
    if (status === 429) return failed(`${platform} limits the rate`, 1000 * Math.max(1, Number(headers.get("retry-after")) || 1));
    if (status >= 500) return failed(`${platform} has trouble (status ${status})`, 2000);
    return failed(status === 404 || status === 410 ? "it is not there any more" : `${platform} does not give it out (status ${status})`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // Leaving the loop ends the connection.
    if (size > most) return failed("it is larger than was said, and too large");
    chunks.push(chunk);
  }
  return { ok: true, bytes: Buffer.concat(chunks), type: headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "" };
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? ((error.cause as { code?: unknown } | undefined) ?? error) : {};
  return "code" in cause && typeof cause.code === "string" ? cause.code : "no connection";
}
