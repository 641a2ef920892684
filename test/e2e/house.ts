/** The product as a process with a local model and a tool server `ops`. How people reach it is added by each platform's team. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Product } from "../help/product.ts";
import { until } from "../help/until.ts";
import { AnthropicRig, type Body, type RigOptions, type Script } from "../rigs/anthropic.ts";
import { type McpEntry, mcpEntry, toolsJson } from "../rigs/mcp.ts";

export const KEY = "sk-ant-a-key-of-this-test";

export interface HouseOptions {
  policy?: object;
  model?: RigOptions;
  env?: Record<string, string>;
  /** What the MCP server `ops` is given beside the file for its effects. */
  ops?: { mode?: string; env?: Record<string, string> };
}
export const openModel = (options: RigOptions = {}): Promise<AnthropicRig> => new AnthropicRig({ key: KEY, ...options }).start();

export class House {
  readonly home: string;
  readonly model: AnthropicRig;
  readonly product: Product;
  readonly effectsFile: string;
  readonly #scripts: { about: string; turns: Script[] }[] = [];

  /** `env`: how the platform is reached. */
  constructor(home: string, model: AnthropicRig, env: Record<string, string>, { policy, ops }: HouseOptions) {
    this.home = home;
    this.model = model;
    this.product = new Product({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: model.url, ...env });
    this.effectsFile = join(this.product.root, "effects.jsonl");
    const entry: McpEntry = mcpEntry(ops?.mode, { EFFECTS: this.effectsFile, ...ops?.env });
    if (policy) this.write("policy.json", JSON.stringify(policy));
    this.write("tools.json", toolsJson({ ops: entry }));
    this.write("AGENTS.md", "You are Denizen.\n");
    model.fallback = (body, count) => {
      const talk = talkOf(body);
      const next = this.#scripts.findLast(({ about, turns }) => turns.length && talk.includes(about))?.turns.shift();
      return typeof next === "function" ? next(body, count) : (next ?? { text: "(nothing more is scripted)" });
    };
  }
  async end(): Promise<void> {
    await this.product.end();
    await this.model.stop();
  }

  /** What the model answers, in order, in conversations that hold these words. */
  script(about: string, ...turns: Script[]): void {
    this.#scripts.push({ about, turns });
  }
  /** The last request about something. */
  lastAbout(words: string): Body | undefined {
    return this.model.calls.findLast(({ body }) => talkOf(body).includes(words))?.body;
  }
  /** Resolves once the model was asked about something. */
  thinks(words: string): Promise<unknown> {
    return until(() => this.callsAbout(words) > 0, `a request about “${words}”`);
  }
  callsAbout(words: string): number {
    return this.model.calls.filter(({ body }) => talkOf(body).includes(words)).length;
  }

  write(file: string, text: string): void {
    this.product.write(`${this.home}/${file}`, text);
  }
  read(file: string): string {
    return this.product.read(`${this.home}/${file}`);
  }
  /** What the server `ops` really did. */
  effects(): { deploy?: string; started?: number }[] {
    if (!existsSync(this.effectsFile)) return [];
    const lines = readFileSync(this.effectsFile, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line));
  }
  deploys(target: string): number {
    return this.effects().filter(({ deploy }) => deploy === target).length;
  }
  /** Resolves when no session has anything to do. */
  quiet(ms = 20_000): Promise<unknown> {
    let left: string[] = [];
    const rests = async () => {
      left = await this.product.unsettled(this.home);
      return left.length === 0;
    };
    return until(rests, () => `all sessions to rest; unsettled: ${left.join(", ")}`, ms);
  }
}

/** The system prompt of a request, and the messages, as text. */
export const promptOf = (body: Body | undefined): string => JSON.stringify(body?.system ?? "");
export const talkOf = (body: Body | undefined): string => JSON.stringify(body?.messages ?? []);
