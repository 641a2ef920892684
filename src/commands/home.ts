/**
 * `home`: what one person needs to see of all this: what waits for their decision, with its buttons; their open threads; what is remembered;
 * what today costs. Platforms that have a page for one person show it there.
 *
 * H1. Only of scopes that may be seen where it is asked for, and only what this person may decide: nothing of anybody else's.
 * H2. Bounded, whatever waits: the rest is counted.
 */
import { openDecisions, openQuestion } from "../core/calls.ts";
import { whyNot } from "../core/decide.ts";
import { HOME_SESSION, rootOf } from "../core/id.ts";
import { waitingCard } from "../core/inquiry.ts";
import type { ApprovalRow, Reply, SessionRow } from "../core/ports.ts";
import { isOpen } from "../core/talk.ts";
import type { Part, View } from "../core/view.ts";
import { type Asked, page, titleOf } from "./asked.ts";
import { factLines } from "./memory.ts";

const CARDS = 5;
const THREADS = 8;
const FACTS = 12;
/** Of an input or a diff that is shown in the list. */
const SHOWN = 600;
/** Sessions that are looked through for a person's own. */
const LOOKED = 150;

export async function home(asked: Asked): Promise<Reply> {
  const { rules, who, command, journal } = asked;
  if (!who || !rules.may("talk", command.by.id, who))
    return page("Denizen", [
      { kind: "text", text: `I may not talk with you here. Who may: ${rules.who("talk", command.place.platform)}.` },
    ]);
  const all = await journal.sessions({ scopes: asked.scopes, limit: 1_000 });
  const roots = all.filter(({ session }) => rootOf(session) === session);
  const rows = roots.filter(({ place }) => place.platform === command.place.platform);
  const [state, waiting, threads, facts, today] = await Promise.all([
    troubles(asked),
    waitingFor(asked, roots),
    threadsOf(asked, rows),
    remembered(asked),
    costToday(asked),
  ]);
  return page("Denizen", [
    ...state,
    ...waiting,
    ...threads,
    ...facts,
    ...today,
    { kind: "note", text: "`help` lists what else you can say." },
  ]);
}

async function troubles({ journal, rules }: Asked): Promise<Part[]> {
  const { paused } = await journal.state(HOME_SESSION);
  return [
    ...(paused ? [text(`⏸️ Paused by ${paused.by.name}: nothing new is begun until it is resumed.`)] : []),
    ...(rules.broken ? [text(`⚠️ ${rules.broken}`)] : []),
  ];
}

async function waitingFor(asked: Asked, rows: readonly SessionRow[]): Promise<Part[]> {
  const known = new Map(rows.map((row) => [row.session, row]));
  const open = (await asked.journal.approvals()).filter(({ session }) => known.has(rootOf(session)));
  const cards = (await Promise.all(open.map((row) => cardOf(asked, row, known.get(rootOf(row.session)))))).filter(
    (card) => card !== undefined,
  );
  const more = cards.length - CARDS;
  return [
    text("**Waiting for you**"),
    ...(cards.length ? cards.slice(0, CARDS).flat() : [note("Nothing waits for your decision.")]),
    ...(more > 0 ? [note(`and ${more} more; \`approvals\` in their channels lists them`)] : []),
  ];
}

/** One decision, if it is this person's: a question is for whom it was asked for. */
async function cardOf(asked: Asked, { session, call: id }: ApprovalRow, row: SessionRow | undefined): Promise<Part[] | undefined> {
  const { journal, rules, who, command } = asked;
  const { calls, opened, talk } = await journal.state(session);
  const call = openDecisions(calls).find((open) => open.id === id);
  if (!row || !call?.gate) return undefined;
  const { gate } = call;
  const by = opened?.parent ? opened.parent.by?.id : talk.by?.id;
  const question = openQuestion(call);
  const mine = gate.question || question ? by === command.by.id : !call.votes.some((vote) => vote.id === command.by.id);
  const barred = question
    ? undefined
    : whyNot(gate, "approve", { id: command.by.id, at: command.place, about: row.place, standing: who }, rules);
  if (!mine || barred !== undefined) return undefined;
  const { view } = waitingCard(call, gate, opened?.parent?.agent);
  return [text(`**${plainTitle(view)}** ${titleOf(asked.on, row)}`), ...view.parts.map(short), { kind: "buttons", buttons: view.buttons }];
}
const plainTitle = ({ title = "" }: View): string => title.replace(/[*_`[\]<>]/g, " ");
const short = (part: Part): Part =>
  (part.kind === "code" || part.kind === "quoted") && part.text.length > SHOWN
    ? { ...part, text: `${part.text.slice(0, SHOWN)}\n… ${part.text.length - SHOWN} more characters: see its thread` }
    : part;

async function threadsOf({ on, journal, command }: Asked, rows: readonly SessionRow[]): Promise<Part[]> {
  const asks = new Set((await journal.approvals()).map(({ session }) => rootOf(session)));
  const lively = rows
    .filter(({ session, settled, todos }) => !settled || asks.has(session) || todos.some(({ status }) => status !== "completed"))
    .slice(0, LOOKED);
  const states = await Promise.all(lively.map(({ session }) => journal.state(session)));
  const own = lively.filter((_, index) => states[index]?.talk.talkers.includes(command.by.id));
  const open = new Set(lively.filter((_, index) => states[index] && isOpen(states[index].talk)).map(({ session }) => session));
  const more = own.length - THREADS;
  return [
    text("**Your open threads**"),
    ...own
      .slice(0, THREADS)
      .flatMap((row): Part[] => [
        text(`${open.has(row.session) ? "▶ " : ""}${titleOf(on, row)}`),
        ...(row.todos.length ? [{ kind: "todos" as const, todos: row.todos }] : []),
      ]),
    ...(own.length ? [] : [note("None of your threads has anything open.")]),
    ...(more > 0 ? [note(`and ${more} more`)] : []),
  ];
}

async function remembered(asked: Asked): Promise<Part[]> {
  const { lines, more } = await factLines(asked, FACTS);
  return [
    text("**What I remember and may show you here**"),
    lines.length ? { kind: "quoted", text: lines.join("\n") } : note("Nothing yet. Say “remember …”."),
    ...(more > 0 ? [note(`and ${more} more; \`memory\` shows them, \`memory search X\` finds them`)] : []),
  ];
}

async function costToday({ on, journal, rules, command }: Asked): Promise<Part[]> {
  const day = new Date(on.now()).toISOString().slice(0, 10);
  const all = await journal.spent(day, day);
  const rows: [string, string][] = [
    [
      "You",
      amount(
        all.filter(({ person }) => person === command.by.id),
        on,
        rules.budget?.tokensPerPersonPerDay,
      ),
    ],
    ["This home", amount(all, on, rules.budget?.tokensPerDay)],
  ];
  return [text("**Today (UTC)**"), { kind: "fields", rows }];
}

function amount(spent: Awaited<ReturnType<Asked["journal"]["spent"]>>, on: Asked["on"], most: number | undefined): string {
  const tokens = spent.reduce((sum, { input, output }) => sum + input + output, 0).toLocaleString("en");
  const costs = spent.map((each) => on.cost(each));
  const dollars = costs.includes(null) ? undefined : costs.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  const price = dollars ? `, about $${dollars < 0.01 ? "0.01" : dollars.toFixed(2)}` : "";
  return `${tokens}${most === undefined ? "" : ` of ${most.toLocaleString("en")}`} tokens${price}`;
}

const text = (words: string): Part => ({ kind: "text", text: words });
const note = (words: string): Part => ({ kind: "note", text: words });
