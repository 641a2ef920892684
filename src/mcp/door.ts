/**
 * The pages of signing in at tool servers, below PUBLIC_URL: where answers come, and what the product says of itself.
 *
 * D1. They need no sign-in at the console and give nothing away: an answer counts only with the state of a link, once.
 * D2. Each page says for whom a server was connected, and lets whoever reads it take that back: a link may have reached the wrong person.
 * D3. No script, nothing from elsewhere, in no frame, kept by nobody.
 */
import { describe } from "./account.ts";
import { CALLBACK, DOCUMENT } from "./accounts.ts";
import type { Signing } from "./signing.ts";

const UNDO = "/oauth/mcp/undo";
/** Everything below it is this door's. */
const DOOR = "/oauth/mcp/";
const MOST = 4096;

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Undefined where the path is nobody's here. */
export type Door = (request: Request) => Promise<Response | undefined>;

export function signInDoor(servers: Pick<Signing, "answered" | "takenBack">, publicUrl: string | undefined): Door {
  const base = publicUrl?.replace(/\/+$/, "") ?? "";
  return async (request) => {
    const url = new URL(request.url);
    if (request.method === "GET" && url.pathname === CALLBACK) return callback(servers, url.searchParams);
    if (request.method === "GET" && url.pathname === DOCUMENT && base.startsWith("https://")) return document(base);
    if (request.method === "POST" && url.pathname === UNDO) {
      const done = await servers.takenBack(new URLSearchParams(await beginning(request)).get("token") ?? "");
      return page(done ? 200 : 404, done ? "It is disconnected again." : "There is nothing to take back any more.");
    }
    return url.pathname.startsWith(DOOR) ? page(404, "There is nothing here.") : undefined;
  };
}

/** No more of a body is read than a form of ours can hold. */
async function beginning({ body }: Request): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST) break;
  }
  return text.slice(0, MOST);
}

async function callback(servers: Pick<Signing, "answered">, query: URLSearchParams): Promise<Response> {
  const answer = await servers.answered(query);
  if (!answer.ok) return page(400, answer.why);
  const { server, name, home, undo } = answer;
  const form = `<form method="post" action="undo"><input type="hidden" name="token" value="${undo}"><button>That is not me: disconnect it</button></form>`;
  return page(200, `${server} is connected for ${name}, in the home ${home}. You can close this page.`, form);
}

/** A client id metadata document: the address of this page is the product's name at servers that take such names. */
function document(base: string): Response {
  const about = {
    client_id: `${base}${DOCUMENT}`,
    client_uri: base,
    token_endpoint_auth_method: "none",
    ...describe(`${base}${CALLBACK}`),
  };
  return new Response(JSON.stringify(about), { headers: { ...HEADERS, "content-type": "application/json" } });
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

function page(status: number, text: string, more = ""): Response {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Denizen</title></head><body><main><h1>Denizen</h1><p>${escaped(text)}</p>${more}</main></body></html>`;
  return new Response(html, { status, headers: { ...HEADERS, "content-type": "text/html; charset=utf-8" } });
}
