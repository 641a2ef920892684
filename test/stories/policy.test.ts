/** What a home's policy bounds: tokens, bots, pauses, and who is told what. */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Speaker } from "../../src/core/event.ts";
import { HOME_SESSION } from "../../src/core/id.ts";
import type { Adapter, Rules } from "../../src/core/ports.ts";
import { plain } from "../../src/core/view.ts";
import { ANN, BEN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { Stage } from "../help/stage.ts";
import { until } from "../help/until.ts";

let bot: Bot;
afterEach(() => bot.end());
const start = (options: BotOptions) => {
  bot = new Bot({ tools: [tool("look", () => "nothing")], ...options });
  return bot;
};
const budget = (more: Partial<NonNullable<Rules["budget"]>>) => ({
  budget: { tokensPerDay: 1_000_000, tokensPerPersonPerDay: 1_000_000, botRepliesPerThread: 2, ...more },
});
const BOT: Speaker = { id: "stage:bot", name: "Robo", kind: "bot" };

describe("a budget", () => {
  test("that is used up ends the next turn in a sentence that says who can raise it, without asking the model", async () => {
    start({ model: new Script(says("One."), says("Two.")), rules: budget({ tokensPerDay: 120 }) });
    await bot.say(ANN, "first");
    await bot.answer("One.");
    await bot.say(ANN, "second");
    await bot.answer("today's budget of this home, 120 tokens, is used up");
    expect(bot.stage.answers().at(-1)).toContain("Who can raise it: everybody may admin (budget.tokensPerDay in policy.json)");
    expect(bot.model.requests).toHaveLength(1);
  });

  test("of one person is theirs alone", async () => {
    start({ model: new Script(says("One."), says("For Ben.")), rules: budget({ tokensPerPersonPerDay: 100 }) });
    await bot.say(ANN, "first");
    await bot.answer("One.");
    await bot.say(ANN, "second");
    await bot.answer("Ann's budget for today, 100 tokens, is used up");
    await bot.say(BEN, "third");
    await bot.answer("For Ben.");
  });

  test("never cuts off a tool: the turn ends after the calls that were made", async () => {
    let ran = 0;
    const work = tool("work", () => `done ${++ran}`);
    start({ model: new Script(calls(["work"], ["work"]), says("never said")), tools: [work], rules: budget({ tokensPerDay: 100 }) });
    await bot.say(ANN, "work");
    await bot.answer("is used up");
    await bot.quiet();
    expect(ran).toBe(2);
  });
});

describe("another bot", () => {
  test("is answered only where it may talk, and only so often in a thread", async () => {
    start({ model: new Script(says("One."), says("Two."), says("Three.")), rules: budget({}) });
    for (const text of ["hello", "hello again"]) {
      await bot.say(BOT, text);
      await bot.quiet();
    }
    expect(await bot.house.message(bot.incoming(BOT, "and again"))).toMatchObject({
      reason: "bots were answered in this thread as often as policy.json allows",
    });
    await bot.quiet();
    expect(bot.stage.answers()).toEqual(["One.", "Two."]);
  });

  test("is not answered where policy does not name it", async () => {
    start({ model: new Script(says("One.")), rules: { ...budget({}), may: (_what, person) => person !== BOT.id } });
    expect(await bot.house.message(bot.incoming(BOT, "hello"))).toMatchObject({ taken: false, reason: "bots are not answered" });
  });

  test("is not answered as one of any people, also where the platform does not know it for a bot", async () => {
    start({ model: new Script(says("One.")), rules: { ...budget({}), may: (_what, _person, { bot }) => !bot } });
    bot.stage.standings[BOT.id] = { member: false, external: true, bot: false };
    expect(await bot.house.message(bot.incoming(BOT, "hello"))).toMatchObject({ taken: false, reason: "bots are not answered" });
  });
});

describe("a paused home", () => {
  const pause = (type: "home.paused" | "home.resumed") =>
    bot.journal.receive(HOME_SESSION, `${type}${Math.random()}`, { type, at: Date.now(), by: BEN });

  test("takes what is said, says once that it waits, and answers it after it was resumed (P1)", async () => {
    start({ model: new Script(says("Here I am.")) });
    await pause("home.paused");
    const first = await bot.house.message(bot.incoming(ANN, "one"));
    const second = await bot.house.message(bot.incoming(ANN, "two"));
    expect(first).toMatchObject({ taken: true, reply: { to: "asker" } });
    expect(first.reply && "view" in first.reply && plain(first.reply.view)).toContain("I am paused since");
    expect(second).toEqual({ taken: true, session: "stage:T:C:t1", reason: expect.any(String) });
    await bot.restart();
    expect(bot.model.requests).toHaveLength(0);
    await pause("home.resumed");
    await bot.house.resume(["home"]);
    await bot.answer("Here I am.");
    expect(bot.model.requests).toHaveLength(1);
  });

  test("shows nothing as going on while it rests, though the turn is not over", async () => {
    let finish = () => {};
    const busy = new Promise<string>((done) => {
      finish = () => done("deployed");
    });
    start({ model: new Script(calls(["deploy"]), says("Done.")), tools: [tool("deploy", () => busy)] });
    await bot.say(ANN, "deploy");
    await until(() => bot.stage.lives.at(-1)?.phase === "working" || undefined, "the work");
    await pause("home.paused");
    finish();
    await until(() => bot.stage.lives.at(-1)?.phase === "idle" || undefined, "rest");
    expect(bot.stage.answers()).toEqual([]);
    await pause("home.resumed");
    await bot.house.resume(["home"]);
    await bot.answer("Done.");
  });

  test("lets a decision be made, and runs the call only when it goes on (P3)", async () => {
    let ran = 0;
    start({
      model: new Script(calls(["deploy"]), says("Done.")),
      tools: [tool("deploy", () => `done ${++ran}`)],
      gate: () => ({ verdict: "ask", risky: true }),
    });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    await pause("home.paused");
    await bot.click(BEN, "Approve");
    await until(() => bot.stage.buttons("Approve").length === 0 || undefined, "the card to be decided");
    expect(ran).toBe(0);
    await pause("home.resumed");
    await bot.house.resume(["home"]);
    await bot.answer("Done.");
    expect(ran).toBe(1);
  });
});

describe("privately", () => {
  test("everybody is told once, at their first message, what is kept and who can see it", async () => {
    start({ model: new Script(says("One."), says("Two."), says("Three.")) });
    const first = await bot.house.message(bot.incoming(ANN, "hello"));
    expect(first.reply && "view" in first.reply && plain(first.reply.view)).toMatch(
      /first time we talk: what is said to me is kept .*seen by the whole team/s,
    );
    await bot.restart();
    expect((await bot.house.message(bot.incoming(ANN, "again"))).reply).toBeUndefined();
    const ben = await bot.house.message(
      bot.incoming(BEN, "hello", { channel: "dm", place: { platform: "stage", team: "T", channel: "D", thread: null } }),
    );
    expect(ben.reply && "view" in ben.reply && plain(ben.reply.view)).toContain("can be seen by you alone");
    await bot.quiet();
  });
});

describe("approvals.notify", () => {
  const rules = { notify: ["stage:OPS", "stage:C", "other:X"] };
  const asking: BotOptions = {
    tools: [tool("deploy", () => "done")],
    gate: () => ({ verdict: "ask", risky: true }),
    rules,
  };
  const notices = () => bot.stage.posts.filter(({ slot }) => slot.kind === "notice").map(({ slot, hidden }) => [plain(slot.view), hidden]);

  test("tells another channel once that a decision waits, and takes that away when it is decided", async () => {
    start({ ...asking, model: new Script(calls(["deploy", { target: "blue" }]), says("Done.")) });
    await bot.say(ANN, "deploy");
    await until(() => notices().length || undefined, "the notice");
    await bot.restart();
    await bot.quiet();
    expect(notices()).toEqual([["A decision waits: may I run deploy?", false]]);
    await bot.click(BEN, "Approve");
    await bot.answer("Done.");
    await bot.quiet();
    expect(notices()).toEqual([["A decision waits: may I run deploy?", true]]);
  });

  test("says nothing of what is asked in a private place (P6)", async () => {
    start({ ...asking, model: new Script(calls(["deploy", { target: "blue" }]), says("Done.")) });
    await bot.say(ANN, "deploy", { channel: "private" });
    await until(() => notices().length || undefined, "the notice");
    expect(notices()).toEqual([["A decision waits in a private place", false]]);
  });

  test("tells a channel of another platform in this home's own team, restarts and all, and takes it away there", async () => {
    const other = new Stage();
    const gone = { start: async () => undefined, stop: async () => undefined, health: () => ({ ok: true, detail: "" }) };
    const adapter = () => Object.assign(Object.create(other), gone, { name: "other" }) as Adapter;
    const places = vi.spyOn(other, "post");
    start({
      ...asking,
      adapter,
      rules: { ...rules, notify: ["other:X", "third:Y"], teams: ["other:T9", "third:T1"] },
      model: new Script(calls(["deploy", { target: "blue" }]), says("Done.")),
    });
    await bot.say(ANN, "deploy");
    await until(() => other.posts.length || undefined, "the notice");
    expect(places.mock.calls[0]?.[0]).toEqual({ platform: "other", team: "T9", channel: "X", thread: null });
    expect(notices()).toEqual([]);
    await bot.restart();
    await bot.quiet();
    await bot.click(BEN, "Approve");
    await bot.answer("Done.");
    await bot.quiet();
    expect(other.posts.map(({ slot, hidden }) => [plain(slot.view), hidden])).toEqual([["A decision waits: may I run deploy?", true]]);
  });

  test("tells nobody in a team that is not this home's", async () => {
    const other = new Stage();
    const gone = { start: async () => undefined, stop: async () => undefined, health: () => ({ ok: true, detail: "" }) };
    start({
      ...asking,
      adapter: () => Object.assign(Object.create(other), gone, { name: "other" }) as Adapter,
      rules: { ...rules, notify: ["other:X"], teams: ["stage:T"] },
      model: new Script(calls(["deploy", { target: "blue" }])),
    });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    await bot.quiet();
    expect(other.posts).toEqual([]);
  });
});

describe("mentions (P10)", () => {
  const rules = { mentions: ["stage:ann", "stage:cleo", "other:x"] };
  const called = async (text: string) => {
    start({ model: new Script(says(text)), rules });
    await bot.say(ANN, "who?");
    await bot.answer(text.slice(0, 5));
    return bot.stage.posts.filter(({ slot }) => slot.kind === "answer").map(({ slot }) => slot.view.calls);
  };
  test.each([
    ["Ask Ann (stage:ann).", ["stage:ann"]],
    ["Ask <@cleo> and stage:ann", ["stage:ann", "stage:cleo"]],
    ["Ask Ben (stage:ben), stage:annabel, <@annabel>, other:x, @Ann or ann.", undefined],
  ])("an answer %j calls %j", async (text, wanted) => {
    expect(await called(text)).toEqual([wanted]);
  });
});
