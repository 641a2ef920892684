/**
 * The one door to the MCP library: a session with one server. Loaded with the first server, so a home without servers pays nothing.
 *
 * C1. A closed session stays closed; `onEnd` is called once.
 * C2. What the server says is data: tools and results come out as they are, to be judged by others.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { type ServerProcess, startProcess } from "./process.ts";
import type { Entry } from "./tools-file.ts";

export interface Session {
  tools(): Promise<unknown[]>;
  call(tool: string, input: Record<string, unknown>, options: { signal: AbortSignal; timeout: number }): Promise<unknown>;
  close(): Promise<void>;
}
export interface SessionOptions {
  entry: Entry;
  cwd: string;
  /** For connecting and for each list of tools. */
  timeout: number;
  /** Gives up connecting. */
  signal: AbortSignal;
  onChanged: () => void;
  onEnd: (why: string) => void;
}

const listed = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const changed = z.object({ method: z.literal("notifications/tools/list_changed") });
const MOST_PAGES = 50;

export async function openSession({ entry, cwd, timeout, signal, onChanged, onEnd }: SessionOptions): Promise<Session> {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const line = await lineTo(entry, cwd);
  const client = new Client({ name: "denizen", version: "1" });
  let over = false;
  const end = () => {
    if (!over) onEnd(line.why());
    over = true;
  };
  client.onclose = end;
  client.setNotificationHandler(changed, onChanged);
  try {
    await client.connect(line.transport, { timeout, signal });
  } catch (error) {
    over = true;
    const why = line.why();
    await line.transport.close().catch(() => undefined);
    throw new Error(why || told(error, timeout));
  }
  return {
    async tools() {
      if (!client.getServerCapabilities()?.tools) return [];
      const all: unknown[] = [];
      for (let cursor: string | undefined, page = 0; page < MOST_PAGES; page++) {
        const params = cursor === undefined ? {} : { cursor };
        const answer = await client.request({ method: "tools/list", params }, listed, { timeout }).catch((error: unknown) => {
          throw new Error(line.why() || told(error, timeout));
        });
        all.push(...answer.tools);
        cursor = answer.nextCursor;
        if (!cursor) break;
      }
      return all;
    },
    call: (tool, input, options) =>
      client.request({ method: "tools/call", params: { name: tool, arguments: input } }, z.unknown(), options),
    async close() {
      over = true;
      await line.transport.close();
    },
  };
}

/** The library's codes for a lost connection and for a timeout. A server's own errors have others. */
export const [CLOSED, TIMEOUT] = [-32000, -32001];

const told = (error: unknown, timeout: number): string =>
  (error as { code?: number }).code === TIMEOUT ? `it did not answer within ${timeout / 1000} s` : (error as Error).message;

interface Line {
  transport: Transport;
  /** Why it ended, in words; empty while it has not. */
  why(): string;
}

async function lineTo(entry: Entry, cwd: string): Promise<Line> {
  if (entry.kind === "stdio") return pipeTo(entry, cwd);
  if (entry.transport === "sse") throw new Error("servers with transport sse cannot be reached yet; use one with streamable HTTP");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const transport = new StreamableHTTPClientTransport(new URL(entry.url), { requestInit: { headers: entry.headers } });
  return { transport: transport as Transport, why: () => "" };
}

function pipeTo(entry: Extract<Entry, { kind: "stdio" }>, cwd: string): Line {
  let server: ServerProcess | undefined;
  let why = "";
  const ended = (reason: string) => {
    const last = server?.complaint().split("\n").at(-1)?.slice(0, 200);
    why ||= last ? `${reason}: ${last}` : reason;
    transport.onclose?.();
  };
  const transport: Transport = {
    async start() {
      const onLine = (line: string) => {
        const message = parse(line);
        if (message) transport.onmessage?.(message);
      };
      server = startProcess({ command: entry.command, args: entry.args, env: entry.env, cwd, onLine, onEnd: ended });
      await server.started.catch((error: Error) => {
        why = error.message;
        throw error;
      });
    },
    async send(message) {
      await server?.write(JSON.stringify(message));
    },
    async close() {
      await server?.close();
    },
  };
  return { transport, why: () => why };
}

/** Servers print other things to their output too; only messages count. */
function parse(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "jsonrpc" in value ? (value as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}
