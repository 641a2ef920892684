/**
 * The line to a server: what carries messages, and why it ended.
 *
 * I1. Whatever a server sends without being asked is counted: one that floods is cut off.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { type ServerProcess, startProcess } from "./process.ts";
import { ration } from "./ration.ts";
import type { StdioEntry } from "./tools-file.ts";

export interface Line {
  transport: Transport;
  /** Why it ended, in words; empty while it has not. */
  why(): string;
  /** A session that the server keeps for us, which it may have ended meanwhile. */
  kept?(): boolean;
  close(): Promise<void>;
}

const WINDOW = 10_000;
const MOST = 5000;

/** Ends a line on which more comes than anybody asked for. */
export function watched(line: Line): Line {
  let flood = "";
  const room = ration(MOST, WINDOW);
  const before = line.transport.onmessage;
  line.transport.onmessage = (message) => {
    before?.(message);
    if ("result" in message || "error" in message) return;
    if (room() || flood) return;
    flood = `it sent ${MOST} messages in ${WINDOW / 1000} s that nobody asked for`;
    void line.transport.close();
  };
  return { ...line, why: () => flood || line.why() };
}

export function pipeTo(entry: StdioEntry, cwd: string): Line {
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
  return { transport, why: () => why, close: () => transport.close() };
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
