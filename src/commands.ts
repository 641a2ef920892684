/**
 * The words of `/denizen` (and `/todos`, `/memory`): each answers with a View, the same on every platform.
 *
 * W1. Answers show only what may be seen where the word was said: the thread's own, the channel's own, the scopes visible there.
 * W2. An unknown word is answered with the nearest one and the list.
 */

import type { SessionId } from "./core/id.ts";
import type { Command, Homes, Journal, Reply, Rules, SessionRow, Standing } from "./core/ports.ts";
import { type Scope, scopeOf, visibleScopes } from "./core/scope.ts";
import { type Part, todoLine, type View } from "./core/view.ts";

export interface CommandsOn {
  homes: Homes;
  journal(home: string): Promise<Journal>;
  /** The facts of the scopes, one line each, as people read them. */
  facts(home: string, scopes: Scope[]): Promise<string[]>;
  /** Tools of the home's servers and how each server is. */
  servers(home: string): Promise<string[]>;
  standing(command: Command): Promise<Standing | undefined>;
  link(platform: string, channel: string, message: string): string | undefined;
  /** How the product is: model, adapters, version. */
  status(): string[];
  now(): number;
}
interface Asked {
  on: CommandsOn;
  command: Command;
  home: string;
  journal: Journal;
  rules: Rules;
  session: SessionId;
  scopes: Scope[];
  rest: string;
  why: string[];
  stop(): Promise<Reply>;
}
type Word = { help: string; run(asked: Asked): Promise<Reply> };

const asker = (view: View): Reply => ({ to: "asker", view });
const page = (title: string, parts: Part[]): Reply => asker({ title, parts, buttons: [] });
const lines = (title: string, items: string[], none: string): Reply =>
  page(title, [items.length ? { kind: "list", items: items.slice(0, MOST) } : { kind: "note", text: none }, ...more(items.length)]);
const MOST = 30;
const more = (count: number): Part[] => (count > MOST ? [{ kind: "note", text: `and ${count - MOST} more` }] : []);

const WORDS: Record<string, Word> = {
  help: { help: "this list", run: async () => lines("What you can say", helpLines(), "") },
  todos: { help: "the plan of this thread, or the open plans of this channel", run: todos },
  memory: { help: "what I remember and may show here", run: memory },
  approvals: { help: "what waits for a decision here", run: approvals },
  stop: { help: "stop what I am doing in this thread", run: ({ stop }) => stop() },
  status: { help: "how I am: model, connections, policy", run: status },
  usage: { help: "tokens used today", run: usage },
  tools: {
    help: "the tool servers of this home",
    run: async ({ on, home }) => lines("Tools", await on.servers(home), "No tool servers are set up. They go into tools.json."),
  },
  sessions: { help: "the conversations of this channel", run: sessions },
  why: {
    help: "why the last messages here were or were not answered",
    run: async ({ why }) => lines("Why", why, "I have seen no messages here since I was started."),
  },
};
const helpLines = (): string[] => Object.entries(WORDS).map(([word, { help }]) => `\`${word}\`: ${help}`);

export function commands(on: CommandsOn) {
  return async (command: Command, at: { home: string; session: SessionId; stop(): Promise<Reply>; why: string[] }): Promise<Reply> => {
    const [first = "", ...others] = command.text.trim().split(/\s+/);
    const word = first.replace(/^\//, "").toLowerCase() || "help";
    const known = WORDS[word];
    if (!known) return lines(`I do not know “${word.slice(0, 40)}”. Did you mean “${nearest(word)}”?`, helpLines(), "");
    const standing = await on.standing(command);
    const kind = standing?.guest ? "guest" : standing?.external ? "external" : "member";
    const { place, by, channel, shared } = command;
    const own = scopeOf(channel, shared, `${place.platform}:${place.channel}`, by.id);
    const scopes = visibleScopes(own, { ...by, kind });
    const [journal, rules] = await Promise.all([on.journal(at.home), on.homes.rules(at.home)]);
    return known.run({
      on,
      command,
      home: at.home,
      journal,
      rules,
      session: at.session,
      scopes,
      rest: others.join(" "),
      why: at.why,
      stop: at.stop,
    });
  };
}

/** The known word with the fewest edits. */
function nearest(word: string): string {
  const far = Object.keys(WORDS).map((known) => ({ known, distance: distance(word, known) }));
  return far.reduce((best, it) => (it.distance < best.distance ? it : best)).known;
}
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, char] of [...a.slice(0, 40)].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (char === other ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
}

async function here({ journal, command }: Asked): Promise<SessionRow[]> {
  const rows = await journal.sessions({ limit: 500 });
  return rows.filter(
    ({ place, session }) => !session.includes("/") && place.platform === command.place.platform && place.channel === command.place.channel,
  );
}

async function todos(asked: Asked): Promise<Reply> {
  const { command, journal, session, on } = asked;
  if (command.place.thread) {
    const { todos: own } = await journal.state(session);
    return page("Plan of this thread", [
      own.length ? { kind: "todos", todos: [...own] } : { kind: "note", text: "There is no plan in this thread." },
    ]);
  }
  const open = (await here(asked)).filter((row) => row.todos.some((todo) => todo.status !== "completed"));
  if (!open.length) return page("Plans", [{ kind: "note", text: "No thread of this channel has an open plan." }]);
  return page(
    "Plans",
    open.slice(0, 10).flatMap((row): Part[] => [
      { kind: "text", text: titleOf(on, row) },
      { kind: "todos", todos: row.todos },
    ]),
  );
}

function titleOf(on: CommandsOn, { title, place }: SessionRow): string {
  const link = on.link(place.platform, place.channel, place.thread ?? "");
  const words = title.replace(/[[\]()<>*_`]/g, " ").slice(0, 60) || "Untitled";
  return link ? `[${words}](${link})` : `**${words}**`;
}

async function memory({ on, home, scopes, rest }: Asked): Promise<Reply> {
  const [verb, ...words] = rest.split(/\s+/).filter(Boolean);
  const facts = (await on.facts(home, scopes)).map((fact, index) => `#${index + 1} ${fact}`);
  if (!verb) return lines("What I remember here", facts, "I remember nothing yet. Say “remember …”.");
  if (verb !== "search" || !words.length)
    return lines("Memory", ["`memory`: everything I may show here", "`memory search X`: only what holds X"], "");
  const wanted = words.join(" ").toLowerCase();
  return lines(
    `Memory: “${words.join(" ")}”`,
    facts.filter((fact) => fact.toLowerCase().includes(wanted)),
    "Nothing I may show here holds that.",
  );
}

async function approvals(asked: Asked): Promise<Reply> {
  const rows = await here(asked);
  const known = new Map(rows.map((row) => [row.session, row]));
  const open = await asked.journal.approvals();
  const items = await Promise.all(
    open.map(async ({ session, call }) => {
      const row = known.get(session.split("/", 1)[0] ?? "");
      const found = row && (await asked.journal.state(session)).calls.byId[call];
      return row && found?.gate ? [`${found.gate.label}: ${titleOf(asked.on, row)}`] : [];
    }),
  );
  return lines("Waiting for a decision", items.flat(), "Nothing waits for a decision in this channel.");
}

async function status({ on, rules }: Asked): Promise<Reply> {
  const policy = rules.broken ?? `Who may talk: ${rules.who("talk")}. Who may approve: ${rules.who("approve")}.`;
  return lines("How I am", [...on.status(), policy], "");
}

async function usage({ on, journal, command }: Asked): Promise<Reply> {
  const day = new Date(on.now()).toISOString().slice(0, 10);
  const own = await journal.usage(day, command.by.id);
  const all = await journal.usage(day);
  const sum = (rows: typeof all) => rows.reduce((total, row) => total + row.input + row.output, 0).toLocaleString("en");
  return page("Tokens today (UTC)", [
    {
      kind: "fields",
      rows: [
        ["You", sum(own)],
        ["This home", sum(all)],
      ],
    },
  ]);
}

async function sessions(asked: Asked): Promise<Reply> {
  const rows = await here(asked);
  const items = rows
    .slice(0, 15)
    .map((row) => `${row.settled ? "" : "▶ "}${titleOf(asked.on, row)}${row.todos[0] ? ` — ${todoLine(row.todos[0])}` : ""}`);
  return lines("Conversations of this channel", items, "There are none yet.");
}
