import { existsSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Journal } from "../../src/core/ports.ts";
import type { Scope } from "../../src/core/scope.ts";
import { indexed, questions } from "../../src/store/words.ts";
import * as story from "../contract/journal-story.ts";
import { A, B, BOB, NOON, opening, said } from "../contract/journal-story.ts";
import { type Folder, folder } from "./rig.ts";

let home: Folder;
let journal: Journal;
beforeEach(() => {
  home = folder();
  journal = home.open();
});
afterEach(() => home.end());

const BOTH: Scope[] = ["team", "place:slack:C1"];
const say = (session: string, id: string, text: string) => journal.receive(session, id, said(id, text), opening(session));
const find = async (query: string, scopes: readonly Scope[] = BOTH, limit = 10) =>
  (await journal.search(query, scopes, limit)).map(({ text }) => text);

describe("a search", () => {
  it("finds what people and the agent said, the newest first, with where and by whom", async () => {
    await say(A, "m1", "The relay in Berlin is broken");
    const lease = await story.held(journal, A);
    await journal.record(lease, [[A, [story.step(1, 1, 1), story.answers(1, 1)]]]);
    await journal.record(lease, [
      [A, [{ type: "turn.ended", at: NOON, turn: 1, how: "answered", text: "The relay is mended.", cuts: [] }]],
    ]);
    expect(await journal.search("relay", ["team"], 5)).toEqual([
      { session: A, place: opening(A).place, title: "The relay in Berlin is broken", at: NOON, by: "", text: "The relay is mended." },
      {
        session: A,
        place: opening(A).place,
        title: "The relay in Berlin is broken",
        at: NOON,
        by: "Ann",
        text: "The relay in Berlin is broken",
        message: "m1",
      },
    ]);
    expect(await find("relay", ["team"], 1)).toEqual(["The relay is mended."]);
  });

  it("P6: sees only the scopes it is given", async () => {
    await say(A, "m1", "salary of the team");
    await say(B, "m2", "salary in private");
    expect(await find("salary", ["team"])).toEqual(["salary of the team"]);
    expect(await find("salary", ["place:slack:C1"])).toEqual(["salary in private"]);
    expect(await find("salary", ["person:slack:U1"])).toEqual([]);
    expect(await find("salary", [])).toEqual([]);
  });

  it("what was deleted or corrected before it came is not found, or by its last words only (P6)", async () => {
    await say(A, "m0", "hello");
    await journal.receive(A, "d", { type: "message.deleted", at: NOON, id: "m1" });
    await say(A, "m1", "the walrus plan");
    await journal.receive(A, "e", { type: "message.edited", at: NOON, id: "m2", rev: 1, text: "the giraffe plan" });
    await say(A, "m2", "the zebra plan");
    expect(await find("walrus")).toEqual([]);
    expect(await find("zebra")).toEqual([]);
    expect(await find("giraffe")).toEqual(["the giraffe plan"]);
  });

  it("a corrected message is found by its last words, one that was deleted or withdrawn by none", async () => {
    await say(A, "m1", "old words");
    await say(A, "m2", "other words");
    await say(A, "m3", "third words");
    expect(await find("words")).toHaveLength(3);
    await journal.receive(A, "e", { type: "message.edited", at: NOON, id: "m1", rev: 1, text: "new text" });
    await journal.receive(A, "d", { type: "message.deleted", at: NOON, id: "m2" });
    await journal.receive(A, "w", { type: "message.withdrawn", at: NOON, id: "m3", by: BOB });
    expect([await find("old"), await find("other"), await find("third"), await find("new")]).toEqual([[], [], [], ["new text"]]);
    expect((await journal.search("new", BOTH, 1))[0]).toMatchObject({ by: "Ann", message: "m1" });
  });

  it.each([
    ["all words, in any order", "broken relay", ["relay is broken"]],
    ["beginnings, where no whole word fits", "brok", ["relay is broken"]],
    ["three letters are a beginning", "rel", ["relay is broken"]],
    ["two are a word, or nothing", "re", []],
    ["two are a word", "is", ["relay is broken"]],
    ["any word, where not all are together", "relay banana", ["relay is broken"]],
    ["accents or none", "Zurich", ["ride to Zürich"]],
    ["Japanese, from the middle of a run", "会議", ["昨日の会議は長い"]],
    ["one Chinese character", "长", ["会议很长"]],
    ["one from the middle", "议", ["会议很长"]],
    ["Korean", "회의", ["어제 회의가 있었다"]],
    ["words that are signs of the index's language", 'relay" OR scope:x -* NEAR(', ["relay is broken"]],
    ["nothing but signs", '"*():-^', []],
    ["what nobody said", "banana", []],
  ])("%s", async (_, query, found) => {
    for (const [index, text] of ["relay is broken", "ride to Zürich", "昨日の会議は長い", "会议很长", "어제 회의가 있었다"].entries())
      await say(A, `m${index}`, text);
    expect(await find(query)).toEqual(found);
  });

  it("takes up what another process wrote, and each thing once", async () => {
    const other = home.open();
    await say(A, "m1", "relay one");
    expect(await find("relay")).toHaveLength(1);
    await other.receive(A, "m2", said("m2", "relay two"), opening(A));
    expect(await Promise.all([find("relay"), other.search("relay", BOTH, 9).then((all) => all.map(({ text }) => text))])).toEqual([
      ["relay two", "relay one"],
      ["relay two", "relay one"],
    ]);
  });

  it("makes its index again if an earlier version made it", async () => {
    await say(A, "m1", "relay one");
    expect(await find("relay")).toHaveLength(1);
    await journal.close();
    const index = new Database(`${home.path}.search`);
    index.exec("DROP TABLE words; CREATE VIRTUAL TABLE words USING fts5(scope, text); PRAGMA user_version = 1");
    index.close();
    journal = home.open();
    expect(await find("rel")).toEqual(["relay one"]);
  });

  it("makes its index again if that is damaged, and leaves the journal alone", async () => {
    await say(A, "m1", "relay one");
    expect(await find("relay")).toHaveLength(1);
    await journal.close();
    expect(existsSync(`${home.path}.search`)).toBe(true);
    writeFileSync(`${home.path}.search`, "not a database at all, but long enough to be taken for one".repeat(50));
    journal = home.open();
    await say(A, "m2", "relay two");
    expect(await find("relay")).toEqual(["relay two", "relay one"]);
  });
});

describe("words", () => {
  it("runs without spaces become pairs", () => {
    expect(indexed("abc 昨日は def").split(/\s+/)).toEqual(["abc", "昨日", "日は", "昨", "日", "は", "def"]);
    expect(questions("昨日は")[0]).toBe('"昨日 日は"');
  });
  it("a long question is cut to its first words", () => {
    expect(questions("w ".repeat(100))[0]?.match(/"w"/g)).toHaveLength(12);
  });
});
