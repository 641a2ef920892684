/**
 * Lines to servers over HTTP: streamable HTTP, and the older SSE.
 *
 * J1. Where an entry names no transport, streamable HTTP is tried, and SSE if the server does not know it.
 * J2. The entry's headers go to the server's own address only, never to whoever signs people in.
 */
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Account } from "./account.ts";
import { answers } from "./answers.ts";
import { fateOf, isUnauthorized, NO_MESSAGE, statusOf } from "./fate.ts";
import type { Line } from "./line.ts";
import { openReach, type Reach, writtenIn } from "./reach.ts";
import type { HttpEntry } from "./tools-file.ts";

export interface RemoteOptions {
  /** Signs in: with what was given before, or asking for it. */
  account?: Account | undefined;
  /** Most time until an answer begins. */
  patience: number;
  /** Addresses that a person wrote; those of the entry, if absent. */
  written?: readonly string[] | undefined;
  /** Which others may be asked. */
  isOpen?: ((address: string) => boolean) | undefined;
  /** Told of what was given to sign in with as the product itself. */
  onToken?: ((token: string) => void) | undefined;
}

/** The lines to try, one after the other. */
export const linesTo = (entry: HttpEntry, on: RemoteOptions): (() => Promise<Line>)[] => {
  const [streamable, sse] = [() => streamableTo(entry, on), () => sseTo(entry, on)];
  if (entry.transport === "sse") return [sse];
  return entry.transport === undefined ? [streamable, sse] : [streamable];
};

/** Whether a server that answered this may be one that knows only SSE. */
export function mayBeOlder(error: unknown): boolean {
  const { code, message = "" } = error as { code?: number; message?: string };
  const status = statusOf(code, message);
  return status !== undefined && status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
}

const POLITE = 1000;
/** The library's code for a line that broke. */
const CLOSED = -32000;

async function streamableTo(entry: HttpEntry, on: RemoteOptions): Promise<Line> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { fetch, close, provider, refused } = await outOf(entry, on);
  const broken = (id: number | string, why: string): void =>
    transport.onmessage?.({ jsonrpc: "2.0", id, error: { code: CLOSED, message: `Connection closed: ${why}` } });
  const { fetch: seen, onMessage } = answers(fetch, broken);
  const transport = new StreamableHTTPClientTransport(new URL(entry.url), { fetch: seen, ...(provider && { authProvider: provider }) });
  transport.onmessage = onMessage;
  return {
    transport: transport as Transport,
    why: () => refused() ?? "",
    kept: () => transport.sessionId !== undefined,
    async close() {
      const late = new Promise<void>((done) => setTimeout(done, POLITE).unref());
      await Promise.race([transport.terminateSession().catch(() => undefined), late]);
      await transport.close();
      await close();
    },
  };
}

async function sseTo(entry: HttpEntry, on: RemoteOptions): Promise<Line> {
  const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
  const { fetch, close, provider, refused } = await outOf(entry, on);
  const options = { fetch, eventSourceInit: { fetch }, ...(provider && { authProvider: provider }) };
  const transport = new SSEClientTransport(new URL(entry.url), options);
  let [up, why] = [false, ""];
  // It would connect again by itself, to a session that knows nothing of us.
  transport.onerror = (error) => {
    if (!up || why || isUnauthorized(error)) return;
    why = fateOf(error, 0).is === "garbled" ? NO_MESSAGE : "its connection ended";
    void transport.close();
  };
  const line: Transport = transport as Transport;
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    up = true;
  };
  return {
    transport: line,
    why: () => refused() ?? why,
    async close() {
      await transport.close();
      await close();
    },
  };
}

interface Out extends Reach {
  provider: OAuthClientProvider | undefined;
}

async function outOf(entry: HttpEntry, { account, patience, written, isOpen, onToken }: RemoteOptions): Promise<Out> {
  const machine = entry.oauth?.grant === "client_credentials" ? told(await itself(entry), onToken) : undefined;
  const reach = openReach({
    written: written ?? writtenIn(entry),
    isOpen,
    patience,
    onAnswer: (url, status, headers) => {
      const wants = status === 403 && headers.get("www-authenticate")?.includes("insufficient_scope");
      if (wants && url.href === new URL(entry.url).href) account?.wantsMore();
    },
  });
  const own = withHeaders(reach.fetch, entry);
  return {
    fetch: account ? account.fetchOnce(own) : own,
    refused: reach.refused,
    close: reach.close,
    provider: machine ?? (account?.usable ? account.provider() : undefined),
  };
}

/** Adds the entry's headers to what goes to the origin of its url, and to nothing else. */
export function withHeaders(fetch: FetchLike, entry: HttpEntry): FetchLike {
  const { origin } = new URL(entry.url);
  const given = Object.entries(entry.headers);
  return (url, init) => {
    if (new URL(url).origin !== origin || !given.length) return fetch(url, init);
    const headers = new Headers(init?.headers);
    for (const [name, value] of given) headers.set(name, value);
    return fetch(url, { ...init, headers });
  };
}

function told(provider: OAuthClientProvider, onToken: RemoteOptions["onToken"]): OAuthClientProvider {
  const save = provider.saveTokens.bind(provider);
  provider.saveTokens = (tokens) => {
    for (const token of [tokens.access_token, tokens.refresh_token]) if (token) onToken?.(token);
    return save(tokens);
  };
  return provider;
}

/** The product's own sign-in, where no person is asked. */
async function itself(entry: HttpEntry): Promise<OAuthClientProvider> {
  const { ClientCredentialsProvider, PrivateKeyJwtProvider } = await import("@modelcontextprotocol/sdk/client/auth-extensions.js");
  const { clientId = "", clientSecret, privateKey, algorithm = "RS256", scope, issuer } = entry.oauth ?? {};
  const common = { clientId, clientName: "Denizen", ...(scope && { scope }), ...(issuer && { expectedIssuer: issuer }) };
  if (privateKey) return new PrivateKeyJwtProvider({ ...common, privateKey, algorithm });
  return new ClientCredentialsProvider({ ...common, clientSecret: clientSecret ?? "" });
}
