/**
 * Uploads and downloads.
 *
 * U1. A file is only ever handed out to be saved: under no name and of no kind is it shown as a page.
 * U2. An upload has a bound of its own, counted while it comes.
 */
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Log } from "../../src/core/ports.ts";
import { fail } from "./answer.ts";
import { checkPage, type Refuse } from "./guard.ts";
import { LARGEST, newId, type Store } from "./store.ts";

export const UPLOADS = "/uploads";

export interface Transfer {
  store(): Store | undefined;
  log: Log;
  refuse: Refuse;
}

export function transfer(site: Hono, { store, log, refuse }: Transfer): void {
  const tooLarge = (c: Context) => refuse(c, 413, `That file is too large: ${LARGEST / 1024 / 1024} MB are the most.`);
  site.post(UPLOADS, checkPage(refuse), bodyLimit({ maxSize: LARGEST, onError: async (c) => tooLarge(c) }), async (c) => {
    const open = store();
    if (!open) return c.json({ error: "Denizen is stopping. Try again in a moment." }, 503);
    try {
      const bytes = new Uint8Array(await c.req.arrayBuffer());
      if (bytes.byteLength === 0) return c.json({ error: "There is nothing in this file." }, 400);
      const id = newId();
      const why = await open.keep(id, bytes);
      return why ? c.json({ error: why }, 400) : c.json({ id, size: bytes.byteLength });
    } catch (error) {
      return c.json({ error: `Denizen could not keep this file (it is in its log as ${fail(log, error, c)}).` }, 503);
    }
  });
  site.get("/files/:id/:name", async (c) => {
    const bytes = await store()?.read(c.req.param("id"));
    if (!bytes) return c.notFound();
    return c.body(bytes as Uint8Array<ArrayBuffer>, 200, {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename*=UTF-8''${encoded(c.req.param("name"))}`,
      "cache-control": "private, no-store",
    });
  });
}

/** As a header takes it: no mark ends the name. */
const encoded = (name: string): string =>
  encodeURIComponent(name.slice(0, 200)).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
export const pathOf = (id: string, name: string): string => `/files/${id}/${encoded(name)}`;
