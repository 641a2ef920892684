import { afterEach, beforeEach, expect, it } from "vitest";
import type { Event } from "../../src/core/event.ts";
import type { Moment } from "../../src/core/ports.ts";
import type { Scope } from "../../src/core/scope.ts";
import { speakersOf } from "../../src/main/speakers.ts";
import { ANN, BEN, Home, placeOf, sessionOf } from "./place.ts";

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.end());
const DM: Scope = `person:${ANN.id}`;
const GROUP: Scope = "place:slack:G1";

/** Ann asks in her direct messages, and the agent looks for something first. */
async function searching(query: string): Promise<void> {
  const session = sessionOf(DM);
  const lease = await home.journal.lease(session);
  const usage = { model: "m", input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const calls = [{ tool: "search_sessions", input: { query } }];
  const events: Event[] = [
    { type: "step.opened", at: 1, turn: 1, step: 1, upTo: 1 },
    { type: "model.answered", at: 1, turn: 1, step: 1, content: [], calls, usage },
  ];
  expect(lease && (await home.journal.record(lease, [[session, events]]))).toBe(true);
}

async function asked(text: string): Promise<string[]> {
  const session = sessionOf(DM);
  const place = placeOf(DM);
  const state = await home.journal.state(session);
  const moment: Moment = { home: "home", session, scope: DM, place, by: ANN, state, now: 1, signal: new AbortController().signal };
  const speakers = speakersOf({ journal: async () => home.journal, memory: () => home.memory() }, async () => ["team", DM, GROUP]);
  return (await speakers(moment, text)).map(({ id }) => id);
}

it("P6 whoever said in another private place what a search found there is asked as well", async () => {
  await home.say(BEN, "The salary of Cleo is 93000 per year", GROUP, { heard: true });
  await home.say(BEN, "Lunch is at noon on Friday", GROUP);
  await home.say(ANN, "tell the team what Cleo earns", DM);
  await searching("Cleo");
  expect(await asked("Cleo has a salary of 93000")).toEqual([ANN.id, BEN.id]);
  expect(await asked("Somebody earns well")).toEqual([ANN.id]);
});
