/**
 * What became of a call to Slack, as a value.
 *
 * O1. `certain`: Slack did not do it. `unsure`: it may have. Only what Slack itself said, or a connection that never stood, is certain.
 */
import { RespondError, webApi } from "@slack/bolt";
import { attempting, type Failure, NEVER_SENT } from "../shared/failure.ts";

/** Slack's own troubles: said after it may have done the work. */
const TROUBLES = new Set(["internal_error", "fatal_error", "service_unavailable", "request_timeout"]);
/** Refusals that pass by themselves. */
const PASSING = new Set([
  "ratelimited",
  "rate_limited",
  "message_limit_exceeded",
  "team_added_to_org",
  "accesslimited",
  "streaming_state_conflict",
]);
/** The token is no longer worth anything. */
const REVOKED = new Set(["invalid_auth", "token_revoked", "token_expired", "account_inactive", "not_authed", "team_access_not_granted"]);
/** Nothing can be said there: about the place, not about what was said. */
const ELSEWHERE = new Set([
  "channel_not_found",
  "thread_not_found",
  "not_in_channel",
  "is_archived",
  "invalid_thread_ts",
  "restricted_action",
]);
export const elsewhere = (code: string): boolean => ELSEWHERE.has(code);
export const revoked = (code: string): boolean => REVOKED.has(code);

export const attempt = attempting(failure);

export function failure(error: unknown): Failure {
  if (error instanceof webApi.WebAPIRateLimitedError) {
    return {
      ok: false,
      unsure: false,
      retryIn: Math.max(1, error.retryAfter) * 1000,
      code: "ratelimited",
      reason: "Slack limits the rate.",
    };
  }
  if (error instanceof webApi.WebAPIPlatformError) return platform(error.data);
  if (error instanceof webApi.WebAPIRequestError) return network(error.original);
  if (error instanceof webApi.WebAPIHTTPError || error instanceof RespondError) {
    const { statusCode } = error;
    const unsure = statusCode >= 500 || statusCode === 408;
    return { ok: false, unsure, retryIn: unsure ? 2000 : 30_000, code: "http", reason: `Slack answered with status ${statusCode}.` };
  }
  // As fetch itself says it, where no client of Slack's stands between.
  if (error instanceof TypeError && error.cause !== undefined) return network(error);
  return { ok: false, unsure: true, retryIn: 2000, code: "unknown", reason: error instanceof Error ? error.message : String(error) };
}

function platform(data: { error?: string; needed?: string; response_metadata?: { messages?: string[] } }): Failure {
  const code = data.error ?? "unknown";
  // What is no code was no answer of Slack's API: a proxy's page, or a cut body.
  if (!/^[a-z0-9_]{1,60}$/.test(code))
    return { ok: false, unsure: true, retryIn: 2000, code: "unreadable", reason: "Slack's answer could not be read." };
  if (TROUBLES.has(code)) return { ok: false, unsure: true, retryIn: 2000, code, reason: `Slack has trouble (${code}).` };
  if (PASSING.has(code)) return { ok: false, unsure: false, retryIn: 30_000, code, reason: `Slack takes nothing for a while (${code}).` };
  if (REVOKED.has(code)) return { ok: false, unsure: false, retryIn: 60_000, code, reason: `Slack refuses the token (${code}).` };
  const detail = data.needed
    ? `, needs the scope ${data.needed}`
    : (data.response_metadata?.messages ?? [])
        .slice(0, 3)
        .map((line) => `; ${line}`)
        .join("");
  return { ok: false, unsure: false, retryIn: null, code, reason: `Slack refused it (${code}${detail}).` };
}

function network(original: Error): Failure {
  const cause = original.cause as { code?: unknown } | undefined;
  const code = typeof cause?.code === "string" ? cause.code : original.name;
  const unsure = !NEVER_SENT.has(code);
  return {
    ok: false,
    unsure,
    retryIn: 2000,
    code,
    reason: unsure ? `The connection to Slack broke (${code}).` : `Slack cannot be reached (${code}).`,
  };
}
