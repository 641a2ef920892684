/**
 * A sign-in at one server: the home's own, or one person's.
 *
 * O1. What was given for one address is shown to no other; changing the address in tools.json begins anew.
 * O2. A link is made once and stays the same until it was followed, is a day old, or another one is asked for.
 * O3. A refresh is asked for once, however many calls find their token expired: servers that turn refresh tokens over refuse the second.
 * O4. Nobody is asked to sign in because a sign-in server could not be reached: only because what was given is no longer good.
 */
import { randomBytes } from "node:crypto";
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientMetadata, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { openReach, writtenIn } from "./reach.ts";
import { oneRefresh } from "./refresh.ts";
import type { HttpEntry } from "./tools-file.ts";
import type { Kept, Pending, Vault } from "./vault.ts";

export interface AccountOptions {
  vault: Vault;
  home: string;
  /** In the vault. */
  key: string;
  /** With secrets filled in. */
  entry: HttpEntry;
  /** Where the answer comes, and where what the product says of itself can be read (https only). */
  callback: string;
  document: string | undefined;
  /** Which addresses may be asked that nobody wrote. */
  isOpen?: ((address: string) => boolean) | undefined;
  /** Whom a link is for, in words. */
  name: string;
  now: () => number;
}

const DAY = 86_400_000;
const PATIENCE = 15_000;
const MOST_SECRETS = 20;

export class Account {
  readonly #on: AccountOptions;
  readonly fetchOnce: (fetch: FetchLike) => FetchLike;
  #kept: Kept;
  readonly #secrets = new Set<string>();
  #draft: Partial<Pending> = {};
  /** More was asked for than what was given allows. */
  #more = false;
  #invited = false;
  /** A link was made and is in nobody's hands yet. */
  #fresh = false;

  private constructor(on: AccountOptions, kept: Kept) {
    this.#on = on;
    this.#kept = kept;
    this.#hide(kept);
    this.fetchOnce = oneRefresh();
  }

  static async open(on: AccountOptions): Promise<Account> {
    const kept = await on.vault.read(on.home, on.key);
    return new Account(on, kept?.url === on.entry.url ? kept : { url: on.entry.url });
  }

  get signedIn(): boolean {
    return this.#kept.tokens !== undefined;
  }
  /** Whether the server is told of it: what was given is shown, or somebody waits for a link. */
  get usable(): boolean {
    return this.signedIn || this.#invited;
  }
  /** Somebody was given a link and has not followed it. */
  get asked(): boolean {
    return this.#kept.asked !== undefined;
  }
  /** A link that still leads to its end. */
  get link(): string | undefined {
    const { pending } = this.#kept;
    return pending && this.#on.now() < pending.at + DAY ? pending.link : undefined;
  }
  /** The link, if nobody was given it. */
  get news(): string | undefined {
    return this.#fresh ? this.link : undefined;
  }
  /** The link is in the right hands. */
  handed(): void {
    this.#fresh = false;
  }
  /** What must never be told, what took its place since included. */
  get secrets(): string[] {
    return [...this.#secrets];
  }

  /** The server wants more rights than were given: a refreshed token would have no more of them. */
  wantsMore(): void {
    this.#more = true;
  }

  /** From now on a server that wants a sign-in leads to a link. */
  invite(): void {
    this.#invited = true;
  }

  /** Whoever asks for it gets a link, whatever was asked before. */
  anew(): Promise<void> {
    this.#invited = true;
    const { pending: _pending, asked: _asked, ...rest } = this.#kept;
    return this.#keep(rest);
  }

  /** Makes a link without having been refused; why there is none, if there is none. */
  async begin(): Promise<string | undefined> {
    const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
    try {
      await this.#asking((fetchFn) => auth(this.provider(), { serverUrl: this.#on.entry.url, fetchFn }));
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** The answer to the link: the code becomes tokens. */
  async finish(code: string, issuer: string | null): Promise<void> {
    const { pending } = this.#kept;
    if (!pending) throw new Error("this link was followed already");
    const wrong = mixedUp(pending.discovery, issuer);
    if (wrong) throw new Error(wrong);
    const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
    const from = pending.discovery?.resourceMetadataUrl;
    const { entry } = this.#on;
    const options = { serverUrl: entry.url, authorizationCode: code, ...(from && { resourceMetadataUrl: new URL(from) }) };
    await this.#asking((fetchFn) => auth(this.#provider(pending), { ...options, fetchFn }));
    const { pending: _done, asked: _asked, ...rest } = this.#kept;
    await this.#keep(rest);
  }

  /** Forgets everything, here and where that can be said at the server. */
  async forget(): Promise<void> {
    const { tokens, client } = this.#kept;
    this.#kept = { url: this.#on.entry.url };
    await this.#on.vault.write(this.#on.home, this.#on.key, undefined);
    if (tokens) await this.#asking((fetch) => revoke(tokens, client ?? this.#registered(), fetch)).catch(() => undefined);
  }

  /** It was refused where the link led to. */
  async refused(): Promise<void> {
    const { pending: _pending, ...rest } = this.#kept;
    await this.#keep(rest);
  }

  provider(): OAuthClientProvider {
    this.#draft = {};
    return this.#provider();
  }

  #provider(pending?: Pending): OAuthClientProvider {
    const { entry, callback, document, name, now } = this.#on;
    const registered = this.#registered();
    const keep = (more: Partial<Kept>) => this.#keep({ ...this.#kept, ...more });
    return {
      redirectUrl: callback,
      ...(document && !registered && { clientMetadataUrl: document }),
      clientMetadata: describe(callback, entry.oauth?.scope),
      state: () => {
        const state = randomBytes(24).toString("base64url");
        this.#draft.state = state;
        return state;
      },
      clientInformation: () => registered ?? this.#kept.client,
      ...(!registered && { saveClientInformation: (client) => keep({ client }) }),
      tokens: () => {
        const { tokens } = this.#kept;
        const { refresh_token: _kept, ...rest } = tokens ?? {};
        return this.#more && tokens ? (rest as OAuthTokens) : tokens;
      },
      saveTokens: (tokens) => {
        this.#more = false;
        return keep({ tokens });
      },
      saveDiscoveryState: (discovery) => {
        this.#draft.discovery = discovery;
      },
      discoveryState: (): OAuthDiscoveryState | undefined => pending?.discovery,
      saveCodeVerifier: (verifier) => {
        this.#draft.verifier = verifier;
      },
      codeVerifier: () => pending?.verifier ?? "",
      redirectToAuthorization: async (url) => {
        const { state, verifier, discovery } = this.#draft;
        // Asked for although what is kept was not refused: the sign-in server could not be asked.
        if (this.#kept.tokens?.refresh_token && !this.#more) throw new Error("the server that signs people in did not answer");
        if (!/^https?:$/.test(url.protocol) || !state || !verifier) throw new Error(`nobody can sign in at ${url.protocol}`);
        const made: Pending = {
          state,
          verifier,
          link: url.href.replaceAll("(", "%28").replaceAll(")", "%29"),
          at: now(),
          name,
          ...(discovery && { discovery }),
        };
        const { tokens, ...rest } = this.#kept;
        await this.#keep({ ...rest, ...(this.#more && tokens && { tokens }), pending: made, asked: now() });
        [this.#more, this.#fresh] = [false, true];
      },
      invalidateCredentials: async (what) => {
        const { tokens, client, ...rest } = this.#kept;
        if (what === "all") await this.#keep(rest);
        if (what === "tokens") await this.#keep({ ...rest, ...(client && { client }) });
        if (what === "client") await this.#keep({ ...rest, ...(tokens && { tokens }) });
      },
    };
  }

  #registered() {
    const { clientId, clientSecret, issuer } = this.#on.entry.oauth ?? {};
    if (!clientId) return undefined;
    return { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }), ...(issuer && { issuer }) };
  }

  async #asking<T>(work: (fetch: FetchLike) => Promise<T>): Promise<T> {
    const { entry, isOpen } = this.#on;
    const reach = openReach({ written: writtenIn(entry), isOpen, patience: PATIENCE });
    try {
      return await work(reach.fetch);
    } catch (error) {
      const why = reach.refused();
      throw why ? new Error(why) : error;
    } finally {
      await reach.close();
    }
  }

  #hide({ tokens, client }: Kept): void {
    for (const value of [tokens?.access_token, tokens?.refresh_token, client?.client_secret]) if (value) this.#secrets.add(value);
    // Tokens turn over: those of long ago are worth nothing.
    for (const value of [...this.#secrets].slice(0, -MOST_SECRETS)) this.#secrets.delete(value);
  }

  async #keep(kept: Kept): Promise<void> {
    this.#kept = kept;
    this.#hide(kept);
    await this.#on.vault.write(this.#on.home, this.#on.key, kept);
  }
}

/** Answers name who gave them, where that is known (RFC 9207): one server must not have another's code handed to it. */
function mixedUp(discovery: OAuthDiscoveryState | undefined, issuer: string | null): string | undefined {
  const { authorizationServerMetadata: about, authorizationServerUrl: address } = discovery ?? {};
  const bare = (url: string): string => url.replace(/\/$/, "");
  const expected = about?.issuer ?? (address === undefined ? undefined : bare(address));
  if (issuer === null)
    return about && "authorization_response_iss_parameter_supported" in about && about.authorization_response_iss_parameter_supported
      ? `the answer does not say that it came from ${expected}`
      : undefined;
  return issuer === expected || (!about && bare(issuer) === expected) ? undefined : `the answer came from ${issuer}, not from ${expected}`;
}

/** What the product says of itself where it registers. */
export const describe = (callback: string, scope?: string): OAuthClientMetadata => ({
  client_name: "Denizen",
  redirect_uris: [callback],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  ...(scope && { scope }),
});

/** RFC 7009, where the server has it: the longer-lived token first. */
async function revoke(tokens: OAuthTokens, client: Kept["client"], fetch: FetchLike): Promise<void> {
  if (!tokens.issuer) return;
  const { discoverAuthorizationServerMetadata } = await import("@modelcontextprotocol/sdk/client/auth.js");
  const found = await discoverAuthorizationServerMetadata(tokens.issuer, { fetchFn: fetch });
  const endpoint = found && "revocation_endpoint" in found ? found.revocation_endpoint : undefined;
  if (!endpoint) return;
  for (const [kind, token] of [
    ["refresh_token", tokens.refresh_token],
    ["access_token", tokens.access_token],
  ] as const) {
    if (!token) continue;
    const body = new URLSearchParams({ token, token_type_hint: kind, ...(client && { client_id: client.client_id }) });
    const secret = client?.client_secret;
    const basic =
      secret && `Basic ${Buffer.from(`${encodeURIComponent(client.client_id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
    const answer = await fetch(endpoint, { method: "POST", body, headers: basic ? { authorization: basic } : {} });
    await answer.body?.cancel();
  }
}
