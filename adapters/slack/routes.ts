/** The pages of installing, on the port that Slack's deliveries come to; in Socket Mode alone on it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { UserError } from "../../src/core/ports.ts";

export interface Route {
  path: string;
  method: "GET" | "POST";
  handler(request: IncomingMessage, response: ServerResponse): void;
}

export async function serveRoutes(port: number, routes: readonly Route[]): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0];
    const route = routes.find((one) => one.path === path && one.method === request.method);
    if (route) route.handler(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.listen(port, done);
  }).catch((error: unknown) => {
    throw busy(port, error);
  });
  return {
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

export function busy(port: number, error: unknown): UserError {
  const why = error instanceof Error ? error.message : String(error);
  return new UserError(`Slack cannot be served on port ${port} (${why}). Free the port or set SLACK_PORT to another.`);
}
