/** A guild at a local Discord, a local model and the product between them: what people do, and what they can see. */
import { until } from "../help/until.ts";
import type { AnthropicRig } from "../rigs/anthropic.ts";
import {
  buttonsOf,
  type Channel,
  DiscordRig,
  type DiscordRigOptions,
  type Guild as Listed,
  type Message,
  type User,
  wordsOf,
} from "../rigs/discord.ts";
import { VOICE } from "../rigs/discord-world.ts";
import { House, type HouseOptions, openModel } from "./house.ts";

export interface GuildOptions extends Omit<HouseOptions, "policy"> {
  discord?: DiscordRigOptions;
  /** Beside who may approve: Ben. */
  policy?: object;
}
/** What the product is told of a Discord. */
export const reachingDiscord = ({ token, apiUrl }: DiscordRig): Record<string, string> => ({
  DISCORD_TOKEN: token,
  DISCORD_API_URL: apiUrl,
});

/** Who and what is there. */
export function furnished(options: DiscordRigOptions = {}) {
  const rig = new DiscordRig(options);
  const guild = rig.world.guild("Team");
  const channel = rig.world.channel(guild, "general");
  const voice = rig.world.channel(guild, "voice", VOICE);
  const ann = rig.world.person("ann", { guild });
  const ben = rig.world.person("ben", { guild });
  return { rig, guild, channel, voice, ann, ben };
}

export class Guild extends House {
  readonly discord: DiscordRig;
  readonly listed: Listed;
  readonly channel: Channel;
  readonly voice: Channel;
  readonly ann: User;
  readonly ben: User;

  private constructor({ rig, guild, channel, voice, ann, ben }: ReturnType<typeof furnished>, model: AnthropicRig, options: GuildOptions) {
    const policy = {
      people: { talk: ["members"], approve: [`discord:${ben.id}`], admin: [`discord:${ben.id}`] },
      trust: ["ops"],
      budget: { tokensPerDay: 1_000_000_000, tokensPerPersonPerDay: 1_000_000_000 },
      ...options.policy,
    };
    super(`discord-${guild.id}`, model, { ...reachingDiscord(rig), ...options.env }, { ...options, policy });
    this.discord = rig;
    this.listed = guild;
    this.channel = channel;
    this.voice = voice;
    this.ann = ann;
    this.ben = ben;
  }
  static async open(options: GuildOptions = {}): Promise<Guild> {
    const town = furnished(options.discord);
    await town.rig.start();
    return new Guild(town, await openModel(options.model), options);
  }
  override async end(): Promise<void> {
    await super.end();
    await this.discord.stop();
  }

  /** A message of the bot in a channel or thread whose words hold a text. */
  heard(channel: string, text: string, ms?: number): Promise<Message> {
    return found(this, channel, (message) => wordsOf(message).includes(text), `“${text}”`, ms);
  }
  button(channel: string, word: string): Promise<Message> {
    return found(this, channel, (message) => buttonsOf(message).some(({ label }) => label === word), `a button “${word}”`);
  }
}

/** A message of the bot in a channel, awaited. */
export function found(
  { discord, product }: Pick<Guild, "discord" | "product">,
  channel: string,
  is: (message: Message) => boolean,
  what: string,
  ms?: number,
): Promise<Message> {
  const all = () => discord.said(channel);
  return until(
    () => all().find(is),
    () => `${what}; there stands: ${JSON.stringify(all().map(wordsOf))}; log: ${product.tail()}`,
    ms,
  );
}
