/**
 * What an error of the library means: whether what was asked for ran, and in what words that is told. Pure.
 *
 * E1. Only what certainly never reached the server's tool counts as not run.
 */
export interface Fate {
  /**
   * `refused`: the server answered with an error. `signin`: it wants a sign-in, or more rights. `expired`: it has ended the session.
   * `unreached`: nobody was there. `lost`: the line broke. `late`: no answer in time. `garbled`: an answer that is none.
   */
  is: "refused" | "signin" | "expired" | "unreached" | "lost" | "late" | "garbled";
  ran: "no" | "unknown";
  why: string;
}

/** The time for something was over. */
export class Late extends Error {}

const UNREACHED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);
export const NO_MESSAGE = "what the server answered is no message of the protocol";
const garbled: Fate = { is: "garbled", ran: "unknown", why: NO_MESSAGE };
const LONGEST = 300;
const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text).replace(/\s+/g, " ");

interface Known {
  name?: string;
  message?: string;
  code?: number;
  reason?: string;
}

export function fateOf(error: unknown, timeout: number): Fate {
  const { name, message = String(error), code, reason: cause } = (error ?? {}) as Known;
  const words = short(message);
  const late: Fate = { is: "late", ran: "unknown", why: `no answer came within ${timeout / 1000} s` };
  if (error instanceof Late) return late;
  if (name === "McpError") {
    // The library's own two; a server may use their numbers for something else.
    const [closed, reason = ""] = /Connection closed(?:: (.*))?$/s.exec(message) ?? [];
    if (closed) return { is: "lost", ran: "unknown", why: `the server ended during the call${reason && `: ${short(reason)}`}` };
    if (/Request timed out$|Maximum total timeout exceeded$/.test(message)) return late;
    return message.includes(NO_MESSAGE) ? garbled : { is: "refused", ran: "no", why: words };
  }
  if (isUnauthorized(error)) return { is: "signin", ran: "no", why: "it wants somebody to sign in" };
  const status = statusOf(code, message);
  if (status !== undefined) return answered(status, words);
  if (cause !== undefined && UNREACHED.has(cause)) return { is: "unreached", ran: "no", why: words };
  if (name === "SyntaxError" || /ZodError$/.test(name ?? "") || /^\s*\[\s*\{|Unexpected content type/.test(message)) return garbled;
  return { is: "lost", ran: "unknown", why: words };
}

export const isUnauthorized = (error: unknown): boolean => error instanceof Error && error.constructor.name === "UnauthorizedError";

/** The status of an HTTP answer, where an error is about one. */
export function statusOf(code: number | undefined, message: string): number | undefined {
  if (code !== undefined && code >= 100 && code < 600) return code;
  const [, told] = /\(HTTP (\d{3})\)/.exec(message) ?? [];
  return told ? Number(told) : undefined;
}

function answered(status: number, words: string): Fate {
  if (status === 404) return { is: "expired", ran: "unknown", why: "the server has ended the session" };
  if (status === 401 || status === 403) return { is: "signin", ran: "no", why: `it refused what it was shown (HTTP ${status})` };
  if (status === 429) return { is: "refused", ran: "no", why: "it was asked too often (HTTP 429)" };
  const said = words.replace(/^Streamable HTTP error: |Error POSTing to endpoint(: | \(HTTP \d+\): )?/g, "");
  return { is: "refused", ran: status < 500 ? "no" : "unknown", why: `it answered with HTTP ${status}${said ? `: ${said}` : ""}` };
}
