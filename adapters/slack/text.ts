/**
 * Words between people and Slack.
 *
 * X1. `heard`: Slack's escapes are undone in one pass, so nothing that was escaped is read as markup.
 * X2. `mrkdwn`: what it returns holds no markup and calls nobody.
 */
import { hushWords } from "../shared/escape.ts";

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
const decoded = (text: string): string => text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);

const ANGLED = /<([^<>]*)>/g;
const USER = /<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g;

/** The people a message names, each once. */
export const named = (text: string): string[] => [...new Set([...text.matchAll(USER)].map((match) => match[1] ?? ""))];

/** A message as the model reads it. `nameOf`: what a person is called, if that is known. */
export function heard(text: string, bot: string, nameOf: (id: string) => string | undefined): string {
  const begun = text.replace(new RegExp(`^\\s*<@${bot}(?:\\|[^<>]*)?>[\\s,:]*`), "");
  return begun
    .replace(ANGLED, (whole, inner: string) => angled(inner, nameOf) ?? whole)
    .replace(/&(?:amp|lt|gt);/g, decoded)
    .trim();
}

function angled(inner: string, nameOf: (id: string) => string | undefined): string | undefined {
  const [target = "", label] = inner.split("|", 2);
  if (/^@[UW]/.test(target)) return `@${nameOf(target.slice(1)) ?? label ?? target.slice(1)} (slack:${target.slice(1)})`;
  if (/^#[CG]/.test(target)) return label ? `#${label} (slack:${target.slice(1)})` : `#${target.slice(1)}`;
  if (target.startsWith("!subteam^")) return label ?? `@${target.slice(9)}`;
  if (target.startsWith("!date^")) return label ?? "";
  if (target.startsWith("!")) return `@${target.slice(1)}`;
  if (/^(?:https?|mailto|tel|ftp|slack):/.test(target)) return link(target, label);
  return undefined;
}

function link(target: string, label: string | undefined): string {
  const bare = target.replace(/^(?:mailto|tel):/, "");
  return label === undefined || label === bare || label === target ? bare : `${label} (${bare})`;
}

/** Names somebody other than the bot before it says anything else. */
export function toOthers(text: string, bot: string): boolean {
  const first = /^\s*<@([UW][A-Z0-9]+)/.exec(text)?.[1];
  return first !== undefined && first !== bot;
}

export const mentions = (text: string, bot: string): boolean => new RegExp(`<@${bot}[|>]`).test(text);

/** Plain text for a place that reads mrkdwn. */
export const mrkdwn = (text: string): string => hushWords(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"));

/** The product's own Markdown where Slack reads only its own: bold words and links are kept, all else stands as it is. */
export const inline = (text: string): string =>
  mrkdwn(text)
    .replace(/\*\*([^*\n]+)\*\*/g, "*$1*")
    .replace(/\[([^[\]\n]+)\]\((https?:\/\/[^\s()|]+)\)/g, (_, words: string, to: string) => `<${to}|${words.replaceAll("|", " ")}>`);

/** `1712345678.000200` in microseconds; grows with every edit. */
export function micros(ts: string): number {
  const [seconds = "0", fraction = ""] = ts.split(".", 2);
  return Number(seconds) * 1_000_000 + Number(fraction.padEnd(6, "0"));
}
export const millis = (ts: string): number => Math.floor(micros(ts) / 1000);
/** Slack's id of a message, which is its time. */
export const isStamp = (ts: unknown): ts is string => typeof ts === "string" && /^\d{1,12}\.\d{1,6}$/.test(ts);
