/** What people do to memory: by the tools of the agent, and by the words of `memory`. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Asked } from "../../src/commands/asked.ts";
import { memory as memoryWord } from "../../src/commands/memory.ts";
import { numbers, type Shown } from "../../src/commands/shown.ts";
import type { JsonObject, Speaker } from "../../src/core/event.ts";
import type { Tool, ToolContext } from "../../src/core/ports.ts";
import { type Scope, visibleScopes } from "../../src/core/scope.ts";
import { plain } from "../../src/core/view.ts";
import { forget, remember, share, update } from "../../src/tools/memory.ts";
import { context, run } from "../tools/context.ts";
import { ANN, add, BEN, Home, NOON } from "./place.ts";

let home: Home;
let shown: Shown;
beforeEach(() => {
  home = new Home();
  shown = numbers();
});
afterEach(() => home.end());

const CY: Speaker = { id: "slack:UCY", name: "Cy", kind: "member" };
let count = 0;
function call(
  tool: (deps: Parameters<typeof remember>[0]) => Tool,
  input: JsonObject,
  by = ANN,
  scope: Scope = "team",
  more: Partial<ToolContext> = {},
) {
  const given = context({ by, scope, session: "s", call: `1.1.${count++}`, ...more });
  const deps = { memoryFor: () => home.memory(), isAdmin: async ({ by: who }: ToolContext) => who.id === CY.id };
  return run(tool(deps), input, given);
}

function asked(rest: string, by = ANN, own: Scope = "team", places: Scope[] = []): Asked {
  const place = { platform: "slack", team: "T1", channel: "C1", thread: null };
  const on = {
    memory: () => home.memory(),
    shown,
    link: () => undefined,
    now: () => NOON,
    standing: async () => ({ member: true, guest: false, external: false, owner: by === CY, bot: false, groups: [] }),
  };
  const rules = { may: (what: string, person: string) => what === "talk" || person === CY.id };
  const scopes = visibleScopes(own, by, places);
  return { on, rules, scopes, rest, home: "home", session: "s", command: { place, by } } as unknown as Asked;
}
async function says(rest: string, ...who: [Speaker?, Scope?, Scope[]?]): Promise<string> {
  const reply = await memoryWord(asked(rest, ...who));
  expect(reply.to).toBe("asker");
  return "view" in reply ? plain(reply.view) : "";
}

describe("the tools", () => {
  it("a fact is changed by who said it, by whom it tells of and by administrators, and by nobody else", async () => {
    await call(remember, { text: "Ann sits in room 12" });
    const id = home.idOf("room");
    expect(await call(update, { id, text: "Ann sits in room 13" }, BEN)).toMatchObject({
      failed: true,
      text: expect.stringContaining("ask one of them"),
    });
    expect(await call(update, { id: `[${id}]`, text: "Ann sits in room 14" })).toMatchObject({ failed: false });
    expect(await call(update, { id, text: "Ann sits in room 15" }, CY)).toMatchObject({ failed: false });
    expect(await call(update, { id, text: "The password is hunter2!" })).toMatchObject({ failed: true });
    expect(home.texts()).toEqual(["Ann sits in room 15"]);
  });

  it("forgetting is for the same people, and what was forgotten is not kept again but by who forgot it", async () => {
    const state = context().state;
    const talkers = { state: { ...state, talk: { ...state.talk, talkers: [BEN.id] } } };
    await call(remember, { text: "Ben keeps bees", about: BEN.id }, ANN, "team", talkers);
    const id = home.idOf("bees");
    expect(await call(forget, { id }, { ...ANN, id: "slack:UX" })).toMatchObject({ failed: true });
    expect(await call(forget, { id }, BEN)).toMatchObject({ failed: false, text: "Forgotten: Ben keeps bees" });
    expect(home.texts()).toEqual([]);
    expect(await call(remember, { text: "ben keeps BEES" }, ANN)).toMatchObject({
      failed: true,
      text: expect.stringContaining("forgotten"),
    });
    await home.say(ANN, "Ben keeps bees");
    home.brain = () => [add("Ben keeps bees", "m1")];
    expect((await home.night())[0]?.refused).toEqual(["add: somebody asked that this be forgotten"]);
    expect(await call(remember, { text: "Ben keeps bees" }, BEN)).toMatchObject({ failed: false });
    expect(home.texts()).toEqual(["Ben keeps bees"]);
  });

  it("the messages a forgotten fact came from are not read by the next night", async () => {
    await home.say(ANN, "my birthday is in May");
    home.brain = () => [add("my birthday is in May", "m1")];
    await home.night();
    await call(forget, { id: home.idOf("birthday") });
    await home.happens({ type: "message.edited", at: 1, id: "m1", rev: 2, text: "my birthday is in May!" });
    home.requests.length = 0;
    await home.night();
    expect(home.requests).toEqual([]);
  });

  it("near facts are told, for people to settle", async () => {
    await call(remember, { text: "The release day is Thursday" });
    const { text } = await call(remember, { text: "The release day is Monday" }, BEN);
    expect(text).toContain(`It may contradict [${home.idOf("Thursday")}] The release day is Thursday (said by slack:UANN)`);
    expect(home.texts()).toHaveLength(2);
  });

  it("the opposite, and the same words in another order, are no repetition", async () => {
    for (const text of ["We use Postgres", "We do not use Postgres", "Anna reports to Ben", "Ben reports to Anna", "we use postgres."])
      await call(remember, { text });
    expect(home.texts()).toEqual(["We use Postgres", "We do not use Postgres", "Anna reports to Ben", "Ben reports to Anna"]);
    expect(await says("")).toMatch(/We do not use Postgres .*may contradict #1/);
    await call(forget, { id: home.idOf("We use Postgres") });
    expect(await call(remember, { text: "We don't use Postgres" }, BEN)).toMatchObject({ failed: false });
  });

  it("P6 sharing puts a fact into the team's memory without where it was said, and leaves its place only with agreement", async () => {
    const tool = share({ memoryFor: () => home.memory() });
    expect(tool.leaves?.({ text: "x" })).toBe(true);
    expect(tool.subject({ text: "x" })).toBeNull();
    await call(share, { text: "We moved to Bonn" }, ANN, "place:slack:G1");
    expect(home.file()).toMatch(/We moved to Bonn <!-- id:\w+ by:slack:UANN at:2026-11-30 -->/);
    expect(home.file("place:slack:G1")).toBe("");
    expect(await call(share, { text: "Guests were here" }, { ...BEN, kind: "guest" }, "place:slack:G1")).toMatchObject({ failed: true });
  });

  it("P6 an update and a forgetting reach only what the session sees", async () => {
    await call(remember, { text: "private thing" }, ANN, "person:slack:UANN");
    const id = home.idOf("private", "person:slack:UANN");
    expect(await call(forget, { id }, CY)).toMatchObject({ failed: true, text: "There is no such fact here." });
    expect(await call(update, { id, text: "other private thing" }, CY)).toMatchObject({ failed: true });
  });
});

describe("the words", () => {
  beforeEach(async () => {
    await call(remember, { text: "Releases are on Thursdays" });
    await call(remember, { text: "Lunch is at noon" }, BEN);
    await call(remember, { text: "Ann likes tea" }, ANN, "person:slack:UANN");
    await call(remember, { text: "The merger is in May" }, BEN, "place:slack:G1");
  });

  it("P6 list what may be seen where they are said, numbered, with who and when", async () => {
    expect(await says("")).toBe(
      "What I remember here\n- #1 Releases are on Thursdays (slack:UANN, 2026-11-30)\n- #2 Lunch is at noon (slack:UBEN, 2026-11-30)",
    );
    expect(await says("", ANN, "person:slack:UANN")).toContain("#3 Ann likes tea (slack:UANN, 2026-11-30) — not shown elsewhere");
    expect(await says("", ANN, "person:slack:UANN")).not.toContain("merger");
    expect(await says("", ANN, "person:slack:UANN", ["place:slack:G1"])).toContain("merger");
    expect(await says("", { ...ANN, kind: "guest" }, "person:slack:UANN", ["place:slack:G1"])).not.toMatch(/merger|Lunch/);
    expect(await says("search LUNCH")).toBe("Memory: “LUNCH”\n- #1 Lunch is at noon (slack:UBEN, 2026-11-30)");
    expect(await says("search merger")).toContain("Nothing");
  });

  it("forget what the number meant when it was shown", async () => {
    await says("");
    await call(forget, { id: home.idOf("Releases") });
    expect(await says("forget 2")).toContain("ask one of them");
    expect(await says("forget #2", CY)).toContain("There is no such number");
    await says("", BEN);
    expect(await says("forget 1", BEN)).toBe("Memory\nForgotten: Lunch is at noon");
    expect(home.texts()).toEqual([]);
    expect(await says("forget x")).toContain("no such number");
  });

  it("tell what changed, the newest first, and take it back once", async () => {
    await says("forget 1");
    const history = await says("history");
    expect(history).toMatch(/- #1 − Releases are on Thursdays \(forgotten by slack:UANN, 2026-11-30\)\n- #2 \+ Lunch/);
    expect(history).not.toMatch(/tea|merger/);
    expect(await says("undo 1", BEN)).toContain("not yours");
    expect(await says("undo 1")).toContain("Taken back.");
    expect(home.texts()).toEqual(["Lunch is at noon", "Releases are on Thursdays"]);
    expect(await says("undo 1")).toContain("nothing to undo");
  });

  it("take a whole night back", async () => {
    await home.say(ANN, "The port is 9933 and the host is db5");
    home.brain = () => [add("The port is 9933", "m1"), add("The host is db5", "m1")];
    await home.night();
    expect(home.texts()).toHaveLength(4);
    expect(await says("undo night", BEN)).toContain("Taken back.");
    expect(home.texts()).toEqual(["Releases are on Thursdays", "Lunch is at noon"]);
    expect(await says("history")).toContain("− The port is 9933 (taken back by slack:UBEN");
  });

  it("give one's own, and nothing of others", async () => {
    expect(await says("about me", BEN)).toBe("What I know from you and about you\n- #1 Lunch is at noon (slack:UBEN, 2026-11-30)");
    expect(await says("export", BEN)).toBe(
      "What I know from you and about you\n1 fact, as far as I may show it here.\n# What I know from you and about you\n\n2026-11-30\n\n- Lunch is at noon (slack:UBEN, 2026-11-30, console:general, team)\n",
    );
    for (let n = 1; n <= 60; n++) await call(remember, { text: `Ben's fact number ${n * 37} ${"is long ".repeat(15)}` }, BEN);
    expect((await says("export", BEN)).match(/fact number/g)).toHaveLength(60);
    expect(await says("nonsense")).toContain("`memory forget N`");
  });
});
