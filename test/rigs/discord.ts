/**
 * A Discord on this machine, true to the protocol: REST v10 over HTTP, gateway v10 over WebSockets.
 *
 * R1. Buckets answer with Discord's headers, and refuse with 429 what exceeds them. Answers to interactions are in none.
 * R2. A fault is used up by the calls it hits, in order.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { type Asked, type Desk, type Interaction, ROUTES } from "./discord-api.ts";
import { Gateway, MESSAGE_CONTENT } from "./discord-gateway.ts";
import { DiscordPerson } from "./discord-people.ts";
import { type Message, Refusal, type Upload, type User, World } from "./discord-world.ts";

export type { Interaction } from "./discord-api.ts";
export { buttonsOf, isPrivate, wordsOf } from "./discord-people.ts";
export type { Channel, Guild, Message, User } from "./discord-world.ts";

export interface DiscordRigOptions {
  token?: string;
  /** Privileged intents that are switched on; all that are used, if not said. */
  privileged?: number;
  heartbeat?: number;
  answerWithin?: number;
  /** Recommended to who connects. */
  shards?: number;
  buckets?: Record<string, Bucket>;
}
interface Bucket {
  limit: number;
  per: number;
}
export interface Call {
  route: string;
  path: string;
  body: Record<string, unknown>;
  files: Upload[];
  status: number;
  at: number;
}
export interface Fault {
  route: string;
  times?: number;
  status?: number;
  headers?: Record<string, string>;
  body?: object | string;
  delay?: number;
  /** Cuts the connection: before anything was done, or after it was done and before it was said. */
  drop?: "before" | "after";
}

const MESSAGES = "/channels/:c/messages";
export const POST = `POST ${MESSAGES}`;
export const EDIT = `PATCH ${MESSAGES}/:m`;
export const DELETE = `DELETE ${MESSAGES}/:m`;
export const THREAD = `POST ${MESSAGES}/:m/threads`;
export const ANSWER = "POST /interactions/:i/:t/callback";
const BUCKETS: Record<string, Bucket> = {
  [POST]: { limit: 5, per: 5000 },
  [EDIT]: { limit: 5, per: 5000 },
  [DELETE]: { limit: 5, per: 1000 },
};
const PATTERNS = Object.keys(ROUTES).map((route) => {
  const [method = "", path = ""] = route.split(" ");
  return { route, method, pattern: new RegExp(`^${path.replace(/:\w+/g, "([^/]+)")}$`) };
});

export class DiscordRig implements Desk {
  readonly world = new World();
  readonly token: string;
  readonly gateway: Gateway;
  readonly calls: Call[] = [];
  readonly downloads: { link: string; token: string | undefined }[] = [];
  readonly interactions = new Map<string, Interaction>();
  commands: Record<string, unknown>[] = [];
  readonly typing: { channel: string; at: number }[] = [];
  readonly answerWithin: number;
  readonly shards: number;
  /** Asked before and after each call; if it says so, the connection is cut there. */
  boundary: (name: string) => boolean = () => false;
  gatewayUrl = "";
  apiUrl = "";
  readonly #buckets: Record<string, Bucket>;
  readonly #hits = new Map<string, number[]>();
  #faults: Fault[] = [];
  #server: Server | undefined;
  readonly #sockets = new WebSocketServer({ noServer: true });

  constructor(options: DiscordRigOptions = {}) {
    this.token = options.token ?? "MTIz.rig.token";
    const { privileged = MESSAGE_CONTENT, heartbeat = 41_250, shards = 1 } = options;
    this.shards = shards;
    this.gateway = new Gateway(this.world, { token: this.token, privileged, heartbeat, shards });
    this.answerWithin = options.answerWithin ?? 3000;
    this.#buckets = { ...BUCKETS, ...options.buckets };
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      this.#http(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    server.on("upgrade", (request, socket, head) => this.#sockets.handleUpgrade(request, socket, head, (ws) => this.gateway.connected(ws)));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    this.apiUrl = `http://127.0.0.1:${port}/api`;
    this.world.cdn = `http://127.0.0.1:${port}`;
    this.gatewayUrl = `ws://127.0.0.1:${port}/gateway`;
    this.gateway.url = this.gatewayUrl;
    this.#server = server;
    return this;
  }
  async stop(): Promise<void> {
    for (const ws of this.#sockets.clients) ws.terminate();
    this.#server?.closeAllConnections();
    await new Promise((done) => (this.#server ? this.#server.close(done) : done(undefined)));
  }

  as(user: User): DiscordPerson {
    return new DiscordPerson(this, user);
  }
  fault(fault: Fault): void {
    this.#faults.push({ times: 1, ...fault });
  }
  refuse(route: string, status: number, code: number, times = 1): void {
    this.fault({ route, status, times, body: { code, message: `refused with ${code}` } });
  }
  rateLimit(route: string, seconds: number, times = 1): void {
    this.fault({
      route,
      times,
      status: 429,
      headers: { "retry-after": String(Math.ceil(seconds)), "x-ratelimit-scope": "user" },
      body: { message: "You are being rate limited.", retry_after: seconds, global: false },
    });
  }
  callsTo(route: string): Call[] {
    return this.calls.filter((call) => call.route === route);
  }
  /** What the bot said in a channel that all there can see. */
  said(channel: string): Message[] {
    return this.world.said(channel).filter((one) => one.author.id === this.world.bot.id && !(one.flags & 64));
  }
  /** Messages of the bot that called somebody. */
  pings(): Message[] {
    const own = [...this.world.messages.values()].filter(({ author }) => author.id === this.world.bot.id);
    return own.filter((one) => one.mention_everyone || one.mentions.length > 0 || one.mention_roles.length > 0);
  }

  async #http(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname.startsWith("/attachments/")) return this.#file(`${url.pathname}${url.search}`, request, response);
    const path = decodeURIComponent(url.pathname.replace(/^\/api\/v10/, ""));
    const hit = PATTERNS.find(({ method, pattern }) => method === request.method && pattern.test(path));
    const route = hit?.route ?? `${request.method} ${path}`;
    const sent = await received(Buffer.concat(chunks), request.headers["content-type"] ?? "");
    const call: Call = { route, path, ...sent, status: 0, at: Date.now() };
    const say = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      call.status = status;
      response.writeHead(status, { ...(status === 204 ? {} : { "content-type": "application/json" }), ...headers });
      response.end(status === 204 ? undefined : typeof body === "string" ? body : JSON.stringify(body));
    };
    const fault = this.#takeFault(route);
    if (fault?.delay) await new Promise((done) => setTimeout(done, fault.delay));
    this.calls.push(call);
    if (this.boundary(`before ${route}`) || fault?.drop === "before") return void request.socket.destroy();
    if (fault?.status !== undefined) return say(fault.status, fault.body ?? {}, fault.headers);
    const free = /^\/(interactions|webhooks)\//.test(path);
    if (!free && request.headers.authorization !== `Bot ${this.token}`) return say(401, { message: "401: Unauthorized", code: 0 });
    const { refused, headers } = this.#limit(route, path);
    if (refused) return say(429, refused, headers);
    if (!hit) return say(404, { message: "404: Not Found", code: 0 });
    try {
      const ids = hit.pattern.exec(path)?.slice(1) ?? [];
      const answer = ROUTES[route]?.(this, ids, { ...sent, query: url.searchParams });
      if (this.boundary(`after ${route}`) || fault?.drop === "after") return void request.socket.destroy();
      say(answer === undefined ? 204 : 200, answer, headers);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say(error.status, { code: error.code, message: error.message }, headers);
    }
  }
  /** Given out to whoever has a link that is good, and to nobody for a token. */
  #file(link: string, request: IncomingMessage, response: ServerResponse): void {
    this.downloads.push({ link, token: request.headers.authorization });
    const [id] = [...this.world.links].find(([, good]) => good === link) ?? [];
    const file = [...this.world.messages.values()].flatMap(({ attachments }) => attachments).find((one) => one.id === id);
    if (file) response.writeHead(200, { "content-type": file.content_type ?? "application/octet-stream" }).end(file.text);
    else response.writeHead(404).end("This content is no longer available.");
  }
  #takeFault(route: string): Fault | undefined {
    const found = this.#faults.find((fault) => fault.route === route && (fault.times ?? 1) > 0);
    if (found) found.times = (found.times ?? 1) - 1;
    return found;
  }
  #limit(route: string, path: string): { refused?: object; headers: Record<string, string> } {
    const bucket = this.#buckets[route];
    if (!bucket) return { headers: {} };
    const key = `${route} ${path.split("/")[2]}`;
    const now = Date.now();
    const recent = (this.#hits.get(key) ?? []).filter((at) => at > now - bucket.per);
    const over = recent.length >= bucket.limit;
    if (!over) recent.push(now);
    this.#hits.set(key, recent);
    const after = Math.max(0.001, (bucket.per - (now - (recent[0] ?? now))) / 1000);
    const headers = {
      "x-ratelimit-limit": String(bucket.limit),
      "x-ratelimit-remaining": String(bucket.limit - recent.length),
      "x-ratelimit-reset-after": after.toFixed(3),
      "x-ratelimit-bucket": Buffer.from(route).toString("hex").slice(0, 24),
    };
    if (!over) return { headers };
    const refused = { message: "You are being rate limited.", retry_after: after, global: false };
    return { refused, headers: { ...headers, "retry-after": String(Math.ceil(after)), "x-ratelimit-scope": "user" } };
  }
}

async function received(raw: Buffer, type: string): Promise<Pick<Asked, "body" | "files">> {
  if (!raw.length) return { body: {}, files: [] };
  if (!type.startsWith("multipart/")) return { body: JSON.parse(raw.toString()), files: [] };
  const form = await new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData();
  const files: Upload[] = [];
  for (const value of form.values()) if (typeof value !== "string") files.push({ name: value.name, text: await value.text() });
  return { body: JSON.parse(String(form.get("payload_json"))), files };
}
