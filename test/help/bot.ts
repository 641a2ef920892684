/** The house with a scripted model, a real journal in a temporary home and a platform that exists only here; can be killed and started again. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Block, JsonObject, Speaker } from "../../src/core/event.ts";
import type {
  Adapter,
  Changes,
  Gate,
  Homes,
  Hook,
  Incoming,
  Journal,
  Platform,
  Remembering,
  Reply,
  Rules,
  Tool,
} from "../../src/core/ports.ts";
import { attachments } from "../../src/files/attachments.ts";
import { Harness } from "../../src/harness/harness.ts";
import { told, type World } from "../../src/harness/world.ts";
import { openJournal } from "../../src/store/journal.ts";
import { type Fuse, fuse, fused } from "./fuse.ts";
import { Script } from "./script.ts";
import { Stage } from "./stage.ts";
import { until } from "./until.ts";

export const ANN: Speaker = { id: "stage:ann", name: "Ann", kind: "member" };
export const BEN: Speaker = { id: "stage:ben", name: "Ben", kind: "member" };
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

export interface BotOptions {
  model?: Script;
  stage?: Stage;
  tools?: Tool[];
  /** What the gate says of a tool; by default everything runs. */
  gate?: ((tool: Tool, input: JsonObject) => Partial<Gate> | undefined) | undefined;
  rules?: Partial<Rules>;
  hooks?: Hook[];
  /** Kills the process at this boundary of its first life. */
  killAt?: number;
  log?: World["log"];
  changes?: Changes;
  /** What is remembered, given the home's folder and its journal as it is then. */
  memory?: (dir: string, journal: () => Promise<Journal>) => Remembering;
  /** Input tokens of the model, if not its own. */
  window?: number;
  /** The clock of the house, if not that of the machine. */
  now?: () => number;
  /** A real adapter beside the stage: made anew in each life, connected before anything is woken. */
  adapter?: () => Adapter;
}

export class Bot {
  readonly dir = mkdtempSync(join(tmpdir(), "denizen-bot-"));
  readonly model: Script;
  readonly stage: Stage;
  readonly ran: { tool: string; input: JsonObject }[] = [];
  fuse: Fuse = fuse();
  journal!: Journal;
  house!: Harness;
  readonly #options: BotOptions;
  #count = 0;
  #raw!: Journal;
  #adapter: Adapter | undefined;

  constructor(options: BotOptions = {}) {
    this.#options = options;
    this.model = options.model ?? new Script();
    this.stage = options.stage ?? new Stage();
    this.#start(options.killAt ?? 0);
  }

  #start(killAt: number): void {
    this.fuse = fuse();
    this.#raw = openJournal(join(this.dir, "journal.db"), { ttl: 2_000 });
    this.journal = fused(this.#raw, this.fuse, killAt, ["receive", "record"]);
    this.#adapter = this.#options.adapter?.();
    const tools = (this.#options.tools ?? []).map((tool) => fused(tool, this.fuse, killAt, ["run"]));
    const world: World = {
      journal: async () => this.journal,
      homes: homesWith(this.#options.rules ?? {}),
      platforms: new Map(
        [this.stage, ...(this.#adapter ? [this.#adapter] : [])].map((platform: Platform) => [
          platform.name,
          fused(platform, this.fuse, killAt, ["post", "edit", "hide", "find", "fetch"]),
        ]),
      ),
      attachments: fused(attachments({ directory: () => this.dir }), this.fuse, killAt, ["put", "remove", "handed"]),
      model: fused(this.model, this.fuse, killAt, ["answer"]),
      modelName: "script",
      window: this.#options.window,
      hooks: [offering(tools, this.#options.gate), ...(this.#options.hooks ?? [])],
      now: this.#options.now ?? Date.now,
      patience: 0.01,
      scrub: (text) => text.replaceAll("xoxb-secret", "[masked]"),
      log: this.#options.log ?? QUIET,
      told: told(),
      ...(this.#options.changes ? { changes: this.#options.changes } : {}),
      ...(this.#options.memory ? { memory: this.#options.memory(this.dir, async () => this.journal) } : {}),
    };
    this.house = new Harness(
      world,
      async ({ text }, { stop }) => (text === "stop" ? stop() : { to: "nobody" }),
      async () => [],
    );
  }

  /** The process dies; another one starts on the same home. */
  async restart(): Promise<void> {
    this.fuse.blown = true;
    await this.house.close(0);
    await this.#raw.close();
    this.#start(0);
    await this.connect();
    await this.house.resume(["home"]);
  }

  /** Connects the real adapter of this life. */
  async connect(): Promise<void> {
    await this.#adapter?.start(this.house);
  }

  incoming(by: Speaker, text: string, more: Partial<Incoming> = {}): Incoming {
    const id = `m${++this.#count}`;
    return {
      place: { platform: "stage", team: "T", channel: "C", thread: "t1" },
      channel: "public",
      shared: false,
      id,
      by,
      text,
      mentioned: true,
      toOthers: false,
      own: false,
      at: Date.now(),
      ...more,
    };
  }
  /** Somebody says something in the thread `t1`; resolves with the message's id once it is durable. */
  async say(by: Speaker, text: string, more: Partial<Incoming> = {}): Promise<string> {
    const incoming = this.incoming(by, text, more);
    await this.house.message(incoming);
    return incoming.id;
  }
  click(by: Speaker, word: string, nth = 0, values?: Record<string, string>): Promise<Reply> {
    const button = this.stage.buttons(word)[nth];
    if (!button) throw new Error(`no button ${word}; visible: ${JSON.stringify(this.stage.visible().map((post) => post.slot.view))}`);
    return this.house.click({
      platform: "stage",
      act: button.act,
      code: button.code,
      by,
      place: { platform: "stage", team: "T", channel: "C", thread: "t1" },
      at: Date.now(),
      ...(values ? { values } : {}),
    });
  }
  button(word: string, nth = 0) {
    return until(() => this.stage.buttons(word)[nth], `button ${word} number ${nth + 1}`);
  }
  answer(text: string) {
    return until(
      () => this.stage.answers().find((answer) => answer.includes(text)),
      () => `an answer with “${text}”; shown: ${JSON.stringify(this.stage.answers())}`,
    );
  }
  /** Nothing can be done any more. */
  quiet() {
    return until(async () => (await this.#raw.unsettled(Date.now() + 60_000)).roots.length === 0 || undefined, "everything to be settled");
  }
  async end(): Promise<void> {
    await this.house.close(0);
    await this.#raw.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function homesWith(rules: Partial<Rules>): Homes {
  const all: Rules = {
    may: () => true,
    who: (what) => `everybody may ${what}`,
    followUps: "participants",
    stepsPerTurn: 50,
    model: undefined,
    timezone: "UTC",
    broken: undefined,
    ...rules,
  };
  return { find: async () => ({ ok: true, home: "home" }), rules: async () => all };
}

function offering(tools: Tool[], gate: BotOptions["gate"]): Hook {
  return {
    name: "test",
    preReasoning: async () => ({ tools, system: [{ rank: "rules", text: "You are a test." }] }),
    preActing: async (_moment, tool, input) => ({ verdict: "allow", ...gate?.(tool, input) }),
  };
}

/** A tool `slow` that is at it until the test lets it finish. */
export function slowTool(): { slow: Tool; finish(text: string): void } {
  let finish = (_: string): void => {};
  const run = () =>
    new Promise<string>((done) => {
      finish = done;
    });
  return { slow: tool("slow", run), finish: (text) => finish(text) };
}

/** A tool that does what a function says and counts it. */
export function tool(
  name: string,
  run: (input: JsonObject, signal: AbortSignal) => Promise<string | Block[]> | string,
  more: Partial<Tool> = {},
): Tool {
  return {
    name,
    label: name,
    description: name,
    schema: { type: "object" },
    digest: `${name}-1`,
    repeatable: false,
    parse: (input) => ({ ok: true, input }),
    risk: () => "none",
    subject: () => "*",
    run: async (input, { signal }) => ({ content: await run(input, signal), failed: false }),
    ...more,
  };
}
