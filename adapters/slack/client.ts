/**
 * The clients that call Slack's Web API.
 *
 * W1. They retry nothing: who called decides. A rate limit is an answer, and pauses nobody else's calls.
 * W2. What changes often (status, progress) has a client of its own, so that it never stands before an answer or a card.
 * W3. The token is asked for at each call: a team's may be replaced while it is served.
 */
import { type Logger, LogLevel, webApi } from "@slack/bolt";
import type { Log } from "../../src/core/ports.ts";
import type { Scrub } from "../shared/scrubbed.ts";

export interface Clients {
  /** Posts, edits, forms. */
  main: webApi.WebClient;
  /** Status and progress. */
  live: webApi.WebClient;
  /** Look-ups: people, channels, histories. */
  look: webApi.WebClient;
}

export type Token = () => Promise<string>;

/** `workspace`: of an organisation's token, the one that is meant. Other tokens mean their own. */
export function clients(token: Token, apiUrl: string | undefined, logger: Logger, workspace?: string): Clients {
  const fetch: webApi.FetchFunction = async (url, init) => {
    const authorization = `Bearer ${await token()}`;
    return globalThis.fetch(url, { ...(init as RequestInit), headers: { ...init?.headers, authorization } });
  };
  const meant = workspace === undefined ? {} : { teamId: workspace };
  const make = (timeout: number) => new webApi.WebClient(undefined, { ...options(apiUrl, logger), ...meant, fetch, timeout });
  return { main: make(15_000), live: make(5000), look: make(10_000) };
}

export const options = (apiUrl: string | undefined, logger: Logger): webApi.WebClientOptions => ({
  ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  timeout: 10_000,
  logger,
});

/** Slack's libraries speak into the product's log, scrubbed; what they say for debugging is dropped, it holds whole messages. */
export function logger(log: Log, scrub: Scrub): Logger {
  const sentence = (words: unknown[]) =>
    scrub(words.map((word) => (word instanceof Error ? word.message : String(word))).join(" ")).slice(0, 500);
  return {
    debug: () => {},
    info: () => {},
    warn: (...words) => log.warn({ from: "slack library" }, sentence(words)),
    error: (...words) => log.warn({ from: "slack library" }, sentence(words)),
    getLevel: () => LogLevel.WARN,
    setLevel: () => {},
    setName: () => {},
  };
}
