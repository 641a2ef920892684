/** `/healthz` and `/metrics` on a port of its own, for where there is no console, and the pages that the outside has to reach. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { UserError } from "./core/ports.ts";

export type Health = Record<string, { ok: boolean; detail: string }>;

export interface Metrics {
  /** Everything counted so far, as Prometheus reads it. */
  text(): string;
  /** Whoever asks shows it; undefined: there is none. */
  token: string | undefined;
}

/** 200 while all are well, else 503; the body names each. Resolves with the port and a way to close it. */
export async function serveHealth(
  port: number,
  host: string,
  health: () => Health,
  door: (request: Request) => Promise<Response | undefined> = async () => undefined,
  metrics?: Metrics,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (metrics && request.url?.split("?")[0] === "/metrics") return tell(metrics, request, response);
    if (await opened(request, response, door)) return;
    const adapters = health();
    const ok = Object.values(adapters).every((adapter) => adapter.ok);
    const known = request.url?.split("?")[0] === "/healthz";
    response.writeHead(known ? (ok ? 200 : 503) : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(known ? { status: ok ? "ok" : "unhealthy", adapters } : { error: "not found" }));
  });
  await new Promise<void>((done, failed) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      failed(
        error.code === "EADDRINUSE" ? new UserError(`Port ${port} is taken by another program. Set HEALTH_PORT to another one.`) : error,
      ),
    );
    server.listen(port, host, done);
  });
  const close = () => new Promise<void>((done) => void server.close(() => done()));
  return { port: (server.address() as AddressInfo).port, close };
}

function tell({ text, token }: Metrics, request: IncomingMessage, response: ServerResponse): void {
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const allowed = token === undefined || timingSafeEqual(digest(given), digest(token));
  response.writeHead(allowed ? 200 : 401, { "content-type": allowed ? "text/plain; version=0.0.4; charset=utf-8" : "application/json" });
  response.end(allowed ? text() : JSON.stringify({ error: "Send CONSOLE_TOKEN as a bearer token." }));
}
/** They have one length, whatever was given. */
const digest = (words: string): Buffer => createHash("sha256").update(words).digest();

const MOST = 4096;

/** Whether the door had something for it. */
async function opened(
  request: IncomingMessage,
  response: ServerResponse,
  door: (request: Request) => Promise<Response | undefined>,
): Promise<boolean> {
  try {
    let body = "";
    if (request.method === "POST")
      for await (const part of request.setEncoding("utf8")) {
        body += String(part);
        if (body.length > MOST) throw new Error("too large");
      }
    const { method = "GET", url = "/" } = request;
    const answer = await door(new Request(new URL(url, "http://localhost"), method === "POST" ? { method, body } : {}));
    if (!answer) return false;
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  } catch {
    response.writeHead(400).end();
  }
  return true;
}
