import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nextAt } from "../../src/clock.ts";
import type { Place } from "../../src/core/event.ts";
import type { Journal, Platform } from "../../src/core/ports.ts";
import type { Scope } from "../../src/core/scope.ts";
import { plain } from "../../src/core/view.ts";
import { type DigestOn, tellNights } from "../../src/memory/digest.ts";
import { remembering } from "../../src/memory/keep.ts";
import { homeMemory } from "../../src/memory/memory.ts";
import { night } from "../../src/memory/night.ts";
import { Bot, ANN as STAGE_ANN, BEN as STAGE_BEN } from "../help/bot.ts";
import { type Fuse, fuse, fused } from "../help/fuse.ts";
import { until } from "../help/until.ts";
import { ANN, add, asked, BEN, Home } from "./place.ts";

let home: Home;
let woken: string[];
let wants: Awaited<ReturnType<DigestOn["wants"]>>;
beforeEach(() => {
  home = new Home();
  woken = [];
  wants = { announce: "slack:C0OPS", tells: async (person) => person === ANN.id };
});
afterEach(() => home.end());

const slack = { name: "slack", link: ({ team, channel }: Place, message: string) => `https://x/${team}/${channel}/${message}` };
const on = (journal: Journal = home.journal): DigestOn => ({
  journal: async () => journal,
  platforms: new Map([["slack", slack as unknown as Platform]]),
  wants: async () => wants,
  morning: async (_, after) => after + 5 * 3_600_000,
  wake: (_, session) => void woken.push(session),
  now: () => home.now,
  log: { debug() {}, info() {}, warn() {}, error() {} },
});

async function aNight(): Promise<void> {
  await home.say(ANN, "Our port is 9933.");
  await home.say(ANN, "direct-3 is blue", "person:slack:UANN");
  await home.say(BEN, "ben-4 is red", "person:slack:UBEN");
  await home.say(BEN, "private-5 is green", "place:slack:G1");
  const facts: [string, string][] = [
    ["Our port is 9933.", "m1"],
    ["direct-3 is blue", "m2"],
    ["ben-4 is red", "m3"],
    ["private-5 is green", "m4"],
  ];
  home.brain = (request) => facts.filter(([, id]) => asked(request).includes(`[m:${id}]`)).map(([text, id]) => add(text, id));
  await home.night();
}
interface Told {
  scope: Scope;
  place: Place;
  due: number;
  lines: string[];
}
async function digests(): Promise<Told[]> {
  const rows = await home.journal.sessions();
  const found = await Promise.all(
    rows.map(async ({ session, scope, place }): Promise<Told[]> => {
      const { digest } = await home.journal.state(session);
      return digest ? [{ scope, place, due: digest.due, lines: digest.lines.map(({ text, link }) => `${text} ${link ?? ""}`) }] : [];
    }),
  );
  return found.flat().sort((a, b) => (a.scope < b.scope ? -1 : 1));
}

describe("what a night learned is told in the morning", () => {
  it("P6 the team's to the channel that policy names, a person's to themselves, and nothing of a private place to anybody", async () => {
    await aNight();
    expect(await tellNights(on(), "home")).toBe(2);
    const due = home.now + 5 * 3_600_000;
    const thread = null;
    expect(await digests()).toEqual([
      {
        scope: "person:slack:UANN",
        place: { platform: "slack", team: "T1", channel: "DANN", thread },
        due,
        lines: ["Learned: direct-3 is blue (slack:UANN, 2026-11-30) https://x/T1/DANN/m2"],
      },
      {
        scope: "team",
        place: { platform: "slack", team: "T1", channel: "C0OPS", thread },
        due,
        lines: ["Learned: Our port is 9933. (slack:UANN, 2026-11-30) https://x/T1/C1/m1"],
      },
    ]);
    expect(woken).toHaveLength(2);
  });

  it("P5 each change once, whoever looks how often; what nobody wanted told is passed over", async () => {
    await aNight();
    wants = { tells: async () => false };
    expect(await tellNights(on(), "home")).toBe(0);
    wants = { announce: "slack:C0OPS", tells: async () => true };
    expect(await tellNights(on(), "home")).toBe(0);
    home.now += 86_400_000;
    const id = await home.say(ANN, "Our host is db5.");
    home.brain = (request) => (asked(request).includes("db5") ? [add("Our host is db5.", id)] : []);
    await home.night();
    await Promise.all([tellNights(on(), "home"), tellNights(on(home.second()), "home"), tellNights(on(), "home")]);
    expect((await digests()).map(({ lines }) => lines)).toEqual([
      ["Learned: Our host is db5. (slack:UANN, 2026-12-01) https://x/T1/C1/m5"],
    ]);
  });

  it("changes and retirements with what was before and why; a night begun by hand is told at once", async () => {
    await home.memory().remember("Ann sits in room 12", { scope: "team", session: "s", call: "1", by: ANN.id, channel: "c", now: 1 });
    await home.memory().remember("The fair is in May", { scope: "team", session: "s", call: "2", by: ANN.id, channel: "c", now: 1 });
    const [room, fair] = [home.idOf("room"), home.idOf("fair")];
    for (let n = 3; n < 8; n++)
      await home.memory().remember(`filler ${n * 111}`, { scope: "team", session: "s", call: `${n}`, by: ANN.id, channel: "c", now: 1 });
    await home.say(ANN, "Ann sits in room 14 now, and the fair in May is off");
    home.brain = () => [
      { op: "update", fact: room, text: "Ann sits in room 14", evidence: ["m1"] },
      { op: "retire", fact: fair, reason: "It is off.", evidence: ["m1"] },
    ];
    await night({ ...home.on(), byHand: true });
    await tellNights(on(), "home");
    const [{ lines = [], due = 0 } = {}] = await digests();
    expect(due).toBe(home.now);
    expect(lines[0]).toContain("Changed: Ann sits in room 12 → Ann sits in room 14");
    expect(lines[1]).toContain("Retired: The fair is in May. It is off.");
  });

  it("P5 killed at every boundary: the next look goes on, and each change is told once", { timeout: 30_000 }, async () => {
    await aNight();
    const all = await plainTold(0);
    expect(all.passed).toBeGreaterThanOrEqual(6);
    for (let at = 1; at <= all.passed; at++) {
      await home.end();
      home = new Home();
      await aNight();
      await plainTold(at);
      home.brain = () => [add("Our host is db5.", "m5")];
      await home.say(ANN, "Our host is db5.");
      await home.night();
      await tellNights(on(), "home");
      await tellNights(on(), "home");
      const lines = (await digests()).flatMap((each) => each.lines.map((line) => `${each.scope} ${line}`));
      expect(lines.toSorted(), `killed at ${at}`).toEqual([
        "person:slack:UANN Learned: direct-3 is blue (slack:UANN, 2026-11-30) https://x/T1/DANN/m2",
        "team Learned: Our host is db5. (slack:UANN, 2026-11-30) https://x/T1/C1/m5",
        "team Learned: Our port is 9933. (slack:UANN, 2026-11-30) https://x/T1/C1/m1",
      ]);
    }
  });
  async function plainTold(at: number): Promise<Fuse> {
    const blows = fuse();
    const raw = home.second();
    const memory = fused(raw.memory, blows, at, ["untold", "told"]);
    const port = new Proxy(fused(raw, blows, at, ["receive"]), {
      get: (target, name) => (name === "memory" ? memory : Reflect.get(target, name)),
    });
    const done = tellNights(on(port), "home").then(() => true);
    await Promise.race([done, until(() => blows.blown || undefined, "the fuse", 5_000)]);
    return blows;
  }

  it.each([
    ["08:00", "Europe/Berlin", "2027-03-28T02:00:00Z", "2027-03-28T06:00:00.000Z"],
    ["08:00", "Europe/Berlin", "2027-10-31T02:00:00Z", "2027-10-31T07:00:00.000Z"],
    ["02:30", "America/New_York", "2027-03-14T05:00:00Z", "2027-03-14T07:00:00.000Z"],
    ["07:15", "Australia/Lord_Howe", "2027-06-01T22:00:00Z", "2027-06-02T20:45:00.000Z"],
  ])("the morning is %s in %s, also where the clock changes", (time, zone, after, expected) => {
    expect(new Date(nextAt(time, zone, Date.parse(after))).toISOString()).toBe(expected);
  });
});

describe("the buttons of a digest", () => {
  let bot: Bot;
  afterEach(() => bot.end());
  const place: Place = { platform: "stage", team: "T", channel: "OPS", thread: null };
  async function told(scope: Scope = "team"): Promise<void> {
    bot = new Bot({ memory: (dir, journal) => remembering(() => homeMemory(dir, journal), Date.now) });
    const { book } = homeMemory(bot.dir, async () => bot.journal);
    const line = (n: number) => `- Fact number ${n} <!-- id:f${n} by:stage:ann at:2026-11-30 in:stage:C session:s messages:m${n} -->`;
    const edits = [1, 2, 3].map((n) => ({ fact: `f${n}`, before: null, after: line(n), why: "" }));
    const changed = await book.change(scope, async () => ({ key: "night", at: 1, cause: "night", by: "", edits }));
    const n = changed.ok ? (changed.n ?? 0) : 0;
    const lines = edits.map((_, edit) => ({ n, edit, text: `Learned: Fact number ${edit + 1}` }));
    const event = { type: "digest.told" as const, at: Date.now(), due: Date.now(), title: "At night", lines };
    await bot.journal.receive(`digest:${n}`, "digest", event, { home: "home", scope, place, code: "nightcode" });
    await bot.house.resume(["home"]);
    await bot.button("Undo all");
  }
  const facts = async () => (await homeMemory(bot.dir, async () => bot.journal).list(["team", "person:stage:ann"])).map(({ text }) => text);
  const standing = () => bot.stage.visible().map(({ slot }) => plain(slot.view));

  it("P2 take back one line or the whole night, also after a restart, and say who did; a second press does nothing", async () => {
    await told();
    expect(bot.stage.posts.map(({ thread, slot }) => [thread, slot.kind])).toEqual([["", "digest"]]);
    await bot.click(STAGE_BEN, "Undo #2");
    expect(await facts()).toEqual(["Fact number 1", "Fact number 3"]);
    await until(() => standing()[0]?.includes("Fact number 2 (taken back by Ben)") || undefined, "the line to say so");
    expect(bot.stage.buttons("Undo #2")).toEqual([]);
    await bot.restart();
    await bot.click(STAGE_ANN, "Undo all");
    expect(await facts()).toEqual([]);
    await until(() => bot.stage.buttons("Undo all").length === 0 || undefined, "the buttons to go");
    expect(bot.stage.visible()).toHaveLength(1);
  });

  it("P6 rights are checked when pressed: whoever may not talk here, or whose direct messages they are not, is told so", async () => {
    await told("person:stage:ann");
    const reply = await bot.click(STAGE_BEN, "Undo #1");
    expect("view" in reply ? plain(reply.view) : reply.to).toMatch(/You may not take this back/);
    expect(await facts()).toHaveLength(3);
    await bot.click(STAGE_ANN, "Undo #1");
    expect(await facts()).toHaveLength(2);
  });

  it("P5 of a post in doubt is looked for, and one that comes twice is marked", async () => {
    await told();
    expect(bot.stage.posts).toHaveLength(1);
    await bot.restart();
    await bot.quiet();
    expect(bot.stage.posts).toHaveLength(1);
  });
});

it("a digest for a platform that is not connected waits, and keeps nobody busy", async () => {
  const bot = new Bot();
  const lines = [{ n: 1, edit: 0, text: "Learned: x" }];
  const event = { type: "digest.told" as const, at: Date.now(), due: Date.now(), title: "At night", lines };
  const place: Place = { platform: "elsewhere", team: "T", channel: "C", thread: null };
  await bot.journal.receive("digest:1", "digest", event, { home: "home", scope: "team", place, code: "c" });
  let looks = 0;
  const { state } = bot.journal;
  bot.journal.state = (session) => {
    if (session === "digest:1") looks++;
    return state(session);
  };
  await bot.house.resume(["home"]);
  await bot.say(STAGE_ANN, "hello");
  await until(() => bot.stage.answers().length > 0 || undefined, "an answer");
  expect(looks).toBeLessThan(20);
  await bot.end();
});
