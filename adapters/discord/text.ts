/**
 * Words of people as the model reads them, and short words for Discord.
 *
 * X1. What Discord writes as numbers (people, roles, channels, emoji) is read as its name, with the id where it may be needed.
 */
import { clip } from "../shared/escape.ts";

const USER = /<@!?(\d+)>/g;

/** Names by id, as far as they are known. */
export interface Names {
  person(id: string): string | undefined;
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
}

export function heard(text: string, self: readonly string[], names: Names): string {
  return withoutSelf(text, self)
    .replace(USER, (_, id: string) => `@${names.person(id) ?? id} (discord:${id})`)
    .replace(/<@&(\d+)>/g, (_, id: string) => `@${names.role(id) ?? id}`)
    .replace(/<#(\d+)>/g, (_, id: string) => `#${names.channel(id) ?? id} (discord:${id})`)
    .replace(/<a?:(\w+):\d+>/g, ":$1:")
    .replace(/<\/([^:<>]+):\d+>/g, "/$1")
    .trim();
}

/** `self`: the bot's id and its roles'. */
function withoutSelf(text: string, self: readonly string[]): string {
  return text.replace(new RegExp(`^\\s*<@[!&]?(?:${self.join("|")})>[\\s,:]*`), "");
}

/** Names somebody other than the bot before it says anything else. */
export function toOthers(text: string, self: readonly string[]): boolean {
  const first = /^\s*<@[!&]?(\d+)>/.exec(text)?.[1];
  return first !== undefined && !self.includes(first);
}

/** The name of a thread: what was asked, in a few words. Names call nobody, and what looks like a call is taken out all the same. */
export function titleOf(text: string, by: string): string {
  const line = text
    .replace(/\s*\(discord:\d+\)/g, "")
    .replace(/[*_`~|>#\\@]|\[file: [^\]]*\]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return clip(line, 70) || clip(`A talk with ${by}`, 70);
}

/** When a snowflake was made, in ms since 1970; and the smallest snowflake of a time. */
const EPOCH = 1_420_070_400_000;
export const madeAt = (snowflake: string): number => Number(BigInt(snowflake) >> 22n) + EPOCH;
export const snowflakeAt = (time: number): string => String(BigInt(Math.max(0, time - EPOCH)) << 22n);
