/**
 * The line to a server: what carries messages, and why it ended.
 *
 * I1. Whatever a server sends without being asked is counted, answers that nobody waits for too: one that floods is cut off.
 * I2. An answer that is none ends what it answers, at once; what cannot even be looked at ends the line, and nothing else.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { NO_MESSAGE } from "./fate.ts";
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
const FLOOD = `${MOST} messages in ${WINDOW / 1000} s that nobody asked for`;
/** The protocol's code for what cannot be read. */
const UNREADABLE = -32700;

/** The line as the library is given it: what comes on it is looked at first, and ends it where more comes than anybody asked for. */
export function watched(line: Line): Line {
  let cut = "";
  const { transport } = line;
  const { onmessage: before, onerror: noted } = transport;
  const room = ration(MOST, WINDOW);
  const open = new Set<unknown>();
  const end = (why: string): void => {
    cut ||= why;
    void transport.close();
  };
  const outer: Transport = {
    start: () => transport.start(),
    close: () => transport.close(),
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
    send(message, options) {
      if ("method" in message && "id" in message) open.add(message.id);
      return transport.send(message, options);
    },
  };
  const looked = (message: JSONRPCMessage): JSONRPCMessage => {
    const { id } = message as { id?: unknown };
    const asked = "method" in message ? undefined : [id, Number(id)].find((one) => open.delete(one));
    if (asked === undefined && !room() && !cut) end(`it sent ${FLOOD}`);
    if (asked === undefined || isAnswer(message)) return message;
    return { jsonrpc: "2.0", id: Number(asked), error: { code: UNREADABLE, message: NO_MESSAGE } };
  };
  transport.onmessage = (message, extra) => {
    before?.(message);
    try {
      outer.onmessage?.(looked(message), extra);
    } catch {
      // The library cannot follow everything that can be written, such as what is nested without end.
      end(NO_MESSAGE);
    }
  };
  transport.onclose = () => outer.onclose?.();
  transport.onerror = (error) => {
    noted?.(error);
    outer.onerror?.(error);
  };
  return { ...line, transport: outer, why: () => cut || line.why() };
}

const answer = z.union([
  z.looseObject({ jsonrpc: z.literal("2.0"), result: z.looseObject({}) }),
  z.looseObject({ jsonrpc: z.literal("2.0"), error: z.looseObject({ code: z.int(), message: z.string() }) }),
]);
const isAnswer = (message: unknown): boolean => answer.safeParse(message).success;

export function pipeTo(entry: StdioEntry, cwd: string): Line {
  let server: ServerProcess | undefined;
  let why = "";
  const room = ration(MOST, WINDOW);
  const ended = (reason: string) => {
    const last = server?.complaint().split("\n").at(-1)?.slice(0, 200);
    why ||= last ? `${reason}: ${last}` : reason;
    transport.onclose?.();
  };
  const transport: Transport = {
    async start() {
      const onLine = (line: string) => {
        const message = parse(line);
        if (message) return transport.onmessage?.(message);
        if (room() || why) return;
        why = `it printed ${MOST} lines in ${WINDOW / 1000} s that are no messages`;
        void transport.close();
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
    return typeof value === "object" && value !== null && ("jsonrpc" in value || "id" in value) ? (value as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}
