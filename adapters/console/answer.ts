/** How a request is answered: as a page, or as a sentence for whoever reads it. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { Log } from "../../src/core/ports.ts";

export const page = (c: Context, element: Child, status: 200 | 400 | 403 | 404 | 413 | 429 | 500 | 503 = 200): Response =>
  c.body(`<!doctype html>${String(element)}`, status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });

/** What was posted; undefined if it is not JSON. */
export const body = (c: Context): Promise<unknown> => c.req.json().catch(() => undefined);

/** Names a fault, so that who reads the page and who reads the log speak of the same. */
export function fail(log: Log, error: unknown, c: Context): string {
  const id = Math.random().toString(36).slice(2, 8);
  log.error({ error, id, path: c.req.path }, "the console could not answer a request");
  return id;
}
