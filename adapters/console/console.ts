/**
 * The console: a platform of its own in the browser, for trying everything without Slack or Discord, and for the operator.
 *
 * C1. Without a token it listens on loopback only.
 * C2. It is connected once it listens; what an earlier process kept and did not hand in is handed in then.
 * C3. Once `stop` is called nothing more is taken; what is under way is answered first. Posts go on being kept.
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import type { Adapter, Log, Operator, SessionRow } from "../../src/core/ports.ts";
import { UserError } from "../../src/core/ports.ts";
import type { Scrub } from "../shared/scrubbed.ts";
import { app, type Door } from "./app.tsx";
import { type Board, openBoard } from "./board.ts";
import { type Desk, desk as deskOf } from "./desk.ts";
import { isLoopback } from "./guard.ts";
import { PLATFORM, posts } from "./posts.ts";
import { present as presentOf } from "./present.ts";
import { shows } from "./show.ts";
import { openStore, type Store } from "./store.ts";
import { streams as streamsOf } from "./streams.ts";

export interface ConsoleOptions {
  host: string;
  /** 0: any that is free. */
  port: number;
  token?: string | undefined;
  /** Where the outside reaches it, if it is not by its address. */
  publicUrl?: string | undefined;
  /** The console's own folder, for its board. */
  folder: string;
  log: Log;
  /** Of all adapters, for `/healthz`. */
  health(): Record<string, { ok: boolean; detail: string }>;
  sessions(home: string): Promise<SessionRow[]>;
  /** A label that never lies: `offline model`, or nothing. */
  notice(): string | undefined;
  scrub: Scrub;
  /** Absent: there is only the chat. */
  operator?: Operator;
  /** In the text form that Prometheus reads. */
  metrics?: () => string;
  /** Pages that the outside has to reach; undefined: it is not one of them. */
  door?: Door;
}

export interface Console extends Adapter {
  /** Empty before the start. */
  url(): string;
}

/** Pages that may be open at once. */
const PAGES = 50;

export function console(options: ConsoleOptions): Console {
  const { host, token, folder, log, scrub } = options;
  const streams = streamsOf(PAGES);
  const present = presentOf(scrub);
  const busy = new Set<Promise<unknown>>();
  let board: Board | undefined;
  let store: Store | undefined;
  let desk: Desk | undefined;
  let state = { ok: false, detail: "not started" };
  let url = "";

  const { operator, metrics, door, health, notice } = options;
  // Without a token whoever opens the console is no operator of the other homes.
  const homes = async () => (token && operator ? (await operator.names()).filter((home) => home !== PLATFORM) : []);
  const show = shows({ ...options, operated: operator !== undefined, present, homes, board: () => board });
  const knows = (thread: string): boolean => board?.thread(thread) !== undefined;
  const site = app({
    names: options,
    token,
    log,
    streams,
    health,
    notice,
    desk: () => desk,
    knows,
    homes,
    store: () => store,
    show,
    operator,
    metrics,
    door,
  });
  const server = serverOf(site, busy);

  return {
    ...posts({ board: () => board, store: () => store, url: () => url, present, streams, scrub, log }),
    url: () => url,
    health: () => state,
    start: async (inbox) => {
      if (!isLoopback(host) && !token) {
        throw new UserError(`The console would be open to everybody on ${host}. Set CONSOLE_TOKEN, or CONSOLE_HOST to 127.0.0.1.`);
      }
      board = await openBoard(folder);
      if (board.unread > 0) log.warn({ lines: board.unread }, "lines of the console's board could not be read and were left out");
      store = await openStore(join(folder, "files"), board.files());
      url = urlOf(host, await listen(server, options));
      desk = deskOf({ board, present, inbox, scrub, log, ring: (thread) => streams.ring(thread, true) });
      state = { ok: true, detail: url };
      await desk.handIn();
    },
    stop: async () => {
      desk = undefined;
      state = { ok: false, detail: "stopped" };
      streams.close();
      await Promise.allSettled(busy);
      await close(server);
    },
  };
}

/** `busy`: what is being answered. */
function serverOf(site: ReturnType<typeof app>, busy: Set<Promise<unknown>>): Server {
  return createAdaptorServer({
    fetch: async (request, env) => {
      const answer = Promise.resolve(site.fetch(request, env));
      busy.add(answer);
      return answer.finally(() => busy.delete(answer));
    },
  }) as Server;
}

/** Lets what is being sent arrive; whoever is not done with it after a moment is cut off. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const late = setTimeout(() => server.closeAllConnections(), 1_000);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    });
  });
}

/** What listens everywhere listens on loopback as well. */
function urlOf(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}:${port}`;
}

function listen(server: Server, { host, port }: ConsoleOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(new UserError(inWords(error, host, port))));
    server.listen(port, host.replace(/^\[|\]$/g, ""), () => resolve((server.address() as AddressInfo).port));
  });
}

function inWords(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === "EADDRINUSE") return `Port ${port} is taken by another program. Set CONSOLE_PORT to another one, or to 0 for any.`;
  if (error.code === "EACCES") return `This account may not listen on port ${port}. Set CONSOLE_PORT to one above 1023.`;
  return `The console cannot listen on ${host}, port ${port}: ${error.message}. Set CONSOLE_HOST and CONSOLE_PORT.`;
}
