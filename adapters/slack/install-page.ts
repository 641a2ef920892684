/** A page of one sentence: no script, nothing from elsewhere, in no frame, kept by nobody. */
import type { ServerResponse } from "node:http";

export function secure(response: ServerResponse): void {
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.setHeader("Referrer-Policy", "no-referrer");
  response.setHeader("X-Content-Type-Options", "nosniff");
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** `link`: where to go on. */
export function page(response: ServerResponse, status: number, text: string, link?: string): void {
  const more = link === undefined ? "" : `<p><a href="${escaped(link)}">Go on</a></p>`;
  response.writeHead(status, { "Content-Type": "text/html; charset=utf-8" });
  response.end(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Denizen</title></head><body><main><h1>Denizen</h1><p>${escaped(text)}</p>${more}</main></body></html>`,
  );
}
