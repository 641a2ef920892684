/**
 * What of a model's operations is done: each is checked by code, on the facts as they are now. Pure.
 *
 * J1. Evidence is there, in this scope, and was said by a person; an operation says nothing that is not in its evidence.
 * J2. Nothing is lost without a replacement or a reason that somebody gave: a merged fact keeps what its parts said; a fact is retired or
 *     superseded only by words of who said it or is told of in it. Another person's words stand beside it, marked as a contradiction.
 * J3. No more than a quarter of the facts goes in one night, and what is left has room in the prompt.
 * J4. People's own lines are not even looked at, and a fact that was changed since the model saw it is left alone.
 */
import { createHash } from "node:crypto";
import type { FactEdit, Tombstone } from "../core/ports.ts";
import { isDenied } from "./denial.ts";
import { type Fact, formatFact, oneLine } from "./facts.ts";
import type { Said } from "./heard.ts";
import type { Operation } from "./operations.ts";
import { isSame, isSimilar, isTurned } from "./sense.ts";
import { unfit } from "./unfit.ts";
import { brings, isGrounded, isRelated, mark, retains } from "./words.ts";

export interface Grounds {
  /** The facts now, with their lines. */
  facts: readonly { fact: Fact; text: string }[];
  /** Their lines when the model saw them, by id. */
  seen: ReadonlyMap<string, string>;
  said: readonly Said[];
  tombstones: readonly Tombstone[];
  /** How many facts may still go tonight. */
  losses: number;
  /** Whether facts like these have room. */
  fits(lines: readonly string[]): boolean;
  now: number;
  /** Makes the ids of this night's facts its own. */
  night: string;
}
export interface Judged {
  edits: FactEdit[];
  /** Why operations were not done, in sentences. */
  refused: string[];
}
interface Work {
  on: Grounds;
  lines: Map<string, { fact: Fact; text: string }>;
  edits: FactEdit[];
  losses: number;
}

export function judge(operations: readonly Operation[], on: Grounds): Judged {
  const work: Work = { on, lines: new Map(on.facts.map((line) => [line.fact.id, line])), edits: [], losses: on.losses };
  const refused: string[] = [];
  for (const [index, operation] of operations.entries()) {
    const why = done(work, operation, index);
    if (why) refused.push(`${operation.op}: ${why}`);
  }
  return { edits: work.edits, refused };
}

function done(work: Work, operation: Operation, index: number): string | undefined {
  const cited = new Set(operation.evidence.map(bare));
  const messages = work.on.said.filter(({ ref }) => cited.has(ref));
  switch (operation.op) {
    case "add":
      return messages.length === cited.size && cited.size > 0 ? add(work, operation, messages, index) : NO_EVIDENCE;
    case "update":
      return messages.length === cited.size && cited.size > 0 ? update(work, operation, messages, index) : NO_EVIDENCE;
    case "merge":
      return merge(work, operation, messages);
    case "retire":
      return messages.length === cited.size && cited.size > 0 ? retire(work, operation, messages) : NO_EVIDENCE;
  }
}
/** Models write an id with what stands around it. */
const bare = (ref: string): string => ref.replace(/^\[?m:|\]$/g, "");
const NO_EVIDENCE = "its evidence is not among what people said here";
const NOT_OF_IT = "its evidence does not speak of the fact";
const CHANGED = "there is no such fact, or it was changed since";
const TOO_MUCH = "more than a quarter of the facts would go in one night";

function add({ on, lines, edits }: Work, operation: Extract<Operation, { op: "add" }>, messages: Said[], index: number, against?: string) {
  const plain = { ...factOf(on, operation.text, messages, index), ...aboutOf(operation.about, messages) };
  const wrong = unfit(plain.text) ?? ungrounded(plain.text, messages, []);
  if (wrong) return wrong;
  const all = [...lines.values()];
  if (all.some((line) => isSaidBy(line.fact, plain))) return undefined;
  const other = all.find((line) => (against ? line.fact.id === against : isSimilar(line.fact.text, plain.text)))?.fact;
  const fact: Fact = other ? { ...plain, against: other.id } : plain;
  if (on.tombstones.some((stone) => stone.mark === mark(fact.text))) return "somebody asked that this be forgotten";
  const after = formatFact(fact);
  if (!on.fits([...texts(lines), after])) return "the memory is full; facts have to be forgotten or merged first";
  lines.set(fact.id, { fact, text: after });
  edits.push({ fact: fact.id, before: null, after, why: other ? besides(other) : "" });
  return undefined;
}
/** Words in another order may say something else, but not where both are from one message. */
const isSaidBy = (known: Fact, fact: Fact): boolean =>
  isSame(known.text, fact.text) ||
  (mark(known.text) === mark(fact.text) && known.session === fact.session && !!known.messages?.some((id) => fact.messages?.includes(id)));
const besides = ({ text, by }: Fact): string => `It may contradict or repeat “${text}” (${by}): forget the one that does not hold.`;

function update(work: Work, operation: Extract<Operation, { op: "update" }>, messages: Said[], index: number): string | undefined {
  const { on, lines, edits } = work;
  const old = unchanged(work, operation.fact);
  if (!old) return CHANGED;
  if (!isRelated(operation.text, old.fact.text)) return "it is not about the fact it would replace";
  const theirs = messages.filter(({ by }) => by.id === old.fact.by || by.id === old.fact.about);
  if (theirs.length === 0) return add(work, { ...operation, op: "add" }, messages, index, old.fact.id);
  if (!theirs.some((each) => isRelated(each.text, old.fact.text) || brings(operation.text, each.text, old.fact.text))) return NOT_OF_IT;
  const { text, at, messages: refs, session, in: channel } = factOf(on, operation.text, theirs, index);
  const wrong = unfit(text) ?? ungrounded(text, messages, [old.fact.text]);
  if (wrong) return wrong;
  if (on.tombstones.some((stone) => stone.mark === mark(text))) return "somebody asked that this be forgotten";
  const { against: _, ...rest } = old.fact;
  const after = formatFact({ ...rest, text, at, session, in: channel, ...(refs ? { messages: refs } : {}) });
  if (after === old.text) return undefined;
  if (!on.fits([...texts(lines, [old.fact.id]), after])) return "the memory is full; facts have to be forgotten or merged first";
  replace(work, old, after, { ...rest, text });
  edits.push({ fact: old.fact.id, before: old.text, after, why: "" });
  return undefined;
}

function merge(work: Work, { facts: ids, text, evidence }: Extract<Operation, { op: "merge" }>, messages: Said[]): string | undefined {
  const parts = [...new Set(ids)].map((id) => unchanged(work, id));
  const [first, ...others] = parts.flatMap((part) => (part ? [part] : []));
  if (!first || others.length === 0 || others.length + 1 !== parts.length) return CHANGED;
  const all = [first, ...others];
  const own = new Set(all.flatMap(({ fact }) => fact.messages ?? []));
  if (evidence.length === 0 || !evidence.every((ref) => own.has(bare(ref)) || messages.some((message) => message.ref === bare(ref))))
    return NO_EVIDENCE;
  if (others.some(({ fact }) => fact.by !== first.fact.by)) return "the facts are not of one person";
  const words = oneLine(text);
  const wrong =
    unfit(words) ??
    ungrounded(
      words,
      [],
      all.map(({ fact }) => fact.text),
    );
  if (wrong) return wrong;
  const turned = isDenied(words)
    ? isTurned(
        words,
        all.map(({ fact }) => fact.text),
      )
    : all.some(({ fact }) => isDenied(fact.text));
  if (turned || !all.every(({ fact }) => retains(words, fact.text))) return "it would lose what one of the facts says";
  if (others.length > work.losses) return TOO_MUCH;
  work.losses -= others.length;
  const fact: Fact = {
    ...first.fact,
    text: words,
    messages: all.flatMap(({ fact: part }) => (part.session === first.fact.session ? (part.messages ?? []) : [])).slice(-5),
  };
  const after = formatFact(fact);
  replace(work, first, after, fact);
  work.edits.push({ fact: fact.id, before: first.text, after, why: `Put together with ${others.map((it) => it.fact.id).join(", ")}.` });
  for (const part of others) {
    work.lines.delete(part.fact.id);
    work.edits.push({ fact: part.fact.id, before: part.text, after: null, why: `It is part of ${fact.id} now.` });
  }
  return undefined;
}

function retire(work: Work, { fact: id, reason }: Extract<Operation, { op: "retire" }>, messages: Said[]): string | undefined {
  const old = unchanged(work, id);
  if (!old) return CHANGED;
  const why = oneLine(reason).slice(0, 300);
  if (why === "") return "no reason is given";
  const theirs = messages.filter(({ by }) => by.id === old.fact.by || by.id === old.fact.about);
  if (theirs.length === 0) return "it is not for somebody else to end it";
  if (!theirs.some(({ text }) => isRelated(text, old.fact.text))) return NOT_OF_IT;
  if (work.losses < 1) return TOO_MUCH;
  work.losses--;
  work.lines.delete(id);
  work.edits.push({ fact: id, before: old.text, after: null, why });
  return undefined;
}

function unchanged({ on, lines, edits }: Work, id: string): { fact: Fact; text: string } | undefined {
  const now = lines.get(id);
  return now && on.seen.get(id) === now.text && !edits.some(({ fact }) => fact === id) ? now : undefined;
}

function replace({ lines }: Work, old: { fact: Fact }, text: string, fact: Fact): void {
  lines.set(old.fact.id, { fact, text });
}

const texts = (lines: Work["lines"], without: readonly string[] = []): string[] =>
  [...lines.values()].filter(({ fact }) => !without.includes(fact.id)).map(({ text }) => text);

function ungrounded(text: string, messages: readonly Said[], facts: readonly string[]): string | undefined {
  const sources = [...messages.flatMap(({ text: words, by }) => [words, by.name, by.id]), ...facts];
  if (!isGrounded(text, sources)) return "it says what nobody said";
  const spoken = messages.map(({ text: words }) => words);
  return spoken.length > 0 && isTurned(text, spoken) ? "it says the opposite of what was said" : undefined;
}

function factOf({ now, night }: Grounds, text: string, messages: readonly Said[], index: number): Fact {
  const id = createHash("sha256").update(`${night} ${index}`).digest("hex").slice(0, 8);
  const [first] = messages;
  const session = first?.session ?? "";
  const refs = messages.filter((message) => message.session === session).map((message) => message.id);
  const day = new Date(first?.at ?? now).toISOString().slice(0, 10);
  return { id, text: oneLine(text), by: first?.by.id ?? "", at: day, in: first?.channel ?? "", session, messages: refs.slice(0, 5) };
}

/** A fact tells of somebody only if they are among those who spoke, or are named by their id. */
function aboutOf(about: string | undefined, messages: readonly Said[]): { about?: string } {
  if (!about) return {};
  const bare = about.slice(about.indexOf(":") + 1);
  return messages.some(({ by, text }) => by.id === about || (bare !== "" && text.includes(bare))) ? { about } : {};
}
