/**
 * A local server that speaks the Messages API as strictly as the real one: JSON and server-sent events, scripted turns, and faults
 * before or in the middle of a stream.
 *
 *   const rig = await new AnthropicRig().start();
 *   rig.next({ calls: [["ls", { path: "/" }]], words: "I look." }, { text: "Done." });
 *   … baseURL: rig.url …
 *   await rig.stop();
 *
 * Every request that the API would refuse is refused, and its fault is kept in `problems`: a test ends with `rig.problems` empty.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { check, Issued } from "./anthropic-check.ts";
import { type Answer, type Body, eventsOf, type Message, messageOf, type Refusal, type Script, STATUS } from "./anthropic-turn.ts";

export type { Body, Script, Turn } from "./anthropic-turn.ts";

export interface Call {
  body: Body;
  raw: string;
  headers: IncomingMessage["headers"];
  at: number;
  status: number;
  /** The client went away before the answer was complete. */
  aborted: boolean;
}

export interface RigOptions {
  /** Only this key is taken; any if undefined. */
  key?: string;
  /** Requests longer than this many tokens (4 characters each) are refused as too long. */
  window?: number;
  port?: number;
}

export class AnthropicRig {
  url = "";
  readonly calls: Call[] = [];
  /** What was wrong with requests. */
  readonly problems: string[] = [];
  /** Answers when nothing is queued. */
  fallback: Script = { text: "ok" };
  /** Asked before and after an answer; if it says so, nothing more comes of it. */
  boundary: (name: string) => boolean = () => false;
  readonly #queue: Script[] = [];
  readonly #issued = new Issued();
  readonly #options: RigOptions;
  readonly #server: Server;
  #waiting: (() => void)[] = [];

  constructor(options: RigOptions = {}) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async start(): Promise<this> {
    this.#server.listen(this.#options.port ?? 0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** The next answers, in order. */
  next(...scripts: Script[]): this {
    this.#queue.push(...scripts);
    return this;
  }

  /** Scripts that have not been asked for. */
  get left(): number {
    return this.#queue.length;
  }

  /** Resolves with the n-th call (from 1) once it has arrived. */
  async call(n: number): Promise<Call> {
    for (;;) {
      const call = this.calls[n - 1];
      if (call) return call;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(request);
    const call: Call = { body: parse(raw), raw, headers: request.headers, at: Date.now(), status: 0, aborted: false };
    response.on("close", () => {
      call.aborted = !response.writableFinished;
    });
    if (request.url !== "/v1/messages" || request.method !== "POST") return refuse(response, call, { error: "not_found_error" });
    this.calls.push(call);
    for (const wake of this.#waiting.splice(0)) wake();
    if (this.boundary("before the model")) return void response.destroy();
    const refusal = this.#judge(call);
    if (refusal) return refuse(response, call, refusal);
    const script = this.#queue.shift() ?? this.fallback;
    const turn = typeof script === "function" ? await script(call.body, this.calls.length) : script;
    if ("error" in turn) return refuse(response, call, turn);
    const message = messageOf(turn, String(call.body.model), tokens(call.body));
    this.#issued.add(message.content);
    call.status = 200;
    if (call.body.stream === true) return stream(response, turn, message).then(() => void this.boundary("after the model"));
    send(response, 200, message);
  }

  #judge(call: Call): Refusal | undefined {
    const key = call.headers["x-api-key"] ?? call.headers.authorization?.replace(/^Bearer /, "");
    if (!key) return { error: "authentication_error", message: "x-api-key header is required" };
    if (this.#options.key && key !== this.#options.key) return { error: "authentication_error", message: "invalid x-api-key" };
    const problem = call.headers["anthropic-version"] ? check(call.body, this.#issued) : "anthropic-version: header is required";
    if (problem) this.problems.push(problem);
    if (problem) return { error: "invalid_request_error", message: problem };
    const length = tokens(call.body);
    const window = this.#options.window ?? 200_000;
    if (length > window) return { error: "invalid_request_error", message: `prompt is too long: ${length} tokens > ${window} maximum` };
    return undefined;
  }
}

const tokens = (body: Body): number => Math.ceil(JSON.stringify([body.system ?? "", body.tools ?? [], body.messages ?? []]).length / 4);

function parse(raw: string): Body {
  try {
    return JSON.parse(raw) as Body;
  } catch {
    return {};
  }
}

async function text(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_rig", ...headers });
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, call: Call, refusal: Refusal): void {
  if (refusal.error === "hang") return;
  if (refusal.error === "cut") return void response.destroy();
  call.status = refusal.status ?? STATUS[refusal.error] ?? 400;
  const error = { type: refusal.error, message: refusal.message ?? refusal.error };
  send(response, call.status, { type: "error", error, request_id: "req_rig" }, refusal.headers);
}

async function stream(response: ServerResponse, turn: Answer, message: Message): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "request-id": "req_rig" });
  const put = (type: string, data: object) => response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  const pings = turn.ping ? setInterval(() => put("ping", { type: "ping" }), turn.ping) : undefined;
  response.on("close", () => clearInterval(pings));
  const fault = turn.fault;
  for (const [at, event] of eventsOf(message, turn.chunk).entries()) {
    if (response.destroyed) return;
    if (fault && at >= fault.after) {
      if (fault.kind === "hang") return;
      if (fault.kind === "error") {
        const error = { type: fault.type ?? "overloaded_error", message: fault.message ?? "Overloaded" };
        put("error", { type: "error", error });
      }
      // What was written must have left before the connection dies, or the client sees a cut before the headers.
      if (fault.kind === "cut") await sleep(20);
      return void (fault.kind === "cut" ? response.destroy() : response.end());
    }
    if (turn.delay && event.type === "content_block_delta") await sleep(turn.delay);
    put(event.type, event);
  }
  clearInterval(pings);
  response.end();
}
