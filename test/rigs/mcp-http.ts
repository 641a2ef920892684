/** The smallest MCP server over streamable HTTP: one tool that says which headers it got. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export async function mcpHttp(): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    let raw = "";
    for await (const part of request) raw += String(part);
    const { id, method, params } = raw ? (JSON.parse(raw) as { id?: number; method?: string; params?: { protocolVersion?: string } }) : {};
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "http", version: "1" },
      },
      "tools/list": { tools: [{ name: "who", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: String(request.headers.authorization) }] },
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method ?? ""] ?? {} }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
