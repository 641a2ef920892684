/**
 * The console's routes. Each is a few lines: what may ask is the guard's, what is done the desk's, what is shown the page's.
 */

import type { Context } from "hono";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { type Log, type Operator, UserError } from "../../src/core/ports.ts";
import { body, fail, page } from "./answer.ts";
import { asset } from "./assets.ts";
import type { Desk } from "./desk.ts";
import { checkHeader, checkHost, checkSite, headers, limitBody, type Names, type Refuse } from "./guard.ts";
import { follow } from "./live.ts";
import { checkLogin, type Login, login } from "./login.ts";
import { lookOf } from "./look.ts";
import { LoginPage, type Shown, SorryPage, ThreadPage } from "./page.tsx";
import { operatorActs } from "./pages/acts.tsx";
import { operatorPages } from "./pages/routes.tsx";
import type { Outcome } from "./reply.ts";
import { readPress, readWrite } from "./request.ts";
import type { Store } from "./store.ts";
import type { Streams } from "./streams.ts";
import { transfer, UPLOADS } from "./transfer.ts";
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
  /** Of others than the console itself, in which the operator may begin threads. */
  homes(): Promise<string[]>;
  /** The files of threads; undefined before the start. */
  store(): Store | undefined;
  show(look: Shown["look"], signedIn: boolean): Promise<Shown>;
  notice(): string | undefined;
  /** Undefined: there is only the chat. */
  operator: Operator | undefined;
  /** In the text form that Prometheus reads. */
  metrics: (() => string) | undefined;
  /** Asked before the guard, with a guard of its own. */
  door?: Door | undefined;
}
export type Door = (request: Request) => Promise<Response | undefined>;

export function app(house: House): Hono {
  const gate = login(house.token);
  const site = new Hono();
  site.use(async (c, next) => (await house.door?.(c.req.raw)) ?? next());
  site.use(headers(), checkHost(house.names, refuse), checkSite(refuse), checkLogin(gate), limitBody(refuse, UPLOADS));
  site.use("/messages", checkHeader(refuse));
  site.use("/clicks", checkHeader(refuse));
  site.use("/acts/*", checkHeader(refuse));

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

  const { metrics, operator } = house;
  if (metrics) site.get("/metrics", (c) => c.body(metrics(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }));
  signIn(site, gate);
  if (operator) {
    const see = operatorPages(site, { ...house, operator, all: gate.required });
    operatorActs(site, { ...house, operator }, see);
  }

  site.get("/", async (c) => page(c, <ThreadPage {...(await house.show(lookOf("", c.req.query()), gate.required))} />));
  site.get("/threads/:thread", async (c) => {
    const thread = c.req.param("thread");
    if (!house.knows(thread)) return c.notFound();
    return page(c, <ThreadPage {...(await house.show(lookOf(thread, c.req.query()), gate.required))} />);
  });
  site.get("/live", (c) => live(c, house, gate.required));

  chat(site, house);
  transfer(site, { store: house.store, log: house.log, refuse });

  site.notFound((c) => sorry(c, 404, "There is nothing here", "This page does not exist, or the thread is not kept any more."));
  site.onError((error, c) => {
    if (error instanceof UserError) return sorry(c, 503, "This cannot be shown now", error.message);
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

/** What people write and press in the chat. */
function chat(site: Hono, house: House): void {
  site.post("/messages", async (c) => {
    const asked = readWrite(await body(c));
    if (typeof asked === "string") return c.json({ error: asked }, 400);
    if (asked.thread && !house.knows(asked.thread)) return c.json({ error: "This thread is not kept any more." }, 404);
    if (asked.home && !(await house.homes()).includes(asked.home)) return c.json({ error: "There is no such home." }, 404);
    return act(c, house, (desk) => desk.write(asked.person, asked.thread, asked));
  });
  site.post("/clicks", async (c) => {
    const press = readPress(await body(c));
    if (typeof press === "string") return c.json({ error: press }, 400);
    return act(c, house, (desk) => desk.press(press));
  });
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

function sorry(c: Context, status: 400 | 403 | 404 | 413 | 500 | 503, title: string, why: string): Response {
  const wantsPage = c.req.method === "GET" && c.req.header("accept")?.includes("text/html");
  return wantsPage ? page(c, <SorryPage title={title} why={why} />, status) : c.json({ error: why }, status);
}

const refuse: Refuse = (c, status, why) => sorry(c, status, "That is not possible", why);

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
