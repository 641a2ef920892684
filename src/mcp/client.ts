/**
 * The one door to the MCP library: a session with one server. Loaded with the first server, so a home without servers pays nothing.
 *
 * C1. A closed session stays closed; `onEnd` is called once.
 * C2. What the server says is data: tools and results come out as they are, to be judged by others.
 * C3. Lists end: a server that goes on giving pages is cut short, one that repeats itself or is slow too. So does connecting, whatever
 *     the library waits for.
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { Account } from "./account.ts";
import { type Asks, capabilitiesOf, listen } from "./asks.ts";
import { Late } from "./fate.ts";
import { type Line, pipeTo, watched } from "./line.ts";
import { LONGER } from "./patience.ts";
import { linesTo, mayBeOlder } from "./remote.ts";
import type { Entry } from "./tools-file.ts";

export interface CallOptions {
  /** Gives it up: the library's own clock knows nothing of people who think. */
  signal: AbortSignal;
  onProgress: (text: string) => void;
}
export interface Session {
  /** What the server said of itself when the session began. */
  about: { instructions: string; resources: boolean; prompts: boolean };
  tools(): Promise<unknown[]>;
  /** Anything else of the protocol. */
  request(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<unknown>;
  /** Whether the server may have ended the session meanwhile; asks it. Rejects like a call. */
  look(): Promise<void>;
  close(): Promise<void>;
}
export interface SessionOptions {
  entry: Entry;
  cwd: string;
  /** For connecting and for each list of tools. */
  timeout: number;
  /** For one call, at most. */
  patience: number;
  /** Gives up connecting. */
  signal: AbortSignal;
  account?: Account | undefined;
  /** Addresses that a person wrote; those of the entry, if absent. */
  written?: readonly string[] | undefined;
  /** Which others may be asked. */
  isOpen?: ((address: string) => boolean) | undefined;
  /** What it was given to sign in with as the product itself. */
  onToken?: ((token: string) => void) | undefined;
  /** Absent: it may ask nothing. */
  asks?: Asks | undefined;
  onChanged: () => void;
  /** A line of the server's log. */
  onLog: (level: string, text: string) => void;
  onEnd: (why: string) => void;
}

const listed = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const CHANGED = ["notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"] as const;
const changes = CHANGED.map((method) => z.object({ method: z.literal(method) }));
const message = z.looseObject({
  method: z.literal("notifications/message"),
  params: z.looseObject({ level: z.string().optional(), data: z.unknown() }),
});
const MOST_PAGES = 50;
const MOST_TOOLS = 1000;
/** Characters of all definitions together. */
const LARGEST_LIST = 8 * 1024 * 1024;
/** All pages together may take so many times what one may. */
const PAGES_LONGER = 3;
const LONGEST_INSTRUCTIONS = 4000;
/** As long as a clock of this machine can run. */
const FOREVER = 2 ** 31 - 1;
const LONGEST_LINE = 500;
const LONGEST_PROGRESS = 200;

export async function openSession(options: SessionOptions): Promise<Session> {
  const { entry, cwd, patience } = options;
  const remote = { ...options, patience: patience * LONGER };
  const lines = entry.kind === "stdio" ? [async () => pipeTo(entry, cwd)] : linesTo(entry, remote);
  let last: unknown;
  for (const [index, make] of lines.entries()) {
    const line = watched(await make());
    try {
      return await sessionOn(line, options);
    } catch (error) {
      // What the first way said is what counts, unless the second one got further.
      last = index === 0 || !mayBeOlder(error) ? error : last;
      if (!mayBeOlder(error)) break;
    }
  }
  throw last;
}

async function sessionOn(line: Line, options: SessionOptions): Promise<Session> {
  const { timeout, signal, asks, onChanged, onLog, onEnd } = options;
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const client = new Client({ name: "denizen", version: "1" }, { capabilities: asks ? capabilitiesOf(asks) : {} });
  if (asks) listen(client, asks);
  let over = false;
  client.onclose = () => {
    if (!over) onEnd(line.why());
    over = true;
  };
  for (const change of changes) client.setNotificationHandler(change, onChanged);
  client.setNotificationHandler(message, ({ params: { level = "info", data } }) =>
    onLog(level, (typeof data === "string" ? data : (JSON.stringify(data) ?? "")).slice(0, LONGEST_LINE)),
  );
  try {
    await inTime(client.connect(line.transport, { timeout, signal }), timeout, signal);
  } catch (error) {
    over = true;
    const why = line.why();
    await line.close().catch(() => undefined);
    throw why ? new Error(why) : error;
  }
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  return {
    about: {
      instructions: (client.getInstructions() ?? "").slice(0, LONGEST_INSTRUCTIONS),
      resources: resources !== undefined,
      prompts: prompts !== undefined,
    },
    tools: () => inTime(toolsOf(client, line, timeout), timeout * PAGES_LONGER, signal),
    request: (method, params, stop) => client.request({ method, params }, z.unknown(), { signal: stop, timeout }),
    call: (tool, input, { signal: stop, onProgress }) => {
      const onprogress = ({ progress, total, message: said }: Progress) =>
        onProgress((said ?? (total ? `${progress} of ${total}` : `${progress}`)).slice(0, LONGEST_PROGRESS));
      const asked = { method: "tools/call", params: { name: tool, arguments: input } };
      return client.request(asked, z.unknown(), { signal: stop, timeout: FOREVER, onprogress }).catch((error: unknown) => {
        throw inWords(error, line);
      });
    },
    async look() {
      if (line.kept?.()) await client.ping({ timeout });
    },
    async close() {
      over = true;
      await line.close();
    },
  };
}

/** The library says only that the line ended; the line knows why. */
function inWords(error: unknown, line: Line): unknown {
  const ended = /Connection closed$/.test((error as Error).message) && line.why();
  return ended ? Object.assign(new Error(`Connection closed: ${ended}`), { name: "McpError" }) : error;
}

/** Gives up after some time, and when nobody wants it any more. */
async function inTime<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const given = new Promise<never>((_done, fail) => {
    const timer = setTimeout(() => fail(new Late()), ms);
    over.signal.addEventListener("abort", () => clearTimeout(timer));
    const left = () => fail(new Error("it is not wanted any more"));
    if (signal.aborted) left();
    signal.addEventListener("abort", left, { signal: over.signal });
  });
  try {
    return await Promise.race([work, given]);
  } finally {
    over.abort();
    work.catch(() => undefined);
  }
}

async function toolsOf(client: Client, line: Line, timeout: number): Promise<unknown[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const all: unknown[] = [];
  const seen = new Set<string>();
  let size = 0;
  for (let cursor: string | undefined, page = 0; page < MOST_PAGES && all.length < MOST_TOOLS && size < LARGEST_LIST; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, listed, { timeout }).catch((error: unknown) => {
      const why = line.why();
      throw why ? new Error(why) : error;
    });
    for (const tool of answer.tools) {
      size += JSON.stringify(tool)?.length ?? 0;
      if (size < LARGEST_LIST) all.push(tool);
    }
    cursor = answer.nextCursor;
    if (!cursor || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return all.slice(0, MOST_TOOLS);
}
