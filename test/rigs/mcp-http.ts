/**
 * An MCP server over HTTP that can misbehave in every way that is known of servers. What it does is decided by `ways`, at any moment.
 * Its tools: `who` says which headers it got, `deploy` counts its runs, `slow` reports progress, `flood` answers with so many kilobytes,
 * `ask` asks people on the way its answer takes and says what they answered.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

type Message = { jsonrpc: "2.0"; id?: number | string; method?: string; params?: Record<string, unknown>; result?: unknown };

export interface Ways {
  /** Knows only the older transport: answers a POST at its address with 405. */
  old: boolean;
  /** Milliseconds until it answers the first message of a session. */
  slow: number;
  /** Its stream of the older transport says nothing. */
  mute: boolean;
  /** Empty lines without end, in the stream of each answer. */
  idles: boolean;
  /** What `ask` asks; it takes that back when it is called with `back`. */
  asks: Record<string, unknown>;
  /** `ask` asks twice at the same time. */
  asksTwice: boolean;
  /** Keeps sessions, and answers 404 where it knows none. */
  sessions: boolean;
  /** A bearer token it wants, and where it says who gives one. */
  token: string | undefined;
  metadata: string | undefined;
  /** Wants the token for calls only. */
  lists: boolean;
  /** Where its own well-known address leads: who gives tokens. */
  wellKnown: string | undefined;
  /** Of tools/call: more scope than was given. */
  scope: string | undefined;
  /** Methods that are never answered, that end the connection, and that are answered with half a message. */
  hangs: string[];
  crashes: string[];
  garbles: string[];
  /** Answers carry another number. */
  lies: boolean;
  /** The stream of an answer ends before it. */
  breaks: boolean;
  /** Tools are described by the token that was shown. */
  tells: boolean;
  /** Each page of tools names another one. */
  endless: boolean;
  /** Everything is answered by sending it there. */
  redirect: string | undefined;
  /** Notifications that come with each call. */
  noise: number;
}

/** As fast as it is taken. */
const idle = (to: ServerResponse): void => void to.write(": still here\n\n".repeat(4096), () => to.destroyed || setImmediate(idle, to));
const text = (words: string) => ({ content: [{ type: "text", text: words }] });
const schema = (properties: object = {}) => ({ type: "object", properties });

export async function mcpHttp(given: Partial<Ways> = {}) {
  const ways: Ways = {
    old: false,
    slow: 0,
    mute: false,
    idles: false,
    asks: { mode: "form", message: "Which one?", requestedSchema: { type: "object", properties: { which: { type: "string" } } } },
    sessions: false,
    asksTwice: false,
    token: undefined,
    metadata: undefined,
    lists: false,
    wellKnown: undefined,
    scope: undefined,
    hangs: [],
    crashes: [],
    garbles: [],
    lies: false,
    breaks: false,
    tells: false,
    endless: false,
    redirect: undefined,
    noise: 0,
    ...given,
  };
  const tools: Record<string, { description?: string; inputSchema: object; annotations?: object }> = {
    who: { inputSchema: schema(), annotations: { readOnlyHint: true } },
    deploy: { inputSchema: schema() },
    slow: { inputSchema: schema({ ms: { type: "number" } }), annotations: { readOnlyHint: true } },
    ask: { inputSchema: schema({ back: { type: "boolean" } }) },
    flood: { inputSchema: schema({ kilobytes: { type: "number" } }), annotations: { readOnlyHint: true } },
  };
  const sessions = new Set<string>();
  const streams = new Set<ServerResponse>();
  const asked: { method: string; path: string; rpc?: string; headers: IncomingMessage["headers"] }[] = [];
  const waiting = new Map<string, (answer: unknown) => void>();
  let deployed = 0;
  let takenBack = 0;

  const result = async (message: Message, request: IncomingMessage, send: (message: object) => void): Promise<unknown> => {
    const { method, params = {} } = message;
    if (method === "initialize") {
      await sleep(ways.slow);
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: "http", version: "1" },
      };
    }
    if (method === "tools/list") {
      const all = Object.entries(tools).map(([name, tool]) => ({
        name,
        ...tool,
        ...(ways.tells && { description: `Shown: ${request.headers.authorization}` }),
      }));
      return { tools: all, ...(ways.endless && { nextCursor: randomUUID() }) };
    }
    if (method !== "tools/call") return {};
    const { kilobytes = 0, ms = 0, back } = (params.arguments ?? {}) as { kilobytes?: number; ms?: number; back?: boolean };
    const progressToken = (params._meta as { progressToken?: number } | undefined)?.progressToken;
    for (let n = 0; n < ways.noise; n++) send({ method: "notifications/message", params: { level: "info", data: `line ${n}` } });
    switch (params.name) {
      case "deploy":
        deployed++;
        return text(`deployed ${deployed}`);
      case "slow":
        for (let part = 1; part <= 3; part++) {
          await sleep(ms / 3);
          send({ method: "notifications/progress", params: { progressToken, progress: part, total: 3, message: `part ${part}` } });
        }
        return text("slow but done");
      case "ask": {
        const one = () => {
          const id = randomUUID();
          const answered = new Promise((resolve) => waiting.set(id, resolve));
          send({ id, method: "elicitation/create", params: ways.asks });
          return { id, answered };
        };
        const { id, answered } = one();
        if (ways.asksTwice) return text(JSON.stringify(await Promise.all([answered, one().answered])));
        if (!back) return text(JSON.stringify(await answered));
        await sleep(100);
        send({ method: "notifications/cancelled", params: { requestId: id } });
        takenBack++;
        return text("never mind");
      }
      case "flood":
        return text("x".repeat(kilobytes * 1024));
      default:
        return text(String(request.headers.authorization));
    }
  };

  const onPost = async (message: Message, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method = "" } = message;
    if (refuses(request, response, method)) return;
    if (ways.crashes.includes(method)) return void request.socket.destroy();
    if (ways.hangs.includes(method)) return;
    const session = String(request.headers["mcp-session-id"]);
    if (ways.sessions && method !== "initialize" && !sessions.has(session)) return void response.writeHead(404).end("no such session");
    if (message.method === undefined) waiting.get(String(id))?.(message.result);
    if (id === undefined || message.method === undefined) return void response.writeHead(202).end();
    const begun = ways.sessions && method === "initialize" ? randomUUID() : undefined;
    if (begun) sessions.add(begun);
    const head: Record<string, string> = begun ? { "mcp-session-id": begun } : {};
    if (ways.garbles.includes(method)) {
      response.writeHead(200, { "content-type": "application/json", ...head });
      return void response.end('{"jsonrpc":"2.0","id":');
    }
    response.writeHead(200, { "content-type": "text/event-stream", ...head });
    const send = (one: object) => response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...one })}\n\n`);
    if (ways.breaks) return void response.end(": well\n\n");
    if (ways.idles) return idle(response);
    send({ id: ways.lies ? Number(id) + 1000 : id, result: await result(message, request, send) });
    response.end();
  };

  const refuses = (request: IncomingMessage, response: ServerResponse, method: string): boolean => {
    if (ways.token === undefined || (ways.lists && method !== "tools/call")) return false;
    const given = request.headers.authorization;
    const about = ways.metadata ? `, resource_metadata="${ways.metadata}"` : "";
    if (given !== `Bearer ${ways.token}`) {
      response.writeHead(401, { "www-authenticate": `Bearer error="invalid_token"${about}` }).end();
      return true;
    }
    if (method !== "tools/call" || ways.scope === undefined) return false;
    response.writeHead(403, { "www-authenticate": `Bearer error="insufficient_scope", scope="${ways.scope}"${about}` }).end();
    return true;
  };

  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    let raw = "";
    for await (const part of request) raw += String(part);
    const message = raw ? (JSON.parse(raw) as Message) : undefined;
    asked.push({ method: request.method ?? "", path, headers: request.headers, ...(message?.method && { rpc: message.method }) });
    if (ways.redirect) return void response.writeHead(307, { location: ways.redirect }).end();
    if (path === "/older" && message) {
      response.writeHead(202).end();
      const [stream] = streams;
      const send = (one: object) => stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...one })}\n\n`);
      if (message.method === undefined) return void waiting.get(String(message.id))?.(message.result);
      if (ways.hangs.includes(message.method)) return;
      if (ways.crashes.includes(message.method)) return void stream?.destroy();
      if (ways.garbles.includes(message.method)) return void stream?.write('event: message\ndata: {"jsonrpc":"2.0","id":\n\n');
      if (message.id !== undefined) send({ id: message.id, result: await result(message, request, send) });
      return;
    }
    if (path.startsWith("/.well-known/oauth-protected-resource") && ways.wellKnown) {
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(await (await fetch(ways.wellKnown)).text());
    }
    if (path !== "/mcp") return void response.writeHead(404).end();
    if (request.method === "GET") {
      if (!ways.old && ways.sessions && !sessions.has(String(request.headers["mcp-session-id"]))) return void response.writeHead(405).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(ways.old && !ways.mute ? "event: endpoint\ndata: /older\n\n" : ": hello\n\n");
      streams.add(response);
      return void response.on("close", () => streams.delete(response));
    }
    if (request.method === "DELETE")
      return void response.writeHead(sessions.delete(String(request.headers["mcp-session-id"])) ? 200 : 405).end();
    if (ways.old || !message) return void response.writeHead(405).end();
    await onPost(message, request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    ways,
    tools,
    asked,
    deployed: () => deployed,
    takenBack: () => takenBack,
    sessions: () => sessions.size,
    /** Connections on which it says what changes. */
    listeners: () => streams.size,
    expire: () => sessions.clear(),
    /** Ends the connections on which it says something. */
    hangUp: () => {
      for (const stream of streams) stream.destroy();
    },
    /** Says something to whoever listens. */
    say: (message: object) => {
      for (const stream of streams) stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
