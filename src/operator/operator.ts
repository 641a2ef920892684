/**
 * The operator's port, put together from the rooms: main hands them in, the console shows what comes of them.
 *
 * P1. A home whose journal cannot be opened costs its own lists only, and says why among its problems.
 * P2. Nothing is begun by looking: no session, no home. What would be sent now is asked of the home as a turn asks it.
 */
import type { Place, Speaker } from "../core/event.ts";
import { type CallId, HOME_SESSION, rootOf, type SessionId } from "../core/id.ts";
import { waitingCard } from "../core/inquiry.ts";
import {
  type Cost,
  type HomeNow,
  type Journal,
  type Offered,
  type Operator,
  type OperatorHistory,
  type OperatorMemory,
  type Page,
  type Pending,
  type Rules,
  type ServerNow,
  type SessionLog,
  type SessionRow,
  type Silence,
  UserError,
} from "../core/ports.ts";
import type { State } from "../core/state.ts";
import { isOpen } from "../core/talk.ts";
import { transcript } from "../core/transcript.ts";
import { type FilesOf, operatorFiles } from "./files.ts";
import { logLines, stateAt, usedIn } from "./log.ts";
import { costOf } from "./price.ts";

export interface OperatorOn extends FilesOf {
  homes(): Promise<string[]>;
  rules(home: string): Promise<Rules>;
  /** What is wrong with the home's files, in sentences. */
  problems(home: string): Promise<string[]>;
  journal(home: string): Promise<Journal>;
  link(place: Place, message: string): string | undefined;
  history?: OperatorHistory;
  memory?: OperatorMemory;
  why?(home: string): Promise<Silence[]>;
  servers?(home: string): ServerNow[];
  /** What was sent in a step before its messages, while that is kept. */
  kept?(home: string, session: SessionId, turn: number, step: number): Offered | undefined;
  /** What would be sent before the messages of a session, as its home is now. */
  offered?(home: string, session: SessionId, state: State): Promise<Offered | undefined>;
  now(): number;
}

const SESSIONS = 25;
const LINES = 150;
/** Words are looked for in what is the team's only: that they are found would tell what was said in private. */
const TEAMS = { scopes: ["team"] } as const;
const DAY = 86_400_000;

export function operator(on: OperatorOn): Operator {
  const { history, memory, why, servers } = on;
  return {
    names: on.homes,
    homes: (names) => Promise.all(names.map((home) => homeNow(on, home))),
    waiting: async (home) => (await (await opened(on, home))?.approvals())?.length ?? 0,
    files: operatorFiles(on),
    sessions: async (home, { words, page }) =>
      paged(on, home, (journal, limit, skip) => journal.sessions({ words, limit, skip, ...(words ? TEAMS : {}) }), page),
    session: (home, session, page, call) => sessionLog(on, home, session, page, call),
    seen: async (home, session, since) => {
      const journal = await opened(on, home);
      return journal && (await journal.session(session)) ? seen(journal, session, since) : undefined;
    },
    sent: (home, session, turn, step) => sent(on, home, session, turn, step),
    approvals: (home) => pending(on, home),
    todos: async (home, page) => {
      const rows = (await (await opened(on, home))?.sessions({ limit: 2_000 })) ?? [];
      const open = rows.filter(({ todos }) => todos.some(({ status }) => status !== "completed"));
      return { items: open.slice(page * SESSIONS, (page + 1) * SESSIONS), more: open.length > (page + 1) * SESSIONS };
    },
    grants: (home) => grants(on, home),
    revoke: (home, session, id, by) => revoke(on, home, session, id, by),
    usage: (homes, days) => usage(on, homes, days),
    ...(history ? { history } : {}),
    ...(memory ? { memory } : {}),
    ...(why ? { why } : {}),
    ...(servers ? { servers } : {}),
  };
}

/** Undefined: it cannot be opened, which the home's problems tell. */
const opened = (on: OperatorOn, home: string): Promise<Journal | undefined> =>
  on.journal(home).catch((error: unknown) => {
    if (error instanceof UserError) return undefined;
    throw error;
  });

async function homeNow(on: OperatorOn, home: string): Promise<HomeNow> {
  const [rules, problems, kept] = await Promise.all([
    on.rules(home),
    on.problems(home),
    on.journal(home).then(
      async (journal) => ({ shut: [], paused: (await journal.state(HOME_SESSION)).paused !== null }),
      (error: unknown) => ({ shut: [error instanceof Error ? error.message : String(error)], paused: false }),
    ),
  ]);
  return {
    home,
    timezone: rules.timezone,
    model: rules.model,
    talk: rules.who("talk"),
    approve: rules.who("approve"),
    admin: rules.who("admin"),
    problems: [...problems, ...kept.shut],
    paused: kept.paused,
  };
}

async function paged(
  on: OperatorOn,
  home: string,
  read: (journal: Journal, limit: number, skip: number) => Promise<SessionRow[]>,
  page: number,
): Promise<Page<SessionRow>> {
  const journal = await opened(on, home);
  const rows = journal ? await read(journal, SESSIONS + 1, page * SESSIONS) : [];
  return { items: rows.slice(0, SESSIONS), more: rows.length > SESSIONS };
}

async function sessionLog(
  on: OperatorOn,
  home: string,
  session: SessionId,
  asked: number,
  call: CallId | undefined,
): Promise<SessionLog | undefined> {
  const journal = await opened(on, home);
  const row = await journal?.session(session);
  if (!journal || !row) return undefined;
  // First of all, so that what happens meanwhile is seen once more and not missed.
  const upTo = await seen(journal, session, 0);
  const [stored, helpers, state, waiting] = await Promise.all([
    journal.events(session),
    helpersOf(journal, session),
    journal.state(session),
    pending(on, home),
  ]);
  const events = stored.map(({ event }) => event);
  const lines = logLines(events, ({ channel, message }) => on.link({ ...row.place, channel }, message));
  const pages = Math.max(1, Math.ceil(lines.length / LINES));
  const made = call === undefined ? -1 : lines.findIndex((line) => line.kind === "answered" && line.calls.some((one) => one.call === call));
  const page = made < 0 ? Math.min(Math.max(asked, 0), pages - 1) : Math.floor(made / LINES);
  const own = (id: SessionId): boolean => id === session || id.startsWith(`${session}/`);
  return {
    row,
    helpers,
    lines: lines.slice(page * LINES, (page + 1) * LINES),
    page,
    pages,
    used: usedIn(events),
    grants: state.grants,
    pending: waiting.filter((one) => own(one.session)),
    ...(state.opened && !state.opened.parent && isOpen(state.talk) ? { stop: state.opened.code } : {}),
    seen: upTo,
  };
}

const helpersOf = async (journal: Journal, session: SessionId): Promise<SessionId[]> =>
  (await journal.family(rootOf(session))).filter((id) => id.startsWith(`${session}/`));

/** How far a session and its helpers have come. */
async function seen(journal: Journal, session: SessionId, since: number): Promise<number> {
  const all = [session, ...(await helpersOf(journal, session))];
  const last = await Promise.all(all.map(async (id) => (await journal.events(id, since)).at(-1)?.seq ?? since));
  return Math.max(...last);
}

async function sent(on: OperatorOn, home: string, session: SessionId, turn: number, step: number): ReturnType<Operator["sent"]> {
  const journal = await opened(on, home);
  const row = await journal?.session(session);
  if (!journal || !row) return undefined;
  const events = (await journal.events(session)).map(({ event }) => event);
  const state = stateAt(events, turn, step);
  if (!state) return undefined;
  const kept = on.kept?.(home, session, turn, step);
  const now = kept ?? (await on.offered?.(home, session, state));
  return { row, turn, step, messages: transcript(state), offered: now && { ...now, kept: kept !== undefined } };
}

async function pending(on: OperatorOn, home: string): Promise<Pending[]> {
  const journal = await opened(on, home);
  if (!journal) return [];
  const found = await Promise.all(
    (await journal.approvals()).map(async ({ session, call: id }): Promise<Pending[]> => {
      const [row, state] = await Promise.all([journal.session(rootOf(session)), journal.state(session)]);
      const call = state.calls.byId[id];
      if (!row || !call?.gate || call.status !== "asked") return [];
      const { scope, place, title } = row;
      const { slot, view } = waitingCard(call, call.gate);
      const ref = state.posts[slot]?.ref;
      const link = ref && on.link({ ...place, channel: ref.channel }, ref.message);
      return [{ home, session, call: id, scope, place, title, since: call.asked, view, ...(link ? { link } : {}) }];
    }),
  );
  return found.flat().sort((a, b) => (a.since ?? 0) - (b.since ?? 0));
}

async function grants(on: OperatorOn, home: string): ReturnType<Operator["grants"]> {
  const journal = await opened(on, home);
  if (!journal) return [];
  const own = async (session: SessionId) => {
    const [row, { grants: standing }] = await Promise.all([journal.session(session), journal.state(session)]);
    return standing.map((grant) => ({ session, grant, row: session === HOME_SESSION ? undefined : row }));
  };
  const found = await Promise.all((await journal.granted()).map(own));
  return found.flat().sort((a, b) => b.grant.at - a.grant.at);
}

async function revoke(on: OperatorOn, home: string, session: SessionId, id: string, by: Speaker): ReturnType<Operator["revoke"]> {
  const journal = await on.journal(home);
  const receipt = await journal.receive(session, `g:${id}`, { type: "grant.revoked", at: on.now(), id, by });
  return receipt.fresh ? { ok: true } : { ok: false, why: "This permission was revoked already." };
}

async function usage(on: OperatorOn, homes: readonly string[], days: number): Promise<Cost[]> {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const to = on.now();
  const found = await Promise.all(
    homes.map(async (home) => {
      const rows = (await (await opened(on, home))?.spent(day(to - (days - 1) * DAY), day(to))) ?? [];
      return rows.map((row) => ({ ...row, home, cost: costOf(row) }));
    }),
  );
  return found.flat();
}
