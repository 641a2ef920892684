/**
 * A Slack on this machine, true to the protocol: Web API over HTTP, Socket Mode over a WebSocket, or signed HTTP delivery.
 *
 * R1. An event that is not acknowledged in time is sent again, with its attempt counted; clicks and commands are sent once.
 * R2. Each payload goes to one connection. Without a connection it waits for the next attempt.
 * R3. A fault is used up by the calls it hits, in order.
 * R4. `boundary` is asked before and after whatever passes between Slack and the app; if it says so, nothing more comes of it.
 */
import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { methods } from "./slack-api.ts";
import { Installs } from "./slack-installs.ts";
import { SlackPerson } from "./slack-people.ts";
import { type Fields, Refusal, Space, type SpaceOptions, someSpace, text } from "./slack-space.ts";
import { type Call, type Delivery, type Fault, type Kind, parsed } from "./slack-wire.ts";

export type { Said } from "./slack-people.ts";
export { buttonsIn, buttonsOf, wordsIn, wordsOf } from "./slack-people.ts";
export type { Fields, Message } from "./slack-space.ts";
export type { Call, Delivery, Fault, Kind } from "./slack-wire.ts";

export interface SlackRigOptions {
  space?: SpaceOptions;
  port?: number;
  botToken?: string;
  appToken?: string;
  signingSecret?: string;
  ackWithin?: number;
  repeatAfter?: number[];
  /** Of a method, the ms between two calls in one channel: what comes sooner is refused. */
  limits?: Record<string, number>;
}

interface Download {
  path: string;
  token: string;
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export class SlackRig {
  readonly space: Space;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly calls: Call[] = [];
  /** Other workspaces, and the tokens that the app was given for all of them. */
  readonly installs: Installs;
  readonly deliveries: Delivery[] = [];
  /** What was asked of the hosts of files, with what it bore. */
  readonly downloads: Download[] = [];
  /** Files that Slack sends elsewhere for, by id. */
  readonly redirects = new Map<string, string>();
  /** What came to response URLs. */
  readonly responses: Fields[] = [];
  /** Their time is over. */
  responsesClosed = false;
  /** What comes there is kept, and nothing is said to that. */
  responsesCut = false;
  /** Set: events go there over HTTP, signed, instead of over the sockets. */
  target: string | undefined;
  url = "";
  socketsOpened = 0;
  boundary: (name: string) => boolean = () => false;
  #options: SlackRigOptions;
  #faults: Fault[] = [];
  #server: Server | undefined;
  #sockets = new Set<WebSocket>();
  /** Told to go: Slack sends them nothing more. */
  #leaving = new WeakSet<WebSocket>();
  #web = new WebSocketServer({ noServer: true });
  #waiting = new Map<string, (payload: Fields) => void>();
  #turn = 0;
  #lastTaken = new Map<string, number>();

  constructor(options: SlackRigOptions = {}) {
    this.#options = options;
    this.space = new Space(options.space ?? someSpace());
    this.botToken = options.botToken ?? "xoxb-1-test-bot";
    this.appToken = options.appToken ?? "xapp-1-test-app";
    this.signingSecret = options.signingSecret ?? "a-signing-secret";
    this.installs = new Installs(this);
  }

  get apiUrl(): string {
    return `${this.url}/api/`;
  }
  get connections(): number {
    return this.#open().length;
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      this.#http(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    server.on("upgrade", (request, socket, head) => {
      this.#web.handleUpgrade(request, socket, head, (ws) => this.#connected(ws));
    });
    await new Promise<void>((done) => server.listen(this.#options.port ?? 0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
    return this;
  }
  async stop(): Promise<void> {
    this.cut();
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }

  as(person: string): SlackPerson {
    return new SlackPerson(this, person);
  }
  fault(fault: Fault): void {
    this.#faults.push({ times: 1, ...fault });
  }
  rateLimit(method: string, seconds: number, times = 1): void {
    this.fault({ method, times, status: 429, headers: { "retry-after": String(seconds) }, body: { ok: false, error: "ratelimited" } });
  }
  clearFaults(): void {
    this.#faults = [];
  }
  callsTo(method: string): Call[] {
    return this.calls.filter((call) => call.method === method);
  }

  // ---- Web API --------------------------------------------------------------------------------------------------------

  async #http(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const path = new URL(request.url ?? "/", this.url).pathname;
    if (/^\/(?:upload|files-pri)\//.test(path)) return this.#file(path, Buffer.concat(chunks), request, response);
    if (path.startsWith("/response/")) {
      if (this.responsesClosed) return void response.writeHead(404).end("expired_url");
      this.responses.push(JSON.parse(body) as Fields);
      if (this.responsesCut) return void request.socket.destroy();
      response.writeHead(200).end("ok");
      return;
    }
    if (!path.startsWith("/api/")) {
      response.writeHead(404).end();
      return;
    }
    await this.#call(path.slice(5), parsed(body), text(request.headers.authorization).replace(/^Bearer /, ""), request, response);
  }
  /** Bytes are handed over to whoever knows the address, and given out for the token; without it there is a page to sign in. */
  #file(path: string, body: Buffer, request: IncomingMessage, response: ServerResponse): void {
    const [, kind = "", id = ""] = path.split("/");
    const holder = [this.space, ...this.installs.spaces].find(({ files }) => files.has(id));
    const kept = holder?.files.get(id);
    const asked: Download = { path, token: text(request.headers.authorization) };
    this.downloads.push(asked);
    if (!kept) return void response.writeHead(404).end();
    if (kind === "upload") {
      kept.bytes = body;
      return void response.writeHead(200).end(`OK - ${body.byteLength}`);
    }
    const elsewhere = this.redirects.get(id);
    if (elsewhere) return void response.writeHead(302, { location: elsewhere }).end();
    if (this.#spaceOf(asked.token.replace(/^Bearer /, ""), {}) !== holder)
      return void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!DOCTYPE html><title>Sign in</title>");
    response.writeHead(200, { "content-type": text(kept.info.mimetype) }).end(kept.bytes);
  }
  async #call(method: string, args: Fields, token: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = this.#takeFault(method);
    if (fault?.delay) await pause(fault.delay);
    const call: Call = { method, args, at: Date.now(), answer: {}, token };
    this.calls.push(call);
    if (this.boundary(`before ${method}`) || fault?.drop === "before") {
      request.socket.destroy();
      return;
    }
    if (fault?.status !== undefined || fault?.body !== undefined) {
      const answer = fault.body ?? {};
      call.answer = typeof answer === "string" ? {} : answer;
      response.writeHead(fault.status ?? 200, { "content-type": "application/json", ...fault.headers });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
      return;
    }
    call.answer = this.#answer(method, args, token);
    if (this.boundary(`after ${method}`) || fault?.drop === "after") {
      request.socket.destroy();
      return;
    }
    const limited = call.answer.error === "ratelimited";
    response.writeHead(limited ? 429 : 200, { "content-type": "application/json", ...(limited ? { "retry-after": "1" } : {}) });
    response.end(JSON.stringify(call.answer));
  }
  #answer(method: string, args: Fields, token: string): Fields {
    if (method === "oauth.v2.access") return this.installs.access(args);
    if (method === "apps.connections.open")
      return token === this.appToken
        ? { ok: true, url: `${this.url.replace("http", "ws")}/link?ticket=${randomUUID()}` }
        : { ok: false, error: "invalid_auth" };
    const refused = this.installs.refusal(token);
    if (refused) return { ok: false, error: refused };
    const space = this.#spaceOf(token, args);
    if (!space) return { ok: false, error: "invalid_auth" };
    if (method === "auth.teams.list") return { ok: true, teams: this.installs.reach(token) };
    if (this.installs.lacks(method, token, args)) return { ok: false, error: "missing_argument" };
    if (method === "auth.revoke") this.installs.revoke(token);
    if (this.#tooSoon(method, text(args.channel))) return { ok: false, error: "ratelimited" };
    const run = methods[method];
    if (!run) return { ok: false, error: "unknown_method" };
    try {
      return { ok: true, ...run(space, args, this.url) };
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, error: error.code, ...error.more };
      throw error;
    }
  }
  /** The workspace that a token speaks for. */
  #spaceOf(token: string, args: Fields): Space | undefined {
    return token === this.botToken ? this.space : this.installs.space(token, args);
  }
  #tooSoon(method: string, channel: string): boolean {
    const gap = this.#options.limits?.[method];
    const key = `${method} ${channel}`;
    if (gap === undefined) return false;
    if (Date.now() - (this.#lastTaken.get(key) ?? 0) < gap) return true;
    this.#lastTaken.set(key, Date.now());
    return false;
  }
  #takeFault(method: string): Fault | undefined {
    const found = this.#faults.find((fault) => fault.method === method && (fault.times ?? 1) > 0);
    if (found) found.times = (found.times ?? 1) - 1;
    return found;
  }

  // ---- Socket Mode ----------------------------------------------------------------------------------------------------

  #connected(ws: WebSocket): void {
    this.socketsOpened++;
    this.#sockets.add(ws);
    ws.on("close", () => this.#sockets.delete(ws));
    ws.on("error", () => {});
    ws.on("message", (raw) => {
      const frame = JSON.parse(String(raw)) as Fields;
      this.#waiting.get(text(frame.envelope_id))?.((frame.payload as Fields | undefined) ?? {});
    });
    ws.send(JSON.stringify({ type: "hello", num_connections: this.#sockets.size, connection_info: { app_id: this.space.facts.app } }));
  }
  #open(): WebSocket[] {
    return [...this.#sockets].filter((ws) => ws.readyState === ws.OPEN && !this.#leaving.has(ws));
  }
  /** Slack asks for a new connection, as it does every few hours. */
  disconnect({ only = Number.POSITIVE_INFINITY }: { only?: number } = {}): void {
    for (const ws of this.#open().slice(0, only)) {
      ws.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
      this.#leaving.add(ws);
    }
  }
  /** The network breaks: no closing frame. */
  cut(): void {
    for (const ws of this.#sockets) ws.terminate();
  }
  /** Sends a frame as it is. */
  raw(frame: Fields): void {
    for (const ws of this.#open()) ws.send(JSON.stringify(frame));
  }

  // ---- delivery -------------------------------------------------------------------------------------------------------

  event(event: Fields, more: { shared?: boolean } = {}, space = this.space): Promise<Delivery> {
    const { facts } = space;
    const { enterprise = null, wide = false } = facts;
    return this.deliver("events_api", {
      type: "event_callback",
      team_id: facts.team,
      api_app_id: facts.app,
      event,
      event_id: space.id("Ev"),
      event_time: Math.floor(Date.now() / 1000),
      is_ext_shared_channel: more.shared ?? false,
      authorizations: [
        { enterprise_id: enterprise, team_id: facts.team, user_id: facts.botUser, is_bot: true, is_enterprise_install: wide },
      ],
    });
  }
  async deliver(kind: Kind, body: Fields): Promise<Delivery> {
    const delivery: Delivery = { kind, body, attempts: 0, acked: false, answer: {}, ackMs: 0 };
    this.deliveries.push(delivery);
    const waits = [0, ...(kind === "events_api" ? (this.#options.repeatAfter ?? [50, 200, 500]) : [])];
    for (const [attempt, wait] of waits.entries()) {
      await pause(wait);
      delivery.attempts++;
      const from = Date.now();
      this.boundary(`before ${kind}`);
      const answer = this.target ? await this.#overHttp(this.target, kind, body, attempt) : await this.#overSocket(kind, body, attempt);
      if (!answer) continue;
      this.boundary(`after ${kind}`);
      return Object.assign(delivery, { acked: true, answer, ackMs: Date.now() - from });
    }
    return delivery;
  }
  #overSocket(kind: Kind, payload: Fields, attempt: number): Promise<Fields | undefined> {
    const open = this.#open();
    const ws = open[this.#turn++ % Math.max(1, open.length)];
    if (!ws) return Promise.resolve(undefined);
    const id = randomUUID();
    return new Promise((done) => {
      const settle = (answer: Fields | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        done(answer);
      };
      const timer = setTimeout(() => settle(undefined), this.#options.ackWithin ?? 3000);
      this.#waiting.set(id, settle);
      const retry = kind === "events_api" ? { retry_attempt: attempt, retry_reason: attempt ? "timeout" : "" } : {};
      ws.send(JSON.stringify({ envelope_id: id, type: kind, payload, accepts_response_payload: kind !== "events_api", ...retry }));
    });
  }
  async #overHttp(target: string, kind: Kind, payload: Fields, attempt: number): Promise<Fields | undefined> {
    const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
    const raw =
      kind === "events_api"
        ? JSON.stringify(payload)
        : kind === "interactive"
          ? form({ payload: JSON.stringify(payload) })
          : form(payload as Record<string, string>);
    const type = kind === "events_api" ? "application/json" : "application/x-www-form-urlencoded";
    const retry = attempt ? { "x-slack-retry-num": String(attempt), "x-slack-retry-reason": "http_timeout" } : {};
    const response = await fetch(target, {
      method: "POST",
      body: raw,
      headers: { "content-type": type, ...this.signed(raw), ...retry },
      signal: AbortSignal.timeout(this.#options.ackWithin ?? 3000),
    }).catch(() => undefined);
    if (!response?.ok) return undefined;
    const answer = await response.text();
    return answer.startsWith("{") ? (JSON.parse(answer) as Fields) : { text: answer };
  }
  signed(raw: string, at = Math.floor(Date.now() / 1000)): Record<string, string> {
    const signature = createHmac("sha256", this.signingSecret).update(`v0:${at}:${raw}`).digest("hex");
    return { "x-slack-request-timestamp": String(at), "x-slack-signature": `v0=${signature}` };
  }
}
