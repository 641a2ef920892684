/**
 * `memory`: what may be shown here, numbered; searched, forgotten, its history, and changes taken back.
 *
 * - A number means what the person was shown last in this place; without that, what would be shown now.
 */

import { nearest } from "../core/nearest.ts";
import type { FactEdit, MemoryChange, Reply } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import type { Part } from "../core/view.ts";
import { factsIn, placeOf as saidAt } from "../memory/facts.ts";
import type { Kept, Listed } from "../memory/memory.ts";
import { type Asked, lines, page } from "./asked.ts";

const MOST = 50;
const LINES = 200;
type Verb = (asked: Asked, words: string) => Promise<Reply>;

const VERBS: Record<string, { help: string; run: Verb }> = {
  search: { help: "`memory search X`: only what holds X", run: search },
  forget: { help: "`memory forget N`: forget what is listed as #N", run: forget },
  history: { help: "`memory history`: what was learned, changed and forgotten", run: history },
  undo: { help: "`memory undo N`: take back what the history lists as #N; `memory undo night`: all of the last night", run: undo },
  export: { help: "`memory export`: what I know from you and about you, as a file", run: exported },
  about: { help: "`memory about me`: what I know from you and about you", run: aboutMe },
};

export async function memory(asked: Asked): Promise<Reply> {
  const [verb = "", ...words] = asked.rest.split(/\s+/).filter(Boolean);
  if (!verb) return list(asked, "What I remember here", await facts(asked), "I remember nothing yet. Say “remember …”.");
  const known = Object.hasOwn(VERBS, verb.toLowerCase()) ? VERBS[verb.toLowerCase()] : undefined;
  if (known) return known.run(asked, words.join(" "));
  const all = ["`memory`: everything I may show here", ...Object.values(VERBS).map(({ help }) => help)];
  if (verb.toLowerCase() === "help") return lines("Memory", all, "");
  const title = `I do not know “memory ${verb.slice(0, 40)}”. Did you mean “memory ${nearest(verb.toLowerCase(), Object.keys(VERBS))}”?`;
  return lines(title, all, "");
}

const facts = ({ on, home, scopes }: Asked): Promise<Listed[]> => on.memory(home).list(scopes);

/** The first facts that may be shown, as lines, and how many there are besides. */
export async function factLines(asked: Asked, most: number): Promise<{ lines: string[]; more: number }> {
  const found = await facts(asked);
  const lines = found.slice(0, most).map((each) => `- ${factText(asked, each, found)}`);
  return { lines, more: found.length - lines.length };
}

/** Words of people are never the product's own: nothing in them pings, links or imitates a card. */
function list(asked: Asked, title: string, found: Listed[], none: string): Reply {
  asked.on.shown.keep(keyOf(asked, "facts"), found.map(idOf));
  if (!found.length) return page(title, [{ kind: "note", text: none }]);
  const text = found.slice(0, MOST).map((each, index) => `- #${index + 1} ${factText(asked, each, found)}`);
  return page(title, [{ kind: "quoted", text: text.join("\n") }, ...rest(found.length)]);
}
const rest = (count: number): Part[] =>
  count > MOST ? [{ kind: "note", text: `and ${count - MOST} more; \`memory search X\` finds them` }] : [];

function factText({ on }: Asked, { scope, text, fact }: Listed, all: readonly Listed[]): string {
  const place = scope === "team" ? "" : " — not shown elsewhere";
  if (!fact) return `${text} (written here by people)${place}`;
  const other = fact.against === undefined ? -1 : all.findIndex((each) => each.fact?.id === fact.against);
  const [message] = fact.messages ?? [];
  const at = saidAt(fact);
  const link = message && at ? on.link(at, message) : undefined;
  const source = [fact.by, fact.at, link].filter(Boolean).join(", ");
  return `${text} (${source})${place}${other < 0 ? "" : ` ⚠ may contradict #${other + 1}: forget the one that does not hold`}`;
}

async function search(asked: Asked, words: string): Promise<Reply> {
  if (!words) return lines("Memory", [VERBS.search?.help ?? ""], "");
  const wanted = words.toLowerCase();
  const found = (await facts(asked)).filter(({ text }) => text.toLowerCase().includes(wanted));
  return list(asked, found.length ? `Memory: “${words}”` : "Memory", found, "Nothing I may show here holds that.");
}

async function aboutMe(asked: Asked): Promise<Reply> {
  return list(asked, "What I know from you and about you", await mine(asked), "Nothing that I may show here.");
}

async function exported(asked: Asked): Promise<Reply> {
  const found = await mine(asked);
  if (!found.length) return page("Memory", [{ kind: "note", text: "I know nothing from you or about you that I may show here." }]);
  const day = new Date(asked.on.now()).toISOString().slice(0, 10);
  const title = "What I know from you and about you";
  const facts = found.map(({ text, fact, scope }) => `- ${text} (${[fact?.by, fact?.at, fact?.in, scope].filter(Boolean).join(", ")})`);
  return page(title, [
    {
      kind: "text",
      text: `${found.length} ${found.length === 1 ? "fact" : "facts"}, as far as I may show ${found.length === 1 ? "it" : "them"} here.`,
    },
    { kind: "file", name: `memory-${day}.md`, text: `# ${title}\n\n${day}\n\n${facts.join("\n")}\n` },
  ]);
}

async function mine(asked: Asked): Promise<Listed[]> {
  const { id } = asked.command.by;
  const bare = id.slice(id.indexOf(":") + 1);
  return (await facts(asked)).filter(
    ({ fact, text }) => fact && (fact.by === id || fact.about === id || (bare !== "" && text.includes(bare))),
  );
}

async function forget(asked: Asked, words: string): Promise<Reply> {
  const { on, home, scopes, session } = asked;
  const known = on.shown.of(keyOf(asked, "facts")) ?? (await facts(asked)).map(idOf);
  const id = known[numberIn(words) - 1];
  if (id === undefined) return lines("Memory", ["There is no such number. `memory` lists what I remember here."], "");
  if (id === "")
    return lines("Memory", ["People wrote this line themselves; it is taken out in MEMORY.md, in an editor or in the console."], "");
  const now = on.now();
  return told(await on.memory(home).forget(id, scopes, await personOf(asked), now, `${session} ${now}`), "Forgotten: ");
}

async function history(asked: Asked): Promise<Reply> {
  const edits = await editsOf(asked);
  asked.on.shown.keep(
    keyOf(asked, "history"),
    edits.map(({ change, index }) => `${change.n} ${index}`),
  );
  if (!edits.length) return page("Memory", [{ kind: "note", text: "Nothing has been remembered or forgotten yet." }]);
  const text = edits.slice(0, MOST).map(({ change, edit }, index) => `- #${index + 1} ${editText(change, edit)}`);
  return page("What changed in my memory, the newest first", [
    { kind: "quoted", text: text.join("\n") },
    { kind: "note", text: "`memory undo N` takes one back." },
  ]);
}

async function undo(asked: Asked, words: string): Promise<Reply> {
  const { on, home, scopes } = asked;
  const edits = await editsOf(asked);
  const night = edits.find(({ change }) => change.cause === "night");
  const known = on.shown.of(keyOf(asked, "history")) ?? edits.map(({ change, index }) => `${change.n} ${index}`);
  const wanted = words.toLowerCase() === "night" ? night && `${night.change.n}` : known[numberIn(words) - 1];
  if (!wanted) return lines("Memory", ["There is no such number. `memory history` lists what changed."], "");
  const [n = "", index] = wanted.split(" ");
  const only = index === undefined ? null : Number(index);
  return told(await on.memory(home).undo(Number(n), only, scopes, await personOf(asked), on.now()), "Taken back.");
}

async function editsOf({ on, home, scopes }: Asked): Promise<{ change: MemoryChange; edit: FactEdit; index: number }[]> {
  const changes = await on.memory(home).history(scopes, LINES);
  return changes.flatMap((change) => change.edits.map((edit, index) => ({ change, edit, index })));
}

function editText({ cause, by, at, scope }: MemoryChange, { before, after, why }: FactEdit): string {
  const [old, now] = [before, after].map((line) => (line === null ? undefined : (factsIn(line)[0]?.fact.text ?? line)));
  const what = old === undefined ? `+ ${now}` : now === undefined ? `− ${old}` : `${old} → ${now}`;
  const who = cause === "night" ? "at night" : `${CAUSES[cause]} by ${by}`;
  return `${what} (${who}, ${new Date(at).toISOString().slice(0, 10)}${placeOf(scope)})${why ? ` ${why}` : ""}`;
}
const CAUSES = { remember: "remembered", update: "changed", forget: "forgotten", undo: "taken back", night: "" };
const placeOf = (scope: Scope): string => (scope === "team" ? "" : ", not shown elsewhere");

async function personOf({ on, rules, command }: Asked) {
  const standing = await on.standing(command);
  return { id: command.by.id, admin: standing !== undefined && rules.may("admin", command.by.id, standing) };
}

const keyOf = ({ home, command: { place, by } }: Asked, what: string): string =>
  [home, place.platform, place.channel, by.id, what].join(" ");
const idOf = ({ fact }: Listed): string => fact?.id ?? "";
const numberIn = (words: string): number => Number(/^#?(\d{1,6})$/.exec(words.trim())?.[1] ?? 0);
function told(kept: Kept, done: string): Reply {
  const text = kept.ok ? (kept.fresh ? `${done}${kept.text}` : "That is done already.") : kept.error;
  return page("Memory", [{ kind: "quoted", text }]);
}
