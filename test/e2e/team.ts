/** A team at a local Slack, a local model and the product between them: what people do, and what they can see. */
import { until } from "../help/until.ts";
import type { AnthropicRig } from "../rigs/anthropic.ts";
import { buttonsOf, type Delivery, type Message, type Said, SlackRig, type SlackRigOptions, wordsOf } from "../rigs/slack.ts";
import { House, type HouseOptions, openModel } from "./house.ts";

export { promptOf, talkOf } from "./house.ts";

export const HOME = "slack-T1";
/** Everybody talks, Ben and Ola approve, Ola administers. What the server `ops` says it only reads needs nobody. */
export const POLICY = {
  people: { talk: ["members"], approve: ["slack:U2BEN", "slack:U4OLA"], admin: ["slack:U4OLA"] },
  trust: ["ops"],
  budget: { tokensPerDay: 1_000_000_000, tokensPerPersonPerDay: 1_000_000_000 },
};
/** What the product is told of a Slack. */
export const reaching = ({ botToken, appToken, apiUrl }: SlackRig): Record<string, string> => ({
  SLACK_BOT_TOKEN: botToken,
  SLACK_APP_TOKEN: appToken,
  SLACK_API_URL: apiUrl,
});

export interface TeamOptions extends HouseOptions {
  slack?: SlackRigOptions;
}

export class Team extends House {
  readonly slack: SlackRig;

  private constructor(slack: SlackRig, model: AnthropicRig, options: TeamOptions) {
    super(HOME, model, { ...reaching(slack), ...options.env }, { ...options, policy: options.policy ?? POLICY });
    this.slack = slack;
  }
  static async open(options: TeamOptions = {}): Promise<Team> {
    return new Team(await new SlackRig(options.slack).start(), await openModel(options.model), options);
  }
  override async end(): Promise<void> {
    await super.end();
    await this.slack.stop();
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
