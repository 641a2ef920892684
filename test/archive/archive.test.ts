import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Archive, archive } from "../../src/archive/archive.ts";
import { daysOf } from "../../src/archive/lines.ts";
import type { Event } from "../../src/core/event.ts";
import { childOf } from "../../src/core/id.ts";
import type { Journal } from "../../src/core/ports.ts";
import * as story from "../contract/journal-story.ts";
import { A, ANN, B, NOON, opening, said } from "../contract/journal-story.ts";
import { type Folder, folder } from "../store/rig.ts";

let home: Folder;
let journal: Journal;
let at: string;
let logs: Archive;
beforeEach(() => {
  home = folder();
  journal = home.open();
  at = join(dirname(home.path), "sessions");
  logs = archive(at, journal);
});
afterEach(() => home.end());

const own = () => join(at, "slack_T1_C1_1");
const files = (): string[] => readdirSync(own()).sort();
const lines = (): { seq: number; type: string; text?: string }[] =>
  files().flatMap((file) =>
    readFileSync(join(own(), file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
const say = (id: string, more: Partial<Extract<Event, { type: "message.received" }>> = {}) =>
  journal.receive(A, id, { ...said(id, `words of ${id}`), ...more } as ReturnType<typeof said>, opening(A));

describe("the log of a session", () => {
  it("holds every event with its position, by day, and a repeat adds nothing", async () => {
    await say("m1");
    await say("m2", { at: NOON + 24 * 3_600_000 });
    await logs.add(A);
    expect(files()).toEqual(["2026-11-30.jsonl", "2026-12-01.jsonl"]);
    expect(lines().map(({ type, text }) => text ?? type)).toEqual(["session.opened", "words of m1", "words of m2"]);
    const before = JSON.stringify(lines());
    await Promise.all([logs.add(A), logs.add(A)]);
    await archive(at, journal).add(A);
    expect(JSON.stringify(lines())).toBe(before);
    await say("m3", { at: NOON });
    await logs.add(A);
    expect(lines().map(({ seq }) => seq)).toEqual((await journal.events(A)).map(({ seq }) => seq));
    expect(files()).toEqual(["2026-11-30.jsonl", "2026-12-01.jsonl"]);
  });

  it("is for its owner's eyes", async () => {
    await say("m1");
    await logs.add(A);
    expect([statSync(own()).mode & 0o777, statSync(join(own(), files()[0] ?? "")).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("goes on wherever a crash cut it off", async () => {
    for (const id of ["m1", "m2", "m3"]) await say(id);
    await logs.add(A);
    const file = join(own(), files()[0] ?? "");
    const whole = readFileSync(file);
    for (let size = 0; size <= whole.length; size += 13) {
      truncateSync(file, size);
      await logs.add(A);
      expect(readFileSync(file).equals(whole), `cut at ${size}`).toBe(true);
    }
    appendFileSync(file, '{"seq":99');
    await logs.add(A);
    expect(readFileSync(file).equals(whole)).toBe(true);
  });

  it("finds its last line, however long it is", async () => {
    await say("m1", { text: "x".repeat(300_000) });
    await logs.add(A);
    await say("m2");
    await logs.add(A);
    await logs.add(A);
    expect(lines().map(({ type }) => type)).toEqual(["session.opened", "message.received", "message.received"]);
  });

  it("loses the words of a message that is deleted", async () => {
    await say("m1");
    await say("m2");
    await logs.add(A);
    await journal.receive(A, "d", { type: "message.deleted", at: NOON, id: "m1" });
    await logs.add(A);
    expect(lines().map(({ type, text }) => text ?? type)).toEqual(["session.opened", "[deleted]", "words of m2", "message.deleted"]);
  });

  it("of a helper lies beside its root's", async () => {
    await say("m1");
    const lease = await story.held(journal, A);
    const child = childOf(A, "1.1.0");
    const opened: Event = {
      ...opening(A),
      type: "session.opened",
      at: NOON,
      code: "c",
      parent: { session: A, call: "1.1.0", agent: "auditor", by: ANN },
    };
    expect(await journal.record(lease, [[child, [opened]]])).toBe(true);
    await logs.add(A);
    expect(readdirSync(at).sort()).toEqual(["slack_T1_C1_1", "slack_T1_C1_1=2F1.1.0"]);
  });
});

describe("written anew", () => {
  it("all logs are what the journal says, and what belongs to no session is gone", async () => {
    await say("m1");
    await journal.receive(B, "b1", said("b1"), opening(B));
    mkdirSync(join(at, "gone"), { recursive: true });
    mkdirSync(own(), { recursive: true });
    writeFileSync(join(own(), "2020-01-01.jsonl"), '{"seq":900}\n');
    expect(await logs.renew()).toBe(2);
    expect(readdirSync(at).sort()).toEqual(["slack_T1_C1_1", "slack_T1_C1_2"]);
    expect(lines().map(({ type }) => type)).toEqual(["session.opened", "message.received"]);
  });
});

describe("lines", () => {
  it("never go back a day, and lose and double nothing, wherever they are cut in two", () => {
    const days = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 });
    fc.assert(
      fc.property(days, fc.nat(20), (list, cut) => {
        const events = list.map((day, index) => ({
          seq: index + 1,
          event: { ...said(`m${index}`), at: NOON + day * 86_400_000 } as Event,
        }));
        const whole = daysOf(events);
        const first = daysOf(events.slice(0, cut));
        const second = daysOf(events.slice(cut), first.at(-1)?.date);
        const dates = [...first, ...second].map(({ date }) => date);
        expect(dates).toEqual([...dates].sort());
        expect([...first, ...second].map(({ lines }) => lines).join("")).toBe(whole.map(({ lines }) => lines).join(""));
      }),
    );
  });
});
