/**
 * The console's routes. Each is a few lines: what may ask is the guard's, what is done the desk's, what is shown the page's.
 */

import type { Context } from "hono";
import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { streamSSE } from "hono/streaming";
import type { Log } from "../../src/core/ports.ts";
import { UserError } from "../../src/core/ports.ts";
import { asset } from "./assets.ts";
import type { Desk } from "./desk.ts";
import { checkHeader, checkHost, checkSite, headers, limitBody, type Names, type Refuse } from "./guard.ts";
import { follow } from "./live.ts";
import { checkLogin, type Login, login } from "./login.ts";
import { lookOf } from "./look.ts";
import { LoginPage, type Shown, SorryPage, ThreadPage } from "./page.tsx";
import type { Outcome } from "./reply.ts";
import { readPress, readWrite } from "./request.ts";
import type { Streams } from "./streams.ts";
import { FormBody } from "./view.tsx";

export interface House {
  names: Names;
  token: string | undefined;
  log: Log;
  streams: Streams;
  health(): Record<string, { ok: boolean; detail: string }>;
  /** Undefined while the console takes nothing: before it is started, and once it stops. */
  desk(): Desk | undefined;
  knows(thread: string): boolean;
  show(look: Shown["look"], signedIn: boolean): Promise<Shown>;
}

export function app(house: House): Hono {
  const gate = login(house.token);
  const site = new Hono();
  site.use(headers(), checkHost(house.names, refuse), checkSite(refuse), checkLogin(gate), limitBody(refuse));
  site.use("/messages", checkHeader(refuse));
  site.use("/clicks", checkHeader(refuse));

  site.get("/healthz", (c) => {
    const adapters = house.health();
    const ok = Object.values(adapters).every((adapter) => adapter.ok);
    return c.json({ status: ok ? "ok" : "failing", adapters }, ok ? 200 : 503);
  });
  site.get("/static/:name", (c) => {
    const file = asset(c.req.param("name"));
    if (!file) return c.notFound();
    return c.body(file.body, 200, { "content-type": file.type, "cache-control": "public, max-age=31536000, immutable" });
  });

  signIn(site, gate);

  site.get("/", async (c) => page(c, <ThreadPage {...(await house.show(lookOf("", c.req.query()), gate.required))} />));
  site.get("/threads/:thread", async (c) => {
    const thread = c.req.param("thread");
    if (!house.knows(thread)) return c.notFound();
    return page(c, <ThreadPage {...(await house.show(lookOf(thread, c.req.query()), gate.required))} />);
  });
  site.get("/live", (c) => live(c, house, gate.required));

  site.post("/messages", async (c) => {
    const asked = readWrite(await body(c));
    if (typeof asked === "string") return c.json({ error: asked }, 400);
    if (asked.thread && !house.knows(asked.thread)) return c.json({ error: "This thread is not kept any more." }, 404);
    return act(c, house, (desk) => desk.write(asked.person, asked.thread, asked.id, asked.text));
  });
  site.post("/clicks", async (c) => {
    const press = readPress(await body(c));
    if (typeof press === "string") return c.json({ error: press }, 400);
    return act(c, house, (desk) => desk.press(press));
  });

  site.notFound((c) => sorry(c, 404, "There is nothing here", "This page does not exist, or the thread is not kept any more."));
  site.onError((error, c) => {
    const id = fail(house.log, error, c);
    return sorry(
      c,
      500,
      "Something went wrong",
      `That is a fault of Denizen, and it is in its log as ${id}. Nothing that you wrote is lost.`,
    );
  });
  return site;
}

/** The token's form, and the way out. */
function signIn(site: Hono, gate: Login): void {
  site.get("/login", (c) => page(c, <LoginPage />));
  site.post("/login", async (c) => {
    const { token } = await c.req.parseBody();
    const verdict = gate.signIn(c, typeof token === "string" ? token.trim() : "", Date.now());
    if (verdict === "yes") return c.redirect("/", 303);
    const trouble = verdict === "no" ? "That is not the token." : "Too many wrong tokens. Wait a minute, then try again.";
    return page(c, <LoginPage trouble={trouble} />, verdict === "no" ? 403 : 429);
  });
  site.post("/logout", (c) => {
    gate.signOut(c);
    return c.redirect("/login", 303);
  });
}

const page = (c: Context, element: Child, status: 200 | 400 | 403 | 404 | 413 | 429 | 500 = 200): Response =>
  c.body(`<!doctype html>${String(element)}`, status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });

function sorry(c: Context, status: 400 | 403 | 404 | 413 | 500, title: string, why: string): Response {
  const wantsPage = c.req.method === "GET" && c.req.header("accept")?.includes("text/html");
  return wantsPage ? page(c, <SorryPage title={title} why={why} />, status) : c.json({ error: why }, status);
}

const refuse: Refuse = (c, status, why) => sorry(c, status, "That is not possible", why);

const body = (c: Context): Promise<unknown> => c.req.json().catch(() => undefined);

function fail(log: Log, error: unknown, c: Context): string {
  const id = Math.random().toString(36).slice(2, 8);
  log.error({ error, id, path: c.req.path }, "the console could not answer a request");
  return id;
}

/** Does something for a person, and tells the page what comes of it. */
async function act(c: Context, house: House, work: (desk: Desk) => Promise<Outcome>): Promise<Response> {
  const desk = house.desk();
  if (!desk) return c.json({ error: "Denizen is stopping. Try again in a moment." }, 503);
  try {
    const { form, ...outcome } = await work(desk);
    return c.json({ ...outcome, ...(form ? { form: String(<FormBody {...form} />) } : {}) });
  } catch (error) {
    const id = fail(house.log, error, c);
    const why =
      error instanceof UserError ? error.message : `Denizen could not take this (it is in its log as ${id}). Try again in a moment.`;
    return c.json({ error: why }, 503);
  }
}

function live(c: Context, house: House, signedIn: boolean): Response {
  const thread = c.req.query("thread") ?? "";
  // A HEAD would hold a stream that nobody reads and nobody ends.
  if (c.req.method !== "GET" || (thread && !house.knows(thread))) return c.json({ error: "There is nothing to follow." }, 404);
  const stream = house.streams.open(thread);
  if (!stream) return c.json({ error: "Too many pages of this console are open." }, 503);
  const look = lookOf(thread, c.req.query());
  c.header("x-accel-buffering", "no");
  return streamSSE(
    c,
    async (sse) => {
      sse.onAbort(() => stream.end());
      const draw = async () => (await house.show(look, signedIn)).regions;
      await follow(stream, draw, (event, data) => sse.writeSSE({ event, data })).finally(() => stream.end());
    },
    async (error) => void fail(house.log, error, c),
  );
}
