/**
 * The door of the console: who may ask it anything at all.
 *
 * G1. It answers only to names of its own (a page that rebinds its own name to this address is refused), health checks included.
 * G2. Nothing changes but by a POST of a page of its own: the Origin must be the address asked, and a header must be there that no
 *     form can send and no other site may. Neither dies with the process, so a page that was open at a restart goes on working.
 * G3. Other sites' pages can neither frame nor embed it, nor hold its streams open. No page of it runs a script that is not its file.
 * G4. No body is larger than a megabyte, but for a file that is uploaded.
 */
import { isIP } from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { secureHeaders } from "hono/secure-headers";

export const HEADER = "x-console";
const BODY = 1_000_000;

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export const isLoopback = (host: string): boolean => LOOPBACK.has(host) || LOOPBACK.has(`[${host}]`) || /^127\.\d+\.\d+\.\d+$/.test(host);

export interface Names {
  /** What it listens on. */
  host: string;
  /** Where the outside reaches it, if somebody said so. */
  publicUrl?: string | undefined;
}

/** Refusals are sentences: whoever reads them is looking at a browser or a log. */
export type Refuse = (c: Context, status: 400 | 403 | 413, why: string) => Response | Promise<Response>;

export function ownNames({ host, publicUrl }: Names): (name: string) => boolean {
  const given = [host.toLowerCase(), `[${host.toLowerCase()}]`, publicUrl && URL.canParse(publicUrl) ? new URL(publicUrl).hostname : host];
  const anyAddress = !isLoopback(host);
  // An address cannot be rebound: only a name can come to mean another machine.
  return (name) => LOOPBACK.has(name) || given.includes(name) || (anyAddress && isIP(name.replace(/^\[|\]$/g, "")) !== 0);
}

export function checkHost(names: Names, refuse: Refuse): MiddlewareHandler {
  const own = ownNames(names);
  return async (c, next) => {
    const asked = addressOf("http:", c.req.header("host") ?? "");
    if (!asked) return refuse(c, 400, "The request does not say which address it is for.");
    if (!own(asked.hostname)) {
      return refuse(
        c,
        403,
        `This console does not answer to the name ${asked.hostname}. Open it by its own address, or set PUBLIC_URL to the one you use.`,
      );
    }
    return next();
  };
}

export function checkSite(refuse: Refuse): MiddlewareHandler {
  return async (c, next) => {
    const site = c.req.header("sec-fetch-site");
    const reading = c.req.method === "GET" || c.req.method === "HEAD";
    if (reading && (!site || site === "same-origin" || site === "none" || c.req.header("sec-fetch-mode") === "navigate")) return next();
    if (reading) return refuse(c, 403, "Other sites may not load parts of this console.");
    const [scheme = "", name = ""] = c.req.header("origin")?.split("//") ?? [];
    const origin = addressOf(scheme, name);
    if (!origin || origin.host !== addressOf(scheme, c.req.header("host") ?? "")?.host) {
      return refuse(c, 403, "Only pages of this console may change something in it.");
    }
    return next();
  };
}

/** For whatever a script of ours posts; the sign-in form has the Origin only. */
export function checkHeader(refuse: Refuse): MiddlewareHandler {
  return async (c, next) => {
    const json = c.req.header("content-type")?.split(";", 1)[0]?.trim() === "application/json";
    return json && c.req.header(HEADER) ? next() : refuse(c, 403, "Only pages of this console may change something in it.");
  };
}

/** The same for bytes that a script of ours uploads. */
export const checkPage =
  (refuse: Refuse): MiddlewareHandler =>
  async (c, next) =>
    c.req.header("content-type") === "application/octet-stream" && c.req.header(HEADER)
      ? next()
      : refuse(c, 403, "Only pages of this console may change something in it.");

/** `but`: a path that bounds its bodies itself. */
export function limitBody(refuse: Refuse, but: string): MiddlewareHandler {
  const limit = bodyLimit({ maxSize: BODY, onError: async (c) => refuse(c, 413, "That is too large: a megabyte is the most.") });
  return (c, next) => (c.req.path === but ? next() : limit(c, next));
}

export const headers = (): MiddlewareHandler =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: "DENY",
    // Not `no-referrer`: with it a browser would hide the Origin of our own sign-in form.
    referrerPolicy: "same-origin",
    strictTransportSecurity: false,
    permissionsPolicy: { camera: [], microphone: [], geolocation: [] },
  });

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The scheme matters to a port that goes without saying. */
function addressOf(scheme: string, host: string): URL | undefined {
  const url = `${scheme}//${host}`;
  return /^https?:$/.test(scheme) && HOST.test(host) && URL.canParse(url) ? new URL(url) : undefined;
}
