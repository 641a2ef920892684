/** A session's journal as lines, the state a step was thought in, and prices. Pure. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event, Speaker } from "../../src/core/event.ts";
import { logLines, stateAt, usedIn } from "../../src/operator/log.ts";
import { costOf } from "../../src/operator/price.ts";

const ANN: Speaker = { id: "slack:U1", name: "Ann", kind: "member" };
const USAGE = { model: "m", input: 10, output: 5, cacheRead: 20, cacheWrite: 3 };
const opened: Event = {
  type: "session.opened",
  at: 1,
  home: "h",
  scope: "team",
  place: { platform: "slack", team: "T", channel: "C", thread: "1" },
  code: "c",
};
const said = (id: string, text: string): Event => ({ type: "message.received", at: 2, id, by: ANN, text, heard: false });
const story: Event[] = [
  opened,
  said("a", "first words"),
  { type: "step.opened", at: 10, turn: 1, step: 1, upTo: 1 },
  {
    type: "model.answered",
    at: 250,
    turn: 1,
    step: 1,
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "tool_use", id: "x", name: "t", input: {} },
    ],
    calls: [{ tool: "t", input: { a: 1 } }],
    usage: USAGE,
  },
  {
    type: "call.gated",
    at: 251,
    call: "1.1.0",
    verdict: "ask",
    label: "s/t",
    digest: "d",
    reason: "It asks.",
    risky: true,
    helper: false,
    quorum: 1,
    expires: null,
    code: "k",
    offers: ["approve"],
    level: "approve",
    notBy: null,
    deciders: "Anybody.",
    subject: null,
  },
  { type: "approval.decided", at: 300, call: "1.1.0", digest: "d", by: ANN, verdict: "approve" },
  { type: "call.started", at: 310, call: "1.1.0", digest: "d" },
  { type: "call.finished", at: 400, call: "1.1.0", content: "done", failed: false },
  said("b", "second words"),
  { type: "step.opened", at: 410, turn: 1, step: 2, upTo: 2 },
];

test("each fact is a line, with how long it took where that is known", () => {
  const lines = logLines(story, () => undefined);
  expect(lines.map(({ kind }) => kind)).toEqual(["said", "step", "answered", "asked", "decided", "result", "said", "step"]);
  expect(lines[2]).toMatchObject({ took: 240, thought: true, calls: [{ call: "1.1.0", tool: "t", input: "a: 1" }] });
  expect(lines[3]).toMatchObject({ label: "s/t", verdict: "ask", reason: "It asks." });
  expect(lines[5]).toMatchObject({ took: 90, text: "done" });
});

test("a step's state has what was there when it was opened, and nothing that came after", () => {
  expect(JSON.stringify(stateAt(story, 1, 1)?.talk.entries)).toContain("first words");
  expect(JSON.stringify(stateAt(story, 1, 1))).not.toContain("second words");
  expect(stateAt(story, 1, 2)?.talk.entries).toHaveLength(3);
  expect(stateAt(story, 2, 1)).toBeUndefined();
});

test("P6 what was deleted, corrected or not, is in no line and in no step's state, wherever the deletion comes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: story.length }), (where) => {
      const edited: Event = { type: "message.edited", at: 5, id: "a", rev: 1, text: "first words, mended" };
      const gone: Event = { type: "message.deleted", at: 999, id: "a" };
      const events = [...story.slice(0, where), edited, gone, ...story.slice(where)];
      expect(JSON.stringify(logLines(events, () => undefined))).not.toContain("first words");
      expect(JSON.stringify(stateAt(events, 1, 1)?.talk.entries ?? [])).not.toContain("first words");
    }),
  );
});

test("tokens of a session count what went through the cache", () => expect(usedIn(story)).toEqual({ input: 33, output: 5 }));

describe("cost", () => {
  test.each([
    [{ model: "claude-sonnet-5-5", input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 }, 3],
    [{ model: "claude-sonnet-5-5", input: 1_000_000, output: 0, cacheRead: 1_000_000, cacheWrite: 0 }, 0.3],
    [{ model: "claude-opus-5", input: 0, output: 1_000_000, cacheRead: 0, cacheWrite: 0 }, 25],
    [{ model: "claude-haiku-5", input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 1_000_000 }, 1.25],
    [{ model: "offline", input: 9, output: 9, cacheRead: 0, cacheWrite: 0 }, 0],
    [{ model: "somebody's own", input: 9, output: 9, cacheRead: 0, cacheWrite: 0 }, null],
  ])("of %j is %s", (used, cost) => {
    const found = costOf(used);
    if (cost === null) expect(found).toBeNull();
    else expect(found).toBeCloseTo(cost, 6);
  });
});
