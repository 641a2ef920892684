/** A process that writes to the journal named by its first argument until it is killed, and says what was acknowledged, line by line. */
import { writeSync } from "node:fs";
import { openJournal } from "../../src/store/journal.ts";
import { A, held, opening, said, todos } from "../contract/journal-story.ts";

const [path = "", life = ""] = process.argv.slice(2);
const journal = openJournal(path);
const lease = await held(journal, A);
for (let n = 0; ; n++) {
  const ids = Array.from({ length: 1 + (n % 5) }, (_, i) => `${life}.${n}.${i}`);
  const taken = ids.map((id) => journal.receive(A, id, said(id, "x".repeat((n * 37) % 900)), opening(A)).then(() => id));
  const recorded = n > 0 ? journal.record(lease, [[A, [todos(`${life}.${n}`)]]]) : true;
  const done = [...(await Promise.all(taken)), ...((await recorded) ? [`todo ${life}.${n}`] : [])];
  // Straight to the pipe: what is only in this process's memory would die with it.
  writeSync(1, `${done.join("\n")}\n`);
}
