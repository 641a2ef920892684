/**
 * `npm run erase -- --home NAME --person ID`: erases a person from a home whose product is stopped; somebody with ids on two platforms by
 * both, with a comma between them. Says what was rewritten, and what people have to look at themselves.
 *
 * E1. Everything outside the journal is done while the journal is locked and their words are still in it: killed in between, a second run
 *     does all of it again.
 * E2. policy.json and tools.json are people's and must stay what they mean: they are named, not touched.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { archive } from "../archive/archive.ts";
import { UserError } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import { leftovers, memoryPath } from "../files/mounts.ts";
import { eraseSignIns } from "../mcp/vault.ts";
import { eraseFromFiles, filesBelow, tracesOf } from "../memory/erase.ts";
import { type ErasedJournal, eraseFromJournal } from "../store/erase.ts";
import { openJournal } from "../store/journal.ts";
import { rewriteHistory } from "../workspace/rewrite.ts";
import { eraseFromBoard } from "./erase-board.ts";
import { cleaning, eraseFromHome, holds } from "./erase-home.ts";
import { type Job, journalPath, openHome, run, wishes } from "./open.ts";

run(async () => {
  const { home = "", person = "" } = wishes("person");
  const ids = person.split(",");
  if (!ids.every((id) => /^[a-z]+:\S+$/.test(id)))
    throw new UserError(
      "A person is named with their platform, such as --person slack:U0123ABCD; several ids of theirs with a comma between.",
    );
  const opened = await openHome(home);
  for (const id of ids) await erase(opened, id);
  process.stdout.write(`${ELSEWHERE}\n`);
  return 0;
});

async function erase({ home, dir, config, homes }: Omit<Job, "journal">, person: string): Promise<void> {
  const path = journalPath(dir);
  const traces = await tracesOf(dir, person, await memoriesOf(path));
  // What a life that died left unsaid in the history is said first.
  await homes.history(home).look();
  const told: string[] = [];
  const { events, changes } = await eraseFromJournal(path, person, traces, async (found) => {
    const { clean } = found.wanted;
    told.push(
      ...(await removeKept(dir, person, found)),
      ...(await eraseFromFiles(dir, person, clean)),
      ...(await eraseFromHome(dir, clean)),
    );
    const commits = await rewriteHistory(join(config.dataDir, "history", `${home}.git`), cleaning(found.wanted));
    if (commits !== undefined) told.push(`The history of the home: made anew, ${commits} of its changes rewritten.`);
    told.push(...(await eraseFromBoard(join(config.dataDir, "console"), found)));
    told.push(...(await eraseSignIns(join(config.dataDir, "mcp"), config.encryptionKey, home, person)));
  });
  told.unshift(`${path}: ${events} events and ${changes} changes of memory rewritten, the file made anew.`);
  told.push(`${await renderAnew(dir, path)} session logs written anew.`);
  process.stdout.write(`Erased ${person} from ${home}.\n${told.map((line) => `- ${line}`).join("\n")}\n`);
}

const ELSEWHERE =
  "What stands on the platform itself, at the model's provider, at tool servers, in other homes and in backups is not reached from here.";

/** What was kept of the conversations in which the person spoke, and whatever else beside the journal holds their words. */
async function removeKept(dir: string, person: string, { wanted, touched }: Pick<ErasedJournal, "wanted" | "touched">): Promise<string[]> {
  for (const { root, scope } of touched) {
    const [scratch, ...results] = leftovers(root);
    const gone = scope === `person:${person}` && scratch !== undefined ? [scratch, ...results] : results;
    for (const folder of gone) await rm(join(dir, folder), { recursive: true, force: true });
  }
  const told = [`${touched.length} conversations: kept results and attachments removed.`];
  for (const file of await filesBelow(dir, ["agents"])) {
    // The journal is rewritten by itself, and the readable logs are made from it again.
    if (/(^|\/)journal\.db(-\w+|\.search[^/]*)?$/.test(file) || file.startsWith("agents/main/sessions/")) continue;
    if (/(^|\/)journal\.db\./.test(file)) {
      await rm(join(dir, file));
      told.push(`${file}: removed, a damaged journal that was kept: nobody can tell what is in it.`);
      continue;
    }
    if (!(await holds(join(dir, file), wanted.clean)) && wanted.clean(file) === file) continue;
    await rm(join(dir, file));
    told.push(`${wanted.clean(file)}: removed, it held words of this person.`);
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
