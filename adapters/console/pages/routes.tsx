/** The operator's pages: which address shows what. Each is a few lines: what is there is the port's, how it looks the page's. */
import type { Context, Hono } from "hono";
import type { Log, Operator, SessionRow } from "../../../src/core/ports.ts";
import { isPrivate } from "../../../src/core/scope.ts";
import { page } from "../answer.ts";
import { ApprovalsPage } from "./approvals.tsx";
import { GrantsPage, WhyPage } from "./facts.tsx";
import { ChangePage, ChangesPage, FilesPage, type Opened } from "./files.tsx";
import { MemoryChangesPage, MemoryPage } from "./memory.tsx";
import { HomesPage, OverviewPage } from "./overview.tsx";
import { SessionPage } from "./session.tsx";
import { SessionsPage, TodosPage } from "./sessions.tsx";
import { numberOf, type Sight, sight } from "./sight.ts";
import { StepPage } from "./step.tsx";
import { isGroup, SPANS, UsagePage } from "./usage.tsx";

export interface OperatorHouse {
  operator: Operator;
  /** All homes, not only the console's own. */
  all: boolean;
  log: Log;
  health(): Record<string, { ok: boolean; detail: string }>;
  notice(): string | undefined;
}

/** Sessions looked through for those that are under way. */
const RUNNING = 4;
const WORDS = 100;
const DAY = 86_400_000;

export function operatorPages(site: Hono, house: OperatorHouse): Sight {
  const see = sight(house.operator, house.all, house.log);
  overview(site, house, see);
  talks(site, house, see);
  files(site, house, see);
  facts(site, house, see);
  return see;
}

function overview(site: Hono, { operator, health, notice }: OperatorHouse, see: Sight): void {
  site.get("/overview", async (c) => {
    const at = await see.at(c, "overview");
    const [homes, today, lists] = await Promise.all([
      operator.homes(at.homes),
      operator.usage(at.homes, 1),
      Promise.all(at.homes.map(async (home) => ({ home, rows: await underWay(operator, home) }))),
    ]);
    const running = lists.flatMap(({ home, rows }) => rows.map((row) => ({ home, row })));
    const servers = at.homes.flatMap((home) => operator.servers?.(home) ?? []);
    return page(c, <OverviewPage {...{ at, homes, today, servers, health: health(), notice: notice() }} running={running.slice(0, 25)} />);
  });
  site.get("/homes", async (c) => {
    const at = await see.at(c, "homes");
    const from = numberOf(c, "page");
    return page(c, <HomesPage at={at} homes={await operator.homes(at.homes)} page={from} />);
  });
  site.get("/usage", async (c) => {
    const at = await see.at(c, "usage");
    const span = SPANS.find((days) => days === numberOf(c, "days")) ?? 30;
    const by = c.req.query("by");
    const days = Array.from({ length: span }, (_, i) => new Date(Date.now() - (span - 1 - i) * DAY).toISOString().slice(0, 10));
    const rows = await operator.usage(at.homes, span);
    return page(c, <UsagePage {...{ at, rows, days }} by={isGroup(by) ? by : "model"} page={numberOf(c, "page")} />);
  });
  site.get("/approvals", async (c) => {
    const at = await see.at(c, "approvals");
    const all = (await Promise.all(at.homes.map((home) => operator.approvals(home)))).flat();
    const open = all.some(({ scope }) => isPrivate(scope)) && see.opened(c, { what: "approvals of all homes" });
    return page(c, <ApprovalsPage at={{ ...at, home: "" }} all={all} page={numberOf(c, "page")} open={open} />);
  });
  site.get("/waiting", async (c) => {
    const { waiting } = await see.at(c, "approvals");
    return c.json({ waiting }, 200, { "cache-control": "no-store" });
  });
}

async function underWay(operator: Operator, home: string): Promise<SessionRow[]> {
  const { items } = await operator.sessions(home, { words: "", page: 0 });
  return items.filter(({ settled }) => !settled).slice(0, RUNNING);
}

function talks(site: Hono, { operator }: OperatorHouse, see: Sight): void {
  site.get("/sessions", async (c) => {
    const at = await see.at(c, "sessions");
    const words = (c.req.query("words") ?? "").trim().slice(0, WORDS);
    const from = numberOf(c, "page");
    const rows = at.home ? await operator.sessions(at.home, { words, page: from }) : { items: [], more: false };
    return page(c, <SessionsPage {...{ at, rows, words }} page={from} />);
  });
  site.get("/session", async (c) => {
    const at = await see.at(c, "sessions");
    const id = c.req.query("id") ?? "";
    // Without a page: the latest one.
    const wanted = (numberOf(c, "page") || Number.MAX_SAFE_INTEGER) - 1;
    const log = isHome(c, at.home) ? await operator.session(at.home, id, wanted, c.req.query("call")) : undefined;
    if (!log) return c.notFound();
    const { scope } = log.row;
    const open = isPrivate(scope) && see.opened(c, { home: at.home, scope, session: id });
    return page(c, <SessionPage {...{ at, log, open }} />);
  });
  site.get("/session/seen", async (c) => {
    const { home } = await see.at(c, "sessions");
    const since = numberOf(c, "since");
    const seen = isHome(c, home) ? await operator.seen(home, c.req.query("id") ?? "", since) : undefined;
    return seen === undefined ? c.notFound() : c.json({ seen }, 200, { "cache-control": "no-store" });
  });
  site.get("/step", async (c) => {
    const at = await see.at(c, "sessions");
    const id = c.req.query("id") ?? "";
    const sent = isHome(c, at.home) ? await operator.sent(at.home, id, numberOf(c, "turn"), numberOf(c, "step")) : undefined;
    if (!sent) return c.notFound();
    const { scope } = sent.row;
    const open = isPrivate(scope) && see.opened(c, { home: at.home, scope, session: id });
    return page(c, <StepPage {...{ at, sent, open }} />);
  });
  site.get("/todos", async (c) => {
    const at = await see.at(c, "todos");
    const from = numberOf(c, "page");
    const rows = at.home ? await operator.todos(at.home, from) : { items: [], more: false };
    const open = rows.items.some(({ scope }) => isPrivate(scope)) && see.opened(c, { home: at.home, what: "plans" });
    return page(c, <TodosPage {...{ at, rows, open }} page={from} />);
  });
}

/** A home that was named and is not there is not replaced by another one. */
const isHome = (c: Context, home: string): boolean => home !== "" && c.req.query("home") === home;

function files(site: Hono, { operator }: OperatorHouse, see: Sight): void {
  const { history } = operator;
  site.get("/files", async (c) => {
    const at = await see.at(c, "files");
    const path = c.req.query("path") ?? "";
    const tree = at.home ? await operator.files.list(at.home) : { files: [], truncated: false };
    const opened: Opened = !path || !at.home ? undefined : path === "?" ? "new" : await operator.files.read(at.home, path);
    const status = opened !== undefined && opened !== "new" && "error" in opened ? 404 : 200;
    const words = (c.req.query("words") ?? "").trim().slice(0, WORDS);
    const shown = { at, tree, opened, words, page: numberOf(c, "page"), path: path === "?" ? "" : path, history: history !== undefined };
    return page(c, <FilesPage {...shown} />, status);
  });
  if (!history) return;
  site.get("/changes", async (c) => {
    const at = await see.at(c, "files");
    const from = numberOf(c, "page");
    const changes = at.home ? await history.changes(at.home, from) : { items: [], more: false };
    return page(c, <ChangesPage {...{ at, changes }} page={from} />);
  });
  site.get("/change", async (c) => {
    const at = await see.at(c, "files");
    const id = c.req.query("id") ?? "";
    if (!isHome(c, at.home) || !id) return c.notFound();
    const [change, diff] = await Promise.all([history.change(at.home, id), history.diff(at.home, id)]);
    return page(c, <ChangePage {...{ at, id, change, diff }} />);
  });
}

function facts(site: Hono, { operator }: OperatorHouse, see: Sight): void {
  const { memory, why } = operator;
  site.get("/grants", async (c) => {
    const at = await see.at(c, "grants");
    return page(c, <GrantsPage at={at} all={at.home ? await operator.grants(at.home) : []} page={numberOf(c, "page")} />);
  });
  if (memory) {
    const asked = async (c: Context) => {
      const at = await see.at(c, "memory");
      const scopes = at.home ? await memory.scopes(at.home) : [];
      const scope = scopes.find((one) => one === c.req.query("scope")) ?? "team";
      const open = at.home !== "" && (!isPrivate(scope) || see.opened(c, { home: at.home, scope, what: "memory" }));
      return { at, scopes, scope, open, page: numberOf(c, "page") };
    };
    site.get("/memory", async (c) => {
      const { open, ...seen } = await asked(c);
      const words = (c.req.query("words") ?? "").trim().slice(0, WORDS);
      return page(c, <MemoryPage {...seen} words={words} lines={open ? await memory.read(seen.at.home, seen.scope) : undefined} />);
    });
    site.get("/memory/changes", async (c) => {
      const { open, ...seen } = await asked(c);
      const changes = open ? await memory.changes(seen.at.home, seen.scope, seen.page) : undefined;
      return page(c, <MemoryChangesPage {...seen} changes={changes} />);
    });
  }
  if (why) {
    site.get("/why", async (c) => {
      const at = await see.at(c, "why");
      const all = at.home ? await why(at.home) : [];
      const open = all.some((one) => one.private) && see.opened(c, { home: at.home, what: "reasons for silence" });
      return page(c, <WhyPage {...{ at, all, open }} page={numberOf(c, "page")} />);
    });
  }
}
