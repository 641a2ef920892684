/**
 * What a failed request means for the turn. Pure: from anything that was thrown to one of the port's kinds.
 *
 * F1. Whatever is not known for certain to need a person is worth another try: a cut in a stream comes as a bare error without a status.
 * F2. The cause of an error counts as much as the error itself.
 */
import type { Answer } from "../core/ports.ts";

export type Failure = Extract<Answer, { ok: false }>;

interface Facts {
  status: number | undefined;
  type: string | undefined;
  headers: { get(name: string): string | null } | undefined;
  text: string;
}

const OVERFLOW = /prompt is too long|context[ _-]?(window|length|limit)|maximum context/i;
const BILLING = /credit balance|billing/i;
const KINDS: Record<string, Failure["kind"]> = {
  authentication_error: "auth",
  permission_error: "auth",
  billing_error: "billing",
  request_too_large: "too_large",
  invalid_request_error: "invalid",
  not_found_error: "invalid",
};
const LONGEST = 600;

export function failureOf(thrown: unknown, scrub: (text: string) => string, now: number): Failure {
  const facts = factsOf(thrown);
  const kind = kindOf(facts);
  const wait = kind === "retry" ? retryAfter(facts.headers, now) : undefined;
  const request = facts.headers?.get("request-id");
  const code = [facts.status, facts.type].filter(Boolean).join(" ");
  const detail = `The model request failed${code && ` with ${code}`}: ${facts.text}${request ? ` (request ${request})` : ""}`;
  return { ok: false, kind, detail: scrub(detail).slice(0, LONGEST), ...(wait !== undefined && { retryAfter: wait }) };
}

function kindOf({ status, type, text }: Facts): Failure["kind"] {
  const refused = status === undefined ? type !== undefined && type in KINDS : status < 500 && ![408, 409, 429].includes(status);
  if (!refused) return "retry";
  if (OVERFLOW.test(text)) return "overflow";
  if (status === 402 || type === "billing_error" || (status !== 401 && BILLING.test(text))) return "billing";
  if (status === 401 || status === 403) return "auth";
  if (status === 413) return "too_large";
  return (type && status === undefined && KINDS[type]) || "invalid";
}

/** The first status, type and headers along the chain of causes, and all its words. */
function factsOf(thrown: unknown): Facts {
  const facts: Facts = { status: undefined, type: undefined, headers: undefined, text: "" };
  const words: string[] = [];
  for (let error = thrown, depth = 0; error !== undefined && error !== null && depth < 5; depth++) {
    const link = Object(error) as Partial<Record<"status" | "type" | "headers" | "message" | "apiMessage" | "code" | "cause", unknown>>;
    if (typeof link.status === "number") facts.status ??= link.status;
    if (typeof link.type === "string") facts.type ??= link.type;
    if (link.headers instanceof Headers) facts.headers ??= link.headers;
    words.push(String(link.apiMessage ?? link.message ?? error));
    if (typeof link.code === "string") words.push(link.code);
    error = link.cause;
  }
  facts.text = [...new Set(words.filter(Boolean))].join(": ");
  return facts;
}

/** Milliseconds, from `retry-after-ms`, or from `retry-after` in seconds or as a date. */
export function retryAfter(headers: Facts["headers"], now: number): number | undefined {
  const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (exact >= 0) return exact;
  const value = headers?.get("retry-after");
  if (!value) return undefined;
  const wait = /^\s*[\d.]+\s*$/.test(value) ? Number.parseFloat(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}
