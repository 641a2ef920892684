import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBoard } from "../../adapters/console/board.ts";
import { posts } from "../../adapters/console/posts.ts";
import { archive } from "../../src/archive/archive.ts";
import { retire } from "../../src/archive/retire.ts";
import type { Event, Received } from "../../src/core/event.ts";
import type { Journal } from "../../src/core/ports.ts";
import { leftovers } from "../../src/files/mounts.ts";
import { nightsOf } from "../../src/main/nights.ts";
import { fuse, fused } from "../help/fuse.ts";
import { until } from "../help/until.ts";
import { ANN, add, Home, sessionOf } from "../memory/place.ts";

const DAY = 86_400_000;
const DM = `person:${ANN.id}` as const;
let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.end());

const days = (sessionsDays: number | null, broken?: string) => async () => ({
  policy: { retention: { sessionsDays } },
  ...(broken ? { broken } : {}),
});
const run = (policy = days(30), journal: Journal = home.journal) => retire({ dir: home.dir, journal, policy }, home.now);
const filesWith = (needle: string): string[] =>
  readdirSync(home.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(needle));

async function answered(scope: Parameters<typeof sessionOf>[0], more: Event[] = []): Promise<void> {
  const session = sessionOf(scope);
  const lease = await home.journal.lease(session);
  if (!lease) throw new Error("no lease");
  const { talk } = await home.journal.state(session);
  const turn = talk.turn + 1;
  const events: Event[] = [
    { type: "step.opened", at: home.now, turn, step: 1, upTo: talk.received },
    ...more,
    { type: "turn.ended", at: home.now, turn, how: "stopped", text: "", cuts: [] },
    { type: "turn.closed", at: home.now, turn },
  ];
  expect(await home.journal.record(lease, [[session, events]])).toBe(true);
  await home.journal.release(lease);
}

/** An old thread that is done, with all it leaves on the disk, and one in direct messages that is young. */
async function lived(): Promise<void> {
  await home.say(ANN, "our code name is zebra-4711");
  home.brain = () => [add("our code name is zebra-4711", "m1")];
  await home.night();
  await answered("team");
  const logs = archive(join(home.dir, "agents/main/sessions"), home.journal);
  await logs.add(sessionOf("team"));
  for (const folder of leftovers(sessionOf("team"))) {
    mkdirSync(join(home.dir, folder), { recursive: true });
    writeFileSync(join(home.dir, folder, "x.txt"), "all of zebra-4711");
  }
  await home.journal.search("zebra", ["team"], 5);
  home.now += 31 * DAY;
  await home.say(ANN, "a young word, giraffe-12", DM);
  await answered(DM);
}

describe("old conversations", () => {
  it("leave nothing behind but what is remembered of them, to the byte; the young ones stay", async () => {
    await lived();
    expect(filesWith("zebra-4711").length).toBeGreaterThanOrEqual(5);
    expect(await run()).toEqual([sessionOf("team")]);
    // The fact, its line in the history of memory, and nothing else.
    const memory = await home.memory().history(["team"], 9);
    expect(memory[0]?.edits[0]?.after).toContain("zebra-4711");
    const path = join(home.dir, "agents/main/context/journal.db");
    expect(filesWith("zebra-4711").sort()).toEqual([join(home.dir, "MEMORY.md"), path].sort());
    expect(readFileSync(path).toString("latin1").split("zebra-4711").length - 1).toBe(1);
    expect(await home.journal.search("zebra", ["team"], 5)).toEqual([]);
    expect((await home.journal.search("giraffe", [DM], 5)).length).toBe(1);
    expect((await home.journal.sessions()).map(({ session }) => session)).toEqual([sessionOf(DM)]);
    expect(home.texts()).toEqual(["our code name is zebra-4711"]);
    expect(await run()).toEqual([]);
    expect(await home.night()).toHaveLength(1);
  });

  it("stay without a number, and while policy.json cannot be used", async () => {
    await lived();
    expect(await run(days(null))).toEqual([]);
    expect(await run(days(1, "policy.json is not valid"))).toEqual([]);
    expect((await home.journal.sessions()).length).toBe(2);
  });

  it.each<[string, () => Promise<void>]>([
    ["a timer is set", () => answered("team", [{ type: "timer.set", at: home.now, id: "t", due: home.now + 400 * DAY, text: "x" }])],
    ["something waits to be answered", async () => void (await home.say(ANN, "hello?"))],
    [
      "somebody is at it",
      async () => {
        await answered("team");
        await home.second().lease(sessionOf("team"));
      },
    ],
    [
      "a decision is open",
      async () => {
        const session = sessionOf("team");
        const lease = await home.journal.lease(session);
        const usage = { model: "m", input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
        const gate = { label: "pay", digest: "d", reason: "", risky: true, helper: false, quorum: 1, expires: null, code: "c1" };
        const rest = { offers: [], level: "approve" as const, notBy: null, deciders: "", subject: null };
        const events: Event[] = [
          { type: "step.opened", at: home.now, turn: 1, step: 1, upTo: 1 },
          { type: "model.answered", at: home.now, turn: 1, step: 1, content: [], calls: [{ tool: "pay", input: {} }], usage },
          { type: "call.gated", at: home.now, call: "1.1.0", verdict: "ask", ...gate, ...rest },
          { type: "post.started", at: home.now, slot: "card/1.1.0", key: "k", mark: false },
          { type: "post.failed", at: home.now, slot: "card/1.1.0", unsure: false, until: null, reason: "" },
          { type: "post.started", at: home.now, slot: "progress/1", key: "k", mark: false },
          { type: "post.failed", at: home.now, slot: "progress/1", unsure: false, until: null, reason: "" },
        ];
        expect(lease && (await home.journal.record(lease, [[session, events]]))).toBe(true);
        if (lease) await home.journal.release(lease);
      },
    ],
  ])("stay while %s", async (_, then) => {
    await home.say(ANN, "our code name is zebra-4711");
    await then();
    home.now += 31 * DAY;
    expect(await run()).toEqual([]);
    expect((await home.journal.state(sessionOf("team"))).talk.received).toBeGreaterThan(0);
  });

  it("one that is spoken in again begins anew, also for a process that still knew it, and no position comes twice", async () => {
    await lived();
    const other = home.second();
    expect((await other.state(sessionOf("team"))).talk.received).toBe(1);
    const last = (await home.journal.events(sessionOf(DM))).at(-1)?.seq ?? 0;
    await run();
    expect((await other.state(sessionOf("team"))).opened).toBeUndefined();
    const id = "m77";
    const opening = {
      home: "home",
      scope: "team" as const,
      place: { platform: "slack", team: "T1", channel: "C1", thread: "1.1" },
      code: "n",
    };
    await other.receive(
      sessionOf("team"),
      id,
      { type: "message.received", at: home.now, id, by: ANN, text: "anew", heard: false },
      opening,
    );
    expect((await home.journal.state(sessionOf("team"))).talk.received).toBe(1);
    expect((await home.journal.events(sessionOf("team")))[0]?.seq).toBeGreaterThan(last);
  });

  it("leave the console's own threads as well, also those that a job beside the product retired", async () => {
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const board = await openBoard(join(home.dir, "console"));
    const said = async (id: string, text: string) => {
      await board.say({ id, thread: id, person: "console:ann", text, home: "home", at: Date.now() });
      await board.take(id);
    };
    await said("m1", "zebra-4711");
    await said("m2", "giraffe-12");
    const opening = { home: "home", scope: "team" as const, place: { platform: "console", team: "home", channel: "home", thread: "m2" } };
    const event: Received = { type: "message.received", at: Date.now(), id: "m2", by: ANN, text: "giraffe-12", heard: false };
    await home.journal.receive("console:home:m2", "m2", event, { ...opening, code: "c" });
    const streams = { ring: () => {} } as unknown as Parameters<typeof posts>[0]["streams"];
    const present = {} as unknown as Parameters<typeof posts>[0]["present"];
    const adapter = posts({ board: () => board, store: () => undefined, url: () => "", present, streams, scrub: (text) => text, log });
    const nights = (policy: ReturnType<typeof days>) =>
      nightsOf(
        {
          config: { model: "m" },
          homes: { home: () => ({ dir: home.dir, policy }), rules: async () => ({}) },
          journal: async () => home.journal,
          memory: () => home.memory(),
          model: { kind: "offline" },
          adapters: new Map([["console", adapter]]),
          log,
        } as unknown as Parameters<typeof nightsOf>[0],
        { wake: () => {} },
      );
    for (const policy of [days(null), days(0, "broken")]) await nights(policy).night("home", new AbortController().signal);
    expect(board.threads()).toHaveLength(2);
    await nights(days(-1)).night("home", new AbortController().signal);
    expect(board.threads().map(({ id }) => id)).toEqual(["m2"]);
    expect(filesWith("zebra-4711")).toEqual([]);
  });

  it("killed in between, the next look ends it", async () => {
    await lived();
    const blows = fuse();
    const port = fused(home.second(), blows, 1, ["retire"]);
    void run(days(30), port);
    await until(() => blows.blown || undefined, "the fuse");
    expect(filesWith("all of zebra-4711")).toEqual([]);
    expect(await run()).toEqual([sessionOf("team")]);
    expect((await home.journal.sessions()).map(({ session }) => session)).toEqual([sessionOf(DM)]);
  });
});
