/**
 * `npm run erase -- --home NAME --person ID`: erases a person from a home whose product is stopped. Says what was rewritten, and what
 * people have to look at themselves.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { archive } from "../archive/archive.ts";
import { UserError } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { evictedPath, memoryPath, scratchPath } from "../files/mounts.ts";
import { eraseFromFiles, filesBelow, tracesOf } from "../memory/erase.ts";
import { type ErasedJournal, eraseFromJournal } from "../store/erase.ts";
import { openJournal } from "../store/journal.ts";
import { journalPath, openHome, run, wishes } from "./open.ts";

run(async () => {
  const { home = "", person = "" } = wishes("person");
  if (!/^[a-z]+:\S+$/.test(person)) throw new UserError("A person is named with their platform, such as --person slack:U0123ABCD.");
  const { dir } = await openHome(home);
  const path = journalPath(dir);
  const traces = await tracesOf(dir, person, await memoriesOf(path));
  const told: string[] = [];
  const { wanted, events, changes } = await eraseFromJournal(path, person, traces, async (found) => {
    told.push(...(await removeKept(dir, person, found)), ...(await eraseFromFiles(dir, person, found.wanted.clean)));
  });
  told.unshift(`${path}: ${events} events and ${changes} changes of memory rewritten, the file made anew.`);
  told.push(`${await renderAnew(dir, path)} session logs written anew.`);
  for (const file of await filesBelow(dir, ["AGENTS.md", "KNOWLEDGE.md", "tools.json", "policy.json", "skills", "subagents", "files"]))
    if (await holds(join(dir, file), wanted.clean))
      told.push(`${file}: names this person or repeats their words; it and its history are for people to change.`);
  process.stdout.write(`Erased ${person} from ${home}.\n${told.map((line) => `- ${line}`).join("\n")}\n`);
  return 0;
});

/** What was kept of the conversations in which the person spoke, and scratch files with their words in them. */
async function removeKept(dir: string, person: string, { wanted, touched }: Pick<ErasedJournal, "wanted" | "touched">): Promise<string[]> {
  for (const { root, scope } of touched) {
    await rm(join(dir, evictedPath(root)), { recursive: true, force: true });
    if (scope === `person:${person}`) await rm(join(dir, scratchPath(root)), { recursive: true, force: true });
  }
  const told = [`${touched.length} conversations: kept results removed.`];
  for (const file of await filesBelow(dir, ["agents/main/context/scratch", "agents/main/evicted"])) {
    if (!(await holds(join(dir, file), wanted.clean))) continue;
    await rm(join(dir, file));
    told.push(`${file}: removed, it held words of this person.`);
  }
  return told;
}

/** Where facts may be: each scope that was ever begun. */
async function memoriesOf(path: string): Promise<{ scope: Scope; path: string }[]> {
  const journal = openJournal(path);
  try {
    const scopes = new Set<Scope>(["team", ...(await journal.memory.scopes())]);
    return [...scopes].map((scope) => ({ scope, path: memoryPath(scope) }));
  } finally {
    await journal.close();
  }
}

async function renderAnew(dir: string, path: string): Promise<number> {
  const journal = openJournal(path);
  try {
    return await archive(join(dir, "agents", "main", "sessions"), journal).renew();
  } finally {
    await journal.close();
  }
}

async function holds(file: string, clean: (text: string) => string): Promise<boolean> {
  const text = (await readFile(file)).toString("utf8");
  return clean(text) !== text;
}
