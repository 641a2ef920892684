/** Usage by person, model and channel; and what a journal of an earlier form knew of it. */
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { A, ANN, answers, held, opening, said, step } from "../contract/journal-story.ts";
import { type Folder, folder } from "./rig.ts";

let home: Folder;
beforeEach(() => {
  home = folder();
});
afterEach(() => home.end());

async function oneAnswer(): Promise<void> {
  const journal = home.open();
  const lease = await held(journal, A);
  await journal.receive(A, "m", said("m"), opening(A));
  await journal.record(lease, [[A, [step(1, 1, 1), answers(1, 1)]]]);
  await journal.close();
}

it("is told for each day by person, model and channel, with the parts that went through the cache", async () => {
  await oneAnswer();
  const [told, ...others] = await home.open().spent("2026-11-30", "2026-11-30");
  expect(others).toEqual([]);
  expect(told).toMatchObject({ day: "2026-11-30", person: ANN.id, model: expect.any(String), channel: "slack:C1" });
  expect(told?.input).toBeGreaterThanOrEqual((told?.cacheRead ?? 0) + (told?.cacheWrite ?? 0));
  expect(await home.open().spent("2026-12-01", "2026-12-31")).toEqual([]);
});

it("of a journal of an earlier form stays as it was, without model and channel", async () => {
  await oneAnswer();
  const db = new Database(home.path);
  db.exec("DROP TABLE usage; DROP TABLE used; DROP INDEX event_given");
  db.exec(
    "CREATE TABLE usage (day TEXT NOT NULL, person TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, PRIMARY KEY (day, person)) STRICT, WITHOUT ROWID",
  );
  db.prepare("INSERT INTO usage VALUES (?, ?, 70, 7)").run("2026-11-30", ANN.id);
  db.pragma("user_version = 2001");
  db.close();
  const journal = home.open();
  expect(await journal.usage("2026-11-30", ANN.id)).toEqual([{ person: ANN.id, input: 70, output: 7 }]);
  expect(await journal.spent("2026-11-30", "2026-11-30")).toEqual([
    { day: "2026-11-30", person: ANN.id, model: "", channel: "", input: 70, output: 7, cacheRead: 0, cacheWrite: 0 },
  ]);
});
