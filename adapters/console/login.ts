/**
 * Signing in, where the console has a token. Without one everybody who can reach it is let in: it then listens on loopback only.
 *
 * T1. The token is compared in constant time, and after ten wrong ones nobody signs in for a minute.
 * T2. The cookie is no token: it is made of it, so it outlives a restart and dies with the token. Scripts and other sites never get it.
 * T3. A program that reads the metrics shows the token itself, and nothing else opens to it.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";

const COOKIE = "console";
const DAYS = 30;
const TRIES = 10;

export interface Login {
  required: boolean;
  signedIn(c: Context): boolean;
  /** The token itself in the header of a program, which keeps no cookies. */
  bears(c: Context, now: number): boolean;
  /** Sets the cookie if the token is right. */
  signIn(c: Context, token: string, now: number): "yes" | "no" | "later";
  signOut(c: Context): void;
}

export function login(token: string | undefined): Login {
  const pass = token === undefined ? "" : createHmac("sha256", token).update("console session").digest("base64url");
  let wrong: number[] = [];
  const tooMany = (now: number): boolean => {
    wrong = wrong.filter((at) => at > now - 60_000);
    return wrong.length >= TRIES;
  };
  return {
    required: token !== undefined,
    signedIn: (c) => token === undefined || same(getCookie(c, COOKIE) ?? "", pass),
    bears: (c, now) => {
      const given = /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1];
      if (given === undefined || token === undefined || tooMany(now)) return false;
      if (same(given, token)) return true;
      wrong.push(now);
      return false;
    },
    signIn: (c, given, now) => {
      if (tooMany(now)) return "later";
      if (token === undefined || !same(given, token)) {
        wrong.push(now);
        return "no";
      }
      const secure = c.req.header("origin")?.startsWith("https:") ?? false;
      setCookie(c, COOKIE, pass, { httpOnly: true, sameSite: "Strict", path: "/", maxAge: DAYS * 86_400, secure });
      return "yes";
    },
    signOut: (c) => void deleteCookie(c, COOKIE, { path: "/" }),
  };
}

/** Digests first: they have one length, whatever was given. */
function same(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

const OPEN = /^\/(login|healthz|static\/[^/]*)$/;

export function checkLogin(gate: Login): MiddlewareHandler {
  return async (c, next) => {
    if (OPEN.test(c.req.path) || gate.signedIn(c)) return next();
    if (c.req.path === "/metrics" && gate.bears(c, Date.now())) return next();
    const page = c.req.method === "GET" && c.req.header("accept")?.includes("text/html");
    return page ? c.redirect("/login", 303) : c.json({ error: "Sign in first." }, 401);
  };
}
