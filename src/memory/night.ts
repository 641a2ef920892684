/**
 * The night: what people said since the last one, put into facts, scope by scope.
 *
 * N1. A scope in which nothing was said costs no request, and no request sees words of two scopes.
 * N2. What is learned and how far was read are one record: after a crash at any point nothing is asked, learned or lost twice.
 * N3. A bad answer changes nothing and is reported; the same words are read again the next time.
 * N4. One at a time in a home, whichever process is at it.
 * N5. What it costs is charged to the night, and counts in the home's budget of the day: with that used up the words wait.
 */
import type { Journal, Log, Model, Request, Rules } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { estimateTokens } from "../core/tokens.ts";
import { isError } from "../files/refusal.ts";
import { alone, type Book, type Draft, type Page } from "./book.ts";
import { parseFacts } from "./facts.ts";
import { type Heard, heard, type Said } from "./heard.ts";
import { judge } from "./judge.ts";
import { nightRequest, type Operation, readOperations } from "./operations.ts";
import { recall } from "./recall.ts";
import { unsay } from "./unsay.ts";

export interface NightOn {
  book: Book;
  journal: Journal;
  model: Model;
  modelName: string;
  scrub(text: string): string;
  now(): number;
  signal: AbortSignal;
  /** Tokens of a day (UTC) for the whole home. */
  tokensPerDay?: number;
  /** Begun by a person, not by the clock. */
  byHand?: true;
}
export interface NightReport {
  scope: Scope;
  /** Lines learned, changed and gone. */
  learned: number;
  changed: number;
  gone: number;
  /** Operations of the model that were not done, and why. */
  refused: string[];
  /** Why nothing could be done, if so. */
  problem?: string;
}

/** The night as the clock calls it, for each home. */
export function nightly(on: {
  memory(home: string): { book: Book };
  journal(home: string): Promise<Journal>;
  rules(home: string): Promise<Pick<Rules, "model" | "budget">>;
  model: Model;
  modelName: string;
  scrub(text: string): string;
  now(): number;
  log: Log;
}): (home: string, signal: AbortSignal) => Promise<void> {
  return async (home, signal) => {
    // The offline model cannot tell what is worth remembering: the words wait for one that can.
    if (on.model.kind === "offline") return;
    const [journal, rules] = await Promise.all([on.journal(home), on.rules(home)]);
    const { book } = on.memory(home);
    const { tokensPerDay } = rules.budget ?? {};
    const bounds = tokensPerDay === undefined ? {} : { tokensPerDay };
    const reports = await night({ ...on, ...bounds, book, journal, modelName: rules.model ?? on.modelName, signal });
    for (const { problem, ...report } of reports) {
      if (problem !== undefined) on.log.warn({ home, scope: report.scope }, `a night changed nothing: ${problem}`);
      else on.log.info({ home, ...report }, "a night is over");
    }
  };
}

/** Words given to the model at once, and how often a scope is asked in one night. */
const AT_ONCE = 30_000;
const ROUNDS = 20;
/** A night is over when the next may begin. */
const NIGHT = 20 * 60 * 60_000;
const LOSSES = 0.25;

export async function night(on: NightOn): Promise<NightReport[]> {
  return alone(on.journal, "memory night", async () => {
    const reports: NightReport[] = [];
    for (const scope of await on.journal.memory.scopes()) {
      if (on.signal.aborted) break;
      const report = await scopeNight(on, scope);
      if (report) reports.push(report);
    }
    return reports;
  });
}

async function scopeNight(on: NightOn, scope: Scope): Promise<NightReport | undefined> {
  let all: NightReport | undefined;
  for (let round = 0; round < ROUNDS && !on.signal.aborted; round++) {
    const words = await heard(on.journal, scope);
    // Whoever deleted them may have been told at once; a crash may have come between.
    for (const message of round === 0 ? words.gone : []) {
      const problem = await unsay(on.book, scope, message, on.now());
      if (problem) return { scope, learned: 0, changed: 0, gone: 0, refused: [], problem };
    }
    const batch = firstOf(words);
    if (batch.said.length === 0) {
      if (!batch.still) await on.journal.memory.readTo(scope, batch.upTo);
      return all;
    }
    const report = await learn(on, scope, batch);
    all = all ? added(all, report) : report;
    if (report.problem !== undefined || batch.upTo === words.upTo) return all;
  }
  return all;
}

/** As much as the model reads at once, the oldest first. */
function firstOf({ said, upTo, still }: Heard): Omit<Heard, "gone"> {
  let tokens = 0;
  const count = said.findIndex(({ text }, index) => {
    tokens += estimateTokens(text) + 40;
    return index > 0 && tokens > AT_ONCE;
  });
  const last = said[count - 1];
  const [some, end] = count < 0 || !last ? [said, upTo] : [said.slice(0, count), last.seq];
  return { said: some.map(shortened), upTo: end, still };
}
const LONGEST = 20_000;
const shortened = (message: Said): Said => ({ ...message, text: message.text.slice(0, LONGEST) });

async function learn(on: NightOn, scope: Scope, { said, upTo }: Pick<Heard, "said" | "upTo">): Promise<NightReport> {
  const nothing: NightReport = { scope, learned: 0, changed: 0, gone: 0, refused: [] };
  const page = await on.book.page(scope);
  if (isError(page)) return { ...nothing, problem: `MEMORY.md cannot be read: ${page.detail}.` };
  const own = parseFacts(page.text).flatMap((line) => (line.kind === "own" && line.text.trim() ? [line.text] : []));
  const request = nightRequest(
    on.modelName,
    page.facts.map(({ fact }) => fact),
    own,
    said,
  );
  const answer = await ask(on, request);
  if (typeof answer === "string") return { ...nothing, problem: answer };
  const seen = new Map(page.facts.map(({ fact, text }) => [fact.id, text]));
  const report = nothing;
  const changed = await on.book.change(scope, async (now) => {
    const draft = await judged(on, answer, now, { scope, said, upTo, seen }, report);
    if (draft.edits.length > 0) return draft;
    await on.journal.memory.readTo(scope, upTo);
    return null;
  });
  return changed.ok ? report : { ...nothing, refused: report.refused, problem: changed.error };
}

async function judged(
  { journal, now, byHand }: NightOn,
  operations: Operation[],
  page: Page,
  { scope, said, upTo, seen }: { scope: Scope; said: Said[]; upTo: number; seen: Map<string, string> },
  report: NightReport,
): Promise<Draft> {
  const [again, tombstones] = await Promise.all([heard(journal, scope), journal.memory.tombstones(scope)]);
  // What was deleted while the model thought is no evidence any more.
  const still = new Set(again.said.map(({ session, id, text }) => `${session} ${id} ${text.slice(0, LONGEST)}`));
  const key = `night ${said[0]?.seq ?? 0}-${upTo}`;
  const { edits, refused } = judge(operations, {
    facts: page.facts,
    seen,
    said: said.filter(({ session, id, text }) => still.has(`${session} ${id} ${text.slice(0, LONGEST)}`)),
    tombstones,
    losses: await lossesLeft(journal, page, now()),
    fits: (lines) => recall(scope, [...ownLines(page), ...lines].join("\n")).left === 0,
    now: now(),
    night: `${scope} ${key}`,
  });
  report.refused = refused;
  report.learned = edits.filter(({ before }) => before === null).length;
  report.gone = edits.filter(({ after }) => after === null).length;
  report.changed = edits.length - report.learned - report.gone;
  return { key: `${scope} ${key}`, at: now(), cause: "night", by: byHand ? BY_HAND : "", edits, readTo: upTo };
}

/** Who a night is by that a person began. */
export const BY_HAND = "operator";

const ownLines = ({ text }: Page): string[] => parseFacts(text).flatMap((line) => (line.kind === "own" ? [line.text] : []));

/** A quarter of what there was when the night began, less what went already. */
async function lossesLeft(journal: Journal, { scope, facts }: Page, now: number): Promise<number> {
  const tonight = (await journal.memory.changes([scope], 200)).filter(({ cause, at }) => cause === "night" && at > now - NIGHT);
  const edits = tonight.flatMap((change) => change.edits);
  const gone = edits.filter(({ after }) => after === null).length;
  const come = edits.filter(({ before }) => before === null).length;
  return Math.floor(Math.max(0, facts.length + gone - come) * LOSSES) - gone;
}

/** The operations, or why there are none in a sentence. */
async function ask(
  { model, scrub, signal, journal, now, tokensPerDay = Number.POSITIVE_INFINITY }: NightOn,
  request: Request,
): Promise<Operation[] | string> {
  const spent = (await journal.usage(new Date(now()).toISOString().slice(0, 10))).reduce((sum, row) => sum + row.input + row.output, 0);
  if (spent >= tokensPerDay) return "The model was not asked: today's budget of this home (budget.tokensPerDay in policy.json) is used up.";
  const answer = await model.answer(request, () => {}, signal);
  if (!answer.ok) return `The model did not answer: ${scrub(answer.detail)}`;
  await journal.memory.charge(now(), answer.usage);
  if (answer.stop !== "end") return `The model's answer was not usable: it ended with “${answer.stop}”.`;
  const text = answer.content.flatMap((block) => (block.type === "text" ? [String(block.text)] : [])).join("");
  const operations = readOperations(scrub(text));
  return operations ?? "The model's answer was not usable: it is not in the form that was asked for.";
}

const added = (a: NightReport, b: NightReport): NightReport => ({
  ...b,
  learned: a.learned + b.learned,
  changed: a.changed + b.changed,
  gone: a.gone + b.gone,
  refused: [...a.refused, ...b.refused],
});
