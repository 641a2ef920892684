/**
 * What a home wrote with an earlier build is read by this one: each journal folds to what it always folded to, and wherever it breaks
 * off, it goes on to its end.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { EventType } from "../../src/core/event.ts";
import { settled, watch } from "../core/check.ts";
import { drain, newSim } from "../core/sim.ts";
import { EVERYTHING, fateOf, STORIES } from "../core/stories.ts";
import { newWorld } from "../core/world.ts";
import { type Commit, commitsIn, endOf, names, printOf, restore } from "./journal.ts";

const PRINTS: Record<string, string> = JSON.parse(readFileSync(new URL("fingerprints.json", import.meta.url), "utf8"));
const KINDS: Record<EventType, true> = {
  "session.opened": true,
  "file.fetched": true,
  "file.removed": true,
  "message.received": true,
  "message.edited": true,
  "message.deleted": true,
  "message.withdrawn": true,
  "approval.decided": true,
  "turn.stopped": true,
  "grant.given": true,
  "grant.revoked": true,
  noted: true,
  "step.opened": true,
  "step.failed": true,
  "model.answered": true,
  "turn.ended": true,
  "turn.closed": true,
  "timer.set": true,
  "timer.fired": true,
  "call.gated": true,
  "approval.expired": true,
  "call.started": true,
  "call.waiting": true,
  "call.asked": true,
  "tokens.spent": true,
  "tools.loaded": true,
  "tool.pinned": true,
  "call.finished": true,
  "post.started": true,
  "post.shown": true,
  "post.failed": true,
  "post.hidden": true,
  "context.compacted": true,
  "context.trimmed": true,
  "context.clipped": true,
  "context.kept": true,
  "todos.written": true,
  "grant.used": true,
  "home.paused": true,
  "home.resumed": true,
  "person.told": true,
  "digest.told": true,
  "digest.undone": true,
  "session.retired": true,
};

/** Goes on from a place in a journal, to its end. */
function goOn(name: string, commits: readonly Commit[], arrived: boolean): void {
  const story = [...STORIES, EVERYTHING].find((it) => name === `v1-${it.name}`);
  if (!story) throw new Error(`${name} has no story`);
  const world = newWorld(fateOf(story), watch, story.limits);
  restore(world, commits, arrived);
  drain(newSim(world), undefined, true);
  settled(world);
}

describe("golden journals", () => {
  it("hold every kind of event", () => {
    const there = new Set(names().flatMap((name) => commitsIn(name).flatMap((commit) => commit.map(([, event]) => event.type))));
    expect([...there].sort()).toEqual(Object.keys(KINDS).sort());
  });

  it.each(names())("%s folds to what it always folded to", (name) => {
    expect(printOf(endOf(commitsIn(name)))).toBe(PRINTS[name]);
  });

  it.each(names())("P1 P3 P4 P5: %s goes on from each of its prefixes", (name) => {
    const commits = commitsIn(name);
    for (let upTo = 0; upTo <= commits.length; upTo++) for (const arrived of [true, false]) goOn(name, commits.slice(0, upTo), arrived);
  });
});
