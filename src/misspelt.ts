/** Variables that nobody reads because their name is not quite one of ours, so that what somebody meant to set is not silently left out. */
import { SETTINGS } from "./config.ts";
import { distance, nearest } from "./core/nearest.ts";

export interface Misspelt {
  text: string;
  /** A letter or two are other: hardly anything else is meant. */
  near: boolean;
}

const OURS = /^(?:SLACK|DISCORD|CONSOLE)_/;
/** A name with any other word belongs to somebody else, such as a tool server: `SLACK_MCP_XOXP_TOKEN`. */
const WORDS = new Set(SETTINGS.flatMap((name) => name.split("_")));
const [SHORTEST, FAR] = [7, 2];

export function misspelt(env: Record<string, string | undefined>): Misspelt[] {
  return Object.keys(env).flatMap((name) => {
    if (SETTINGS.includes(name)) return [];
    const meant = nearest(name, SETTINGS);
    const near = name.length >= SHORTEST && distance(name, meant) <= FAR;
    const ours = OURS.test(name) && name.split("_").every((word) => WORDS.has(word));
    return near || ours ? [{ text: `${name} is set, and nothing reads it. Did you mean ${meant}?`, near }] : [];
  });
}
