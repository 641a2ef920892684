/** Writes the journals that are missing and renews the fingerprints. Run by hand; what is committed is what the tests hold to. */
import { existsSync, writeFileSync } from "node:fs";
import { EVERYTHING, STORIES, tell } from "../core/stories.ts";
import { commitsIn, endOf, names, printOf, written } from "./journal.ts";

const path = (name: string): URL => new URL(name, import.meta.url);
for (const story of [...STORIES, EVERYTHING]) {
  const file = path(`v1-${story.name}.jsonl`);
  if (!existsSync(file)) writeFileSync(file, written(tell(story).world.commits));
}
const prints = Object.fromEntries(names().map((name) => [name, printOf(endOf(commitsIn(name)))]));
writeFileSync(path("fingerprints.json"), `${JSON.stringify(prints, null, 2)}\n`);
