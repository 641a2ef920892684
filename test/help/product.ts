/**
 * The product as a process of its own, in a group of its own and on folders of its own. It sees nothing of this machine's environment and
 * no `.env` file; it can be killed like by a power cut and started again.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openJournal } from "../../src/store/journal.ts";
import { until } from "./until.ts";

/** A line of the log; what was not JSON stands in `msg`, under the level `stderr`. */
export interface Fact {
  level: string;
  msg: string;
  [key: string]: unknown;
}
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  ms: number;
}

const path = (from: string): string => fileURLToPath(new URL(`../../${from}`, import.meta.url));
/** By its file, since the product runs in a folder from which no package is found. */
const LOADER = createRequire(import.meta.url).resolve("tsx");
const INHERITED = ["PATH", "HOME", "LANG", "TMPDIR"];
const TROUBLE = ["error", "fatal", "stderr"];
const START_WITHIN = 30_000;

const groups = new Set<number>();
process.on("exit", () => groups.forEach(killGroup));

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}

export class Product {
  readonly root = mkdtempSync(join(tmpdir(), "denizen-product-"));
  readonly workspaces = join(this.root, "workspaces");
  /** Of all lives, oldest first. */
  readonly log: Fact[] = [];
  #env: Record<string, string>;
  #child: ChildProcess | undefined;
  #ready: Fact | undefined;
  #ended: Promise<Omit<Exit, "ms">> = Promise.resolve({ code: null, signal: null });

  constructor(env: Record<string, string> = {}) {
    this.#env = env;
  }

  /** Begins to start; `ready` resolves when it is. */
  spawn(): void {
    const inherited = Object.fromEntries(INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
    const child = spawn(process.execPath, ["--import", LOADER, path("src/main.ts")], {
      cwd: this.root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...inherited,
        TSX_TSCONFIG_PATH: path("tsconfig.json"),
        TZ: "UTC",
        WORKSPACES_DIR: this.workspaces,
        DATA_DIR: join(this.root, "data"),
        CONSOLE_PORT: "0",
        ...this.#env,
      },
    });
    this.#child = child;
    this.#ready = undefined;
    const { pid } = child;
    if (pid) groups.add(pid);
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", (line) => this.#told(child, line));
    this.#ended = new Promise((done) => {
      child.once("close", (code, signal) => {
        if (pid) groups.delete(pid);
        if (this.#child === child) this.#child = undefined;
        done({ code, signal });
      });
    });
  }
  async ready(): Promise<Fact> {
    const found = await until(
      () => this.#ready ?? !this.#child,
      () => `the line “ready”; the last lines: ${this.tail()}`,
      START_WITHIN,
    );
    if (found === true) throw new Error(`the product ended before it was ready: ${this.tail()}`);
    return found;
  }
  start(): Promise<Fact> {
    this.spawn();
    return this.ready();
  }

  #told(child: ChildProcess, line: string): void {
    const fact = factOf(line);
    this.log.push(fact);
    if (fact.msg === "ready" && this.#child === child) this.#ready = fact;
  }
  tail(): string {
    return this.log
      .slice(-12)
      .map((fact) => JSON.stringify(fact))
      .join("\n");
  }
  /** What the log complains about. */
  get troubles(): Fact[] {
    return this.log.filter(({ level }) => TROUBLE.includes(level));
  }
  get running(): boolean {
    return this.#child !== undefined;
  }
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Ends it and everything in its group at once. */
  async kill9(): Promise<void> {
    if (this.#child?.pid) killGroup(this.#child.pid);
    await this.#ended;
  }
  async restart(): Promise<Fact> {
    await this.kill9();
    return this.start();
  }
  async sigterm(): Promise<Exit> {
    const from = Date.now();
    this.#child?.kill("SIGTERM");
    return { ...(await this.#ended), ms: Date.now() - from };
  }
  /** Memory that is really there, in megabytes. */
  get rss(): number {
    return Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, "utf8"))?.[1]) / 1024;
  }

  write(file: string, text: string): void {
    const full = join(this.workspaces, file);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
  read(file: string): string {
    const full = join(this.workspaces, file);
    return existsSync(full) ? readFileSync(full, "utf8") : "";
  }
  /** Sessions of a home with something to do, now or within a minute. */
  async unsettled(home: string): Promise<string[]> {
    const journal = openJournal(join(this.workspaces, home, "agents", "main", "context", "journal.db"));
    try {
      return (await journal.unsettled(Date.now() + 60_000)).roots;
    } finally {
      await journal.close();
    }
  }
  async end(): Promise<void> {
    await this.kill9();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function factOf(line: string): Fact {
  try {
    return JSON.parse(line) as Fact;
  } catch {
    return { level: "stderr", msg: line };
  }
}
