/** One reminder before a decision expires: in its thread, to those who may decide, once, whatever happens meanwhile. */
import { afterEach, expect, test } from "vitest";
import { plain } from "../../src/core/view.ts";
import { ANN, BEN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

let bot: Bot;
afterEach(() => bot.end());
const deploy = tool("deploy", () => "deployed");
const asking =
  (expires: number, named?: string[]): BotOptions["gate"] =>
  () => ({
    verdict: "ask",
    deciders: "Who may decide: Ben.",
    expires: Date.now() + expires,
    ...(named ? { named } : {}),
  });
const begin = async (gate: BotOptions["gate"], ...after: ReturnType<typeof says>[]) => {
  bot = new Bot({ model: new Script(calls(["deploy"]), ...after), tools: [deploy], gate });
  await bot.say(ANN, "deploy");
  await bot.button("Approve");
};
const reminders = () => bot.stage.posts.filter(({ slot }) => slot.key.startsWith("reminder/"));
const reminded = () => until(() => reminders()[0], "the reminder");

test("it says what waits, for whom, who may decide and until when, and calls only people that policy names", async () => {
  await begin(asking(600, [BEN.id]), says("Done."));
  const { slot, thread } = await reminded();
  expect(plain(slot.view)).toMatch(
    /^⏰ This still waits for a decision: may I run deploy\? For Ann\. Who may decide: Ben\. It expires .* UTC\.$/,
  );
  expect([slot.view.calls, slot.view.buttons, thread]).toEqual([[BEN.id], [], "t1"]);
});

test("it calls nobody where policy names no person", async () => {
  await begin(asking(600), says("Done."));
  expect((await reminded()).slot.view).not.toHaveProperty("calls");
});

test("it comes once, also after a restart, and goes when somebody has decided", async () => {
  await begin(asking(4000), says("Done."));
  await bot.restart();
  expect(reminders()).toEqual([]);
  await reminded();
  await bot.restart();
  await bot.button("Approve");
  expect(reminders()).toHaveLength(1);
  await bot.click(BEN, "Approve");
  await bot.answer("Done.");
  await until(() => reminders().every(({ hidden }) => hidden), "the reminder to go");
});

test("what was decided before its time is not reminded of, and nothing is begun by the time that runs out", async () => {
  await begin(asking(1200), says("Done."), says("(never)"));
  await bot.click(BEN, "Approve");
  await bot.answer("Done.");
  await until(async () => (await bot.journal.state("stage:T:C:t1")).talk.timers.length === 0, "the time to run out");
  await bot.quiet();
  expect([reminders().length, bot.model.requests.length]).toEqual([0, 2]);
});

test("an expired card and its reminder leave no buttons behind", async () => {
  await begin(asking(600), says("Nobody decided."));
  await reminded();
  await bot.answer("Nobody decided.");
  await until(() => reminders().every(({ hidden }) => hidden) && bot.stage.buttons("Approve").length === 0, "the end of it");
  expect(plain(bot.stage.visible("card")[0]?.slot.view ?? { parts: [], buttons: [] })).toContain("⌛ Expired");
});
