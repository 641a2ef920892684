/**
 * What became of a call to Discord, as a value.
 *
 * O1. Only what Discord itself said, or a connection that never stood, is certain. A server's trouble and a cut are not.
 * O2. A rate limit is certain: what the library holds back was never sent, what Discord refused was not done.
 */
import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { attempting, type Failure, NEVER_SENT } from "../shared/failure.ts";

/** Discord's own codes that are met here, by what they mean. */
export const CODE = {
  unknownChannel: "10003",
  unknownGuild: "10004",
  unknownMember: "10007",
  unknownMessage: "10008",
  unknownInteraction: "10062",
  tooManyOldEdits: "30046",
  answeredAlready: "40060",
  noAccess: "50001",
  closedToUs: "50007",
  noPermission: "50013",
  noThreadsHere: "50024",
  archived: "50083",
  threadIsThere: "160004",
  tooManyThreads: "160006",
} as const;

/** Why, in words, where what mends it is known. */
const WORDS: Record<string, string> = {
  [CODE.noAccess]: "Discord does not let me into this channel: it wants the right “View Channels” for me",
  [CODE.noPermission]:
    "Discord does not let me do this here: I lack a right in this channel, such as “Send Messages”, “Send Messages in Threads”, “Embed Links” or “Attach Files”",
  [CODE.closedToUs]: "Discord does not let me write to this person: their direct messages are closed to me",
  [CODE.archived]: "this thread is archived, and was locked by a moderator",
};

export const attempt = attempting(failure);

export function failure(error: unknown): Failure {
  if (error instanceof RateLimitError) {
    const told = [error.retryAfter, error.timeToReset, error.sublimitTimeout].filter(Number.isFinite);
    const wait = Math.max(100, ...told);
    return { ok: false, unsure: false, retryIn: Math.ceil(wait), code: "429", reason: "Discord limits the rate." };
  }
  if (error instanceof DiscordAPIError) return refusal(error);
  if (error instanceof HTTPError) return unclear("http", `Discord has trouble (status ${error.status}).`);
  if (error instanceof Error && /^Expected token to be set/.test(error.message))
    return { ok: false, unsure: false, retryIn: 60_000, code: "401", reason: "Discord refuses the token." };
  return network(error);
}

const unclear = (code: string, reason: string): Failure => ({ ok: false, unsure: true, retryIn: 2000, code, reason });

function refusal({ status, code, message }: DiscordAPIError): Failure {
  // A page of some proxy carries no code: it says nothing about what Discord did.
  if (code === undefined || typeof code === "string")
    return unclear("unreadable", `Discord's answer could not be read (status ${status}).`);
  const said = `${message.replace(/\s+/g, " ").slice(0, 200)}, ${code}`;
  if (status === 401) return { ok: false, unsure: false, retryIn: 60_000, code: "401", reason: "Discord refuses the token." };
  if (status >= 500 || status === 408) return unclear(String(code), `Discord has trouble (${said}).`);
  return { ok: false, unsure: false, retryIn: null, code: String(code), reason: `${WORDS[code] ?? "Discord refused it"} (${said}).` };
}

function network(error: unknown): Failure {
  const found = error instanceof Error ? error : new Error(String(error));
  const cause = "code" in found ? found : ((found.cause as object | undefined) ?? {});
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : found.name;
  if (NEVER_SENT.has(code)) return { ok: false, unsure: false, retryIn: 2000, code, reason: `Discord cannot be reached (${code}).` };
  return unclear(code, found.name === "AbortError" ? "Discord did not answer in time." : `The connection to Discord broke (${code}).`);
}
