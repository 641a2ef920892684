/**
 * One refresh for all who find the same token expired. Servers that turn refresh tokens over take a second use of one for theft.
 *
 * F1. Requests with the same refresh token share one answer, those that come a moment later too.
 */
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";

const KEPT = 30_000;
type Answer = { status: number; headers: [string, string][]; body: string };

export function oneRefresh(): (fetch: FetchLike) => FetchLike {
  const known = new Map<string, Promise<Answer>>();
  return (fetch) => async (url, init) => {
    const token =
      init?.body instanceof URLSearchParams && init.body.get("grant_type") === "refresh_token" && init.body.get("refresh_token");
    if (!token) return fetch(url, init);
    const asked = known.get(token) ?? taken(fetch(url, init));
    if (!known.has(token)) {
      known.set(token, asked);
      setTimeout(() => known.delete(token), KEPT).unref();
      // What failed may be tried again.
      asked.then(
        ({ status }) => status >= 500 && known.delete(token),
        () => known.delete(token),
      );
    }
    const { status, headers, body } = await asked;
    return new Response(body, { status, headers });
  };
}

async function taken(asked: Promise<Response>): Promise<Answer> {
  const answer = await asked;
  const headers = [...answer.headers].filter(([name]) => name === "content-type");
  return { status: answer.status, headers, body: await answer.text() };
}
