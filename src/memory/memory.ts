/**
 * What a home remembers: one MEMORY.md for each scope, changed by people through tools and commands, and by the night.
 *
 * K1. Which file a fact lands in is decided here from the scope of the session, never by the model.
 * K2. A call changes something once, however often it is repeated.
 * K3. Facts are changed and forgotten by who said them, by whom they tell of, and by administrators; nobody else.
 * K4. What was forgotten is not learned again, unless who forgot it says so.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type CallId, rootOf, type SessionId } from "../core/id.ts";
import type { FactEdit, Journal, MemoryChange, Tombstone } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { memoryPath } from "../files/mounts.ts";
import { isError } from "../files/refusal.ts";
import { versionOf } from "../workspace/text.ts";
import { type Book, type Changed, type Draft, openBook } from "./book.ts";
import { foreignIn, type Spoken, spokenIn } from "./evidence.ts";
import { type Fact, formatFact, oneLine, parseFacts } from "./facts.ts";
import { type Recalled, recall } from "./recall.ts";
import { mayChange, type Person, stoneOf } from "./rights.ts";
import { isSame, isSimilar } from "./sense.ts";
import { undoing } from "./undo.ts";
import { unfit } from "./unfit.ts";
import { authorOf, unsay } from "./unsay.ts";
import { mark, retains } from "./words.ts";

/** Where a fact was said, and by which call it is kept. */
export interface Occasion {
  scope: Scope;
  session: SessionId;
  call: CallId;
  /** Who said it, platform-qualified. */
  by: string;
  /** Who wants it kept, if that is somebody else. */
  asker?: string;
  /** The channel, platform-qualified. */
  channel: string;
  /** Whom it tells of, platform-qualified. */
  about?: string;
  /** The messages it is from. */
  messages?: readonly string[];
  /** Nobody asked for it just now: what was forgotten stays forgotten, whoever asked for that. */
  unasked?: true;
  now: number;
}
export type Kept = { ok: true; text: string; fresh: boolean; near?: Fact } | { ok: false; error: string };
/** A fact, or a line of people's own. */
export interface Listed {
  scope: Scope;
  text: string;
  fact?: Fact;
}

export interface Memory {
  remember(text: string, occasion: Occasion): Promise<Kept>;
  update(id: string, text: string, occasion: Occasion, person: Person): Promise<Kept>;
  /** `key`: under which this wish is known, so that it is fulfilled once. */
  forget(id: string, scopes: readonly Scope[], person: Person, now: number, key: string): Promise<Kept>;
  /** Takes one edit of a change back, or all of them. */
  undo(n: number, edit: number | null, scopes: readonly Scope[], person: Person, now: number): Promise<Kept>;
  /** A message was deleted: what was learned from it goes as well. */
  unsaid(session: SessionId, message: string, now: number): Promise<void>;
  /** What people said in a conversation, a helper's being its root's, and what came into it otherwise. */
  heardIn(session: SessionId): Promise<{ spoken: Spoken[]; foreign: string[] }>;
  /** An answer was given: the facts that are in it count as used. */
  answered(text: string, scopes: readonly Scope[], now: number): Promise<void>;
  /** What these scopes hold, each under the budget of its prompt part. Scopes with nothing are left out. */
  read(scopes: readonly Scope[]): Promise<Recalled[]>;
  list(scopes: readonly Scope[]): Promise<Listed[]>;
  history(scopes: readonly Scope[], limit: number): Promise<MemoryChange[]>;
  /** Makes what a crash left planned. */
  settle(): Promise<void>;
  readonly book: Book;
}

export function homeMemory(homeDir: string, journal: () => Promise<Journal>): Memory {
  const book = openBook(homeDir, journal);
  const recalled = recaller(homeDir, book, journal);
  return {
    book,
    remember: (text, occasion) => remember(book, text, occasion),
    update: (id, text, occasion, person) => update(book, id, text, occasion, person),
    forget: (id, scopes, person, now, key) => forget(book, id, scopes, person, now, key),
    undo: async (n, edit, scopes, person, now) => {
      const found = (await (await journal()).memory.changes(scopes, Number.MAX_SAFE_INTEGER)).find((change) => change.n === n);
      return found ? kept(await undoing(book, found, edit, person, now), "") : NOT_THERE;
    },
    unsaid: async (session, message, now) => {
      const state = await (await journal()).state(session);
      const why = state.opened && (await unsay(book, state.opened.scope, { session, message, by: authorOf(state, message) }, now));
      if (why) throw new Error(why);
    },
    heardIn: async (session) => {
      const root = await (await journal()).state(rootOf(session));
      const own = session === rootOf(session) ? [] : foreignIn(await (await journal()).state(session));
      return { spoken: spokenIn(root), foreign: [...foreignIn(root), ...own] };
    },
    answered: async (text, scopes, now) => {
      for (const scope of scopes) {
        const page = await book.page(scope);
        const used = isError(page) ? [] : page.facts.filter(({ fact }) => retains(text, fact.text)).map(({ fact }) => fact.id);
        if (used.length) await (await journal()).memory.use(scope, used, now);
      }
    },
    read: async (scopes) => {
      const found = await Promise.all(scopes.map(recalled));
      return found.filter((each) => each.text !== "" || each.problem !== undefined);
    },
    list: async (scopes) => (await Promise.all(scopes.map((scope) => linesOf(book, scope)))).flat(),
    history: async (scopes, limit) => (await journal()).memory.changes(scopes, limit),
    settle: async () => {
      const { memory } = await journal();
      for (const scope of await memory.scopes()) if ((await memory.unmade(scope)).length > 0) await book.change(scope, async () => null);
    },
  };
}

/** What the prompt is told of a scope; the same object for as long as its file is the same and all of it has room. */
function recaller(homeDir: string, book: Book, journal: () => Promise<Journal>): (scope: Scope) => Promise<Recalled> {
  const known = new Map<Scope, { version: string; recalled: Recalled }>();
  return async (scope) => {
    const now = seenAt(join(homeDir, memoryPath(scope)));
    const before = known.get(scope);
    if (now && before && before.version === now.version) return before.recalled;
    const page = await book.page(scope);
    const all = recall(scope, isError(page) ? page : page.text);
    const recalled = all.left > 0 && !isError(page) ? recall(scope, page.text, await (await journal()).memory.used(scope)) : all;
    known.delete(scope);
    if (now && !now.young && !isError(page) && all.left === 0) known.set(scope, { version: now.version, recalled });
    return recalled;
  };
}

/** Undefined where there is no file, or none that can be looked at. */
function seenAt(path: string): ReturnType<typeof versionOf> | undefined {
  try {
    return versionOf(path);
  } catch {
    return undefined;
  }
}

async function remember(book: Book, text: string, occasion: Occasion): Promise<Kept> {
  const fact = factOf(oneLine(text), occasion);
  const error = unfit(fact.text);
  if (error) return { ok: false, error };
  let near: Fact | undefined;
  const changed = await book.change(occasion.scope, async ({ facts }, journal) => {
    if (facts.some((line) => isSame(line.fact.text, fact.text))) return null;
    const stones = await journal.memory.tombstones(occasion.scope);
    const buried = stones.find((stone) => stone.mark === mark(fact.text));
    if (buried && (buried.by !== (occasion.asker ?? occasion.by) || occasion.unasked)) return FORGOTTEN;
    if (occasion.unasked && isFromForgotten(fact, stones)) return FORGOTTEN;
    near = facts.find((line) => isSimilar(line.fact.text, fact.text))?.fact;
    const after = formatFact(near ? { ...fact, against: near.id } : fact);
    const edit = { fact: fact.id, before: null, after, why: "" };
    return { ...draftOf("remember", occasion, [edit]), lift: buried ? [buried.mark] : [] };
  });
  const outcome = kept(changed, fact.text);
  return outcome.ok && near ? { ...outcome, near } : outcome;
}

const isFromForgotten = ({ session, messages = [] }: Fact, stones: readonly Tombstone[]): boolean =>
  stones.some((stone) => messages.some((message) => stone.messages.includes(`${session} ${message}`)));

async function update(book: Book, id: string, text: string, occasion: Occasion, person: Person): Promise<Kept> {
  const words = oneLine(text);
  const error = unfit(words);
  if (error) return { ok: false, error };
  const changed = await book.change(occasion.scope, async ({ facts }) => {
    const found = facts.find(({ fact }) => fact.id === id);
    if (!found) return NOT_THERE.error;
    if (!mayChange(found.fact, person)) return notYours(found.fact);
    const { against: _, ...old } = found.fact;
    const after = formatFact({ ...old, ...factOf(words, occasion), id });
    return after === found.text ? null : draftOf("update", occasion, [{ fact: id, before: found.text, after, why: "" }]);
  });
  return kept(changed, words);
}

async function forget(book: Book, id: string, scopes: readonly Scope[], person: Person, now: number, key: string): Promise<Kept> {
  for (const scope of scopes) {
    let words = "";
    const changed = await book.change(scope, async ({ facts }) => {
      const found = facts.find(({ fact }) => fact.id === id);
      if (!found) return NOT_THERE.error;
      if (!mayChange(found.fact, person)) return notYours(found.fact);
      words = found.fact.text;
      const edit: FactEdit = { fact: id, before: found.text, after: null, why: "" };
      return { key: `forget ${key} ${id}`, at: now, cause: "forget", by: person.id, edits: [edit], bury: [stoneOf(found.fact, person.id)] };
    });
    if (changed.ok || changed.error !== NOT_THERE.error) return kept(changed, words);
  }
  return NOT_THERE;
}

const draftOf = (cause: MemoryChange["cause"], { scope, session, call, by, asker = by, now }: Occasion, edits: FactEdit[]): Draft => ({
  key: `${scope} ${session} ${call}`,
  at: now,
  cause,
  by: asker,
  edits,
});

const NOT_THERE = { ok: false as const, error: "There is no such fact here." };
const FORGOTTEN = "Somebody asked that this be forgotten, so it is not kept again. Only who asked for that can have it remembered.";
const notYours = ({ by }: Fact): string =>
  `This was said by ${by}. Only they, the person it tells of, and administrators can change it; ask one of them.`;

function kept(changed: Changed, text: string): Kept {
  return changed.ok ? { ok: true, text, fresh: changed.n !== null } : { ok: false, error: changed.error };
}

async function linesOf(book: Book, scope: Scope): Promise<Listed[]> {
  const page = await book.page(scope);
  if (isError(page)) return [{ scope, text: `MEMORY.md cannot be read: ${page.detail}.` }];
  return parseFacts(page.text.replace(/<!--(?! id:\S)[\s\S]*?(-->|$)/g, "")).flatMap((line): Listed[] => {
    if (line.kind === "fact") return [{ scope, text: line.fact.text, fact: line.fact }];
    const own = /^\s*[-*] (.*\S)/.exec(line.text)?.[1];
    return own ? [{ scope, text: own }] : [];
  });
}

function factOf(text: string, { session, call, by, channel, about, messages = [], now }: Occasion): Fact {
  const id = createHash("sha256").update(`${session} ${call}`).digest("hex").slice(0, 8);
  const day = new Date(now).toISOString().slice(0, 10);
  const more = { ...(about ? { about } : {}), ...(messages.length ? { messages: messages.slice(-3) } : {}) };
  return { id, text, by, at: day, in: channel, session, ...more };
}
