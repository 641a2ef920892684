/** A team at a local Slack, a local model and the product between them: what people do, and what they can see. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Product } from "../help/product.ts";
import { until } from "../help/until.ts";
import { AnthropicRig, type Body, type RigOptions, type Script } from "../rigs/anthropic.ts";
import { type McpEntry, mcpEntry, toolsJson } from "../rigs/mcp.ts";
import { buttonsOf, type Delivery, type Message, type Said, SlackRig, type SlackRigOptions, wordsOf } from "../rigs/slack.ts";

export const HOME = "slack-T1";
/** Everybody talks, Ben and Ola approve, Ola administers. What the server `ops` says it only reads needs nobody. */
export const POLICY = {
  people: { talk: ["members"], approve: ["slack:U2BEN", "slack:U4OLA"], admin: ["slack:U4OLA"] },
  trust: ["ops"],
  budget: { tokensPerDay: 1_000_000_000, tokensPerPersonPerDay: 1_000_000_000 },
};
const KEY = "sk-ant-a-key-of-this-test";

export interface TeamOptions {
  policy?: object;
  slack?: SlackRigOptions;
  model?: RigOptions;
  env?: Record<string, string>;
  /** What the MCP server `ops` is given beside the file for its effects. */
  ops?: { mode?: string; env?: Record<string, string> };
}

export class Team {
  readonly slack: SlackRig;
  readonly model: AnthropicRig;
  readonly product: Product;
  readonly effectsFile: string;
  readonly #scripts: { about: string; turns: Script[] }[] = [];

  private constructor(slack: SlackRig, model: AnthropicRig, { env, policy, ops }: TeamOptions) {
    this.slack = slack;
    this.model = model;
    this.product = new Product({
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: model.url,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: slack.apiUrl,
      ...env,
    });
    this.effectsFile = join(this.product.root, "effects.jsonl");
    const entry: McpEntry = mcpEntry(ops?.mode, { EFFECTS: this.effectsFile, ...ops?.env });
    this.write("policy.json", JSON.stringify(policy ?? POLICY));
    this.write("tools.json", toolsJson({ ops: entry }));
    this.write("AGENTS.md", "You are Denizen.\n");
    model.fallback = (body, count) => {
      const talk = talkOf(body);
      const next = this.#scripts.findLast(({ about, turns }) => turns.length && talk.includes(about))?.turns.shift();
      return typeof next === "function" ? next(body, count) : (next ?? { text: "(nothing more is scripted)" });
    };
  }
  static async open(options: TeamOptions = {}): Promise<Team> {
    const slack = await new SlackRig(options.slack).start();
    const model = await new AnthropicRig({ key: KEY, ...options.model }).start();
    return new Team(slack, model, options);
  }
  async end(): Promise<void> {
    await this.product.end();
    await Promise.all([this.slack.stop(), this.model.stop()]);
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
    this.product.write(`${HOME}/${file}`, text);
  }
  read(file: string): string {
    return this.product.read(`${HOME}/${file}`);
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
      left = await this.product.unsettled(HOME);
      return left.length === 0;
    };
    return until(rests, () => `all sessions to rest; unsettled: ${left.join(", ")}`, ms);
  }

  /** A message of the bot in a thread whose words hold a text. */
  heard({ channel, message }: Pick<Said, "channel" | "message">, text: string, ms?: number): Promise<Message> {
    const root = message.thread_ts ?? message.ts;
    const all = () => this.slack.space.said(channel, root);
    return until(
      () => all().find((found) => wordsOf(found).includes(text)),
      () => `“${text}”; in the thread stands: ${JSON.stringify(all().map(wordsOf))}; log: ${this.product.tail()}`,
      ms,
    );
  }
  /** A message of the bot in a thread with this button. */
  button({ channel, message }: Pick<Said, "channel" | "message">, word: string): Promise<Message> {
    const root = message.thread_ts ?? message.ts;
    const all = () => this.slack.space.said(channel, root);
    return until(
      () => all().find((found) => buttonsOf(found).some((button) => button.word === word)),
      () => `a button “${word}”; in the thread stands: ${JSON.stringify(all().map(wordsOf))}; log: ${this.product.tail()}`,
    );
  }
  whisper(person: string, text: string): Promise<Message> {
    const all = () => this.slack.space.whispered(person);
    return until(
      () => all().find((found) => wordsOf(found).includes(text)),
      () => `a whisper with “${text}”; there are: ${JSON.stringify(all().map(wordsOf))}`,
    );
  }
  /** Presses a button that asks for more, fills in the form that opens, and sends it. Undefined if no form came. */
  async fill(person: string, message: Message, word: string, values: Record<string, string>): Promise<Delivery | undefined> {
    const { views } = this.slack.space;
    const before = new Set(views.keys());
    const pressed = await this.slack.as(person).press(message, word);
    if (!pressed.acked) return undefined;
    const form = () => [...views.values()].find(({ id, user, view }) => !before.has(id) && user === person && view.submit);
    const opened = await until(form, "a form", 2_000).catch(() => undefined);
    return opened && this.slack.as(person).submit(opened.id, values);
  }
}

/** Which slot of which turn a message of the bot is: `answer/1/0`, `card/1.1.0`, `progress/1`; empty for all else. */
export const slotOf = ({ metadata }: Message): string => {
  const payload = metadata?.event_payload as { key?: string } | undefined;
  return payload?.key?.split(" ")[1] ?? "";
};

/** The system prompt of a request, and the messages, as text. */
export const promptOf = (body: Body | undefined): string => JSON.stringify(body?.system ?? "");
export const talkOf = (body: Body | undefined): string => JSON.stringify(body?.messages ?? []);
