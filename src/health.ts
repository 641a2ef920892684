/** `/healthz` on a port of its own, for where there is no console. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Health = Record<string, { ok: boolean; detail: string }>;

/** 200 while all are well, else 503; the body names each. Resolves with the port and a way to close it. */
export async function serveHealth(port: number, host: string, health: () => Health): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const adapters = health();
    const ok = Object.values(adapters).every((adapter) => adapter.ok);
    const known = request.url?.split("?")[0] === "/healthz";
    response.writeHead(known ? (ok ? 200 : 503) : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(known ? { status: ok ? "ok" : "unhealthy", adapters } : { error: "not found" }));
  });
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.listen(port, host, done);
  });
  const close = () => new Promise<void>((done) => void server.close(() => done()));
  return { port: (server.address() as AddressInfo).port, close };
}
