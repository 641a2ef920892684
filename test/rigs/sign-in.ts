/**
 * A server that signs people in (OAuth 2.1): metadata of the resource and of itself, registration, authorization that agrees at once, tokens
 * with PKCE, refresh tokens that turn over and are refused when used twice, revocation.
 */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SignInWays {
  /** Where it says that people sign in; its own address if undefined. */
  issuer: string | undefined;
  /** Says nothing of itself. */
  bare: boolean;
  /** Says that its answers name it. */
  names: boolean;
  /** People refuse. */
  refuses: boolean;
  /** Does not answer where tokens are given. */
  down: boolean;
  /** Gives no refresh tokens. */
  short: boolean;
  /** Told of each token it gives. */
  onToken: () => void;
}

export async function signInRig(resource: () => string) {
  const ways: SignInWays = {
    issuer: undefined,
    bare: false,
    names: false,
    refuses: false,
    down: false,
    short: false,
    onToken: () => undefined,
  };
  const codes = new Map<string, { challenge: string; scope: string }>();
  const refreshable = new Set<string>();
  const revoked: string[] = [];
  const asked: string[] = [];
  let registered = 0;
  /** The last access token that was given. */
  let token = "";

  const tokens = (response: ServerResponse, scope: string) => {
    token = `at-${randomUUID()}`;
    ways.onToken();
    const refresh = `rt-${randomUUID()}`;
    if (!ways.short) refreshable.add(refresh);
    json(response, 200, {
      access_token: token,
      token_type: "Bearer",
      expires_in: 3600,
      scope,
      ...(!ways.short && { refresh_token: refresh }),
    });
  };
  const give = (form: URLSearchParams, response: ServerResponse) => {
    const kind = form.get("grant_type");
    if (kind === "authorization_code") {
      const known = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (known?.challenge !== challenge) return json(response, 400, { error: "invalid_grant" });
      return tokens(response, known.scope);
    }
    if (kind === "client_credentials") return tokens(response, "");
    if (!refreshable.delete(form.get("refresh_token") ?? "")) return json(response, 400, { error: "invalid_grant" });
    tokens(response, "");
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", origin());
    asked.push(`${request.method} ${url.pathname}`);
    let raw = "";
    for await (const part of request) raw += String(part);
    switch (url.pathname) {
      case "/resource":
        return json(response, 200, { resource: resource(), authorization_servers: [ways.issuer ?? origin()] });
      case "/.well-known/oauth-authorization-server":
        if (ways.bare) return void response.writeHead(404).end();
        return json(response, 200, {
          ...(ways.names && { authorization_response_iss_parameter_supported: true }),
          issuer: origin(),
          authorization_endpoint: `${origin()}/authorize`,
          token_endpoint: `${origin()}/token`,
          registration_endpoint: `${origin()}/register`,
          revocation_endpoint: `${origin()}/revoke`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
        });
      case "/register":
        registered++;
        return json(response, 201, { ...(JSON.parse(raw) as object), client_id: `client-${registered}` });
      case "/authorize": {
        const back = new URL(url.searchParams.get("redirect_uri") ?? "");
        const code = randomUUID();
        codes.set(code, { challenge: url.searchParams.get("code_challenge") ?? "", scope: url.searchParams.get("scope") ?? "" });
        back.searchParams.set("state", url.searchParams.get("state") ?? "");
        if (ways.refuses) back.searchParams.set("error", "access_denied");
        else back.searchParams.set("code", code);
        return void response.writeHead(302, { location: back.href }).end();
      }
      case "/token":
        if (ways.down) return void request.socket.destroy();
        return give(new URLSearchParams(raw), response);
      case "/revoke":
        revoked.push(new URLSearchParams(raw).get("token") ?? "");
        return void response.writeHead(200).end();
      default:
        return void response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ways,
    asked,
    revoked,
    metadata: `${origin()}/resource`,
    origin: origin(),
    token: () => token,
    registered: () => registered,
    /** Refresh tokens are worth nothing any more. */
    forget: () => refreshable.clear(),
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const json = (response: ServerResponse, status: number, value: object): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
