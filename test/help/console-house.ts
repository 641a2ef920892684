/** A console that runs, on a free port and a folder of its own, with the scripted inbox behind it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Console, type ConsoleOptions, console as makeConsole } from "../../adapters/console/console.ts";
import { consoleScript, type Script } from "./console-script.ts";

export interface ConsoleHouse {
  console: Console;
  script: Script;
  folder: string;
  url: string;
  /** What was logged as an error. */
  errors: string[];
  /** Posts as a page of the console does. */
  post(path: string, body: object, headers?: Record<string, string>): Promise<Response>;
  /** Stops it and starts another one on the same folder. */
  restart(): Promise<ConsoleHouse>;
  end(): Promise<void>;
}

export interface HouseOptions extends Partial<ConsoleOptions> {
  pause?: () => Promise<void>;
}

export async function consoleHouse({ pause, ...options }: HouseOptions = {}): Promise<ConsoleHouse> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "console-")));
  const errors: string[] = [];
  const nothing = () => undefined;
  const console: Console = makeConsole({
    host: "127.0.0.1",
    port: 0,
    folder,
    log: { debug: nothing, info: nothing, warn: nothing, error: (_facts, sentence) => void errors.push(sentence) },
    health: () => ({ console: console.health() }),
    sessions: async () => [],
    notice: () => "offline model",
    scrub: (text) => text,
    ...options,
  });
  const script = consoleScript(() => console, pause);
  await console.start(script);
  const url = console.url();
  return {
    console,
    script,
    folder,
    url,
    errors,
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-console": "1", origin: url, ...headers },
        body: JSON.stringify({ as: "ann", thread: "", ...body }),
      }),
    restart: async () => {
      await console.stop();
      return consoleHouse({ ...options, folder, ...(pause ? { pause } : {}) });
    },
    end: async () => {
      await console.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
