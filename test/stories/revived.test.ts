/** A thread that was retired and is begun anew counts from one again: nothing of its first life is taken for its second. */
import { afterEach, expect, test } from "vitest";
import { ANN, Bot, tool } from "../help/bot.ts";
import { Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

let bot: Bot;
afterEach(() => bot.end());
const SESSION = "stage:T:C:t1";

async function firstLife(): Promise<void> {
  await bot.say(ANN, "hello");
  await bot.answer("First.");
  await bot.quiet();
  const gone = () => bot.journal.retire([SESSION], Date.now() + 60_000);
  await until(async () => (await gone()).length || undefined, "the thread to be retired");
}

test("P5 a post in doubt is not taken for the one of the same name of an earlier life", async () => {
  bot = new Bot({ model: new Script(says("First."), says("Second.")), tools: [tool("pay", () => "")] });
  await firstLife();
  bot.stage.weather = ["lost"];
  await bot.say(ANN, "hello again");
  await bot.answer("Second.");
  expect(bot.stage.posts.map(({ key }) => key.split(" ").slice(0, 3).join(" "))).toEqual(Array(2).fill(`${SESSION} answer/1/0 0`));
});

test("P8 Undo looks at what was changed since the thread was begun", async () => {
  const since: number[] = [];
  const changes = {
    of: async (_home: string, _session: string, _turn: number, from: number) => {
      since.push(from);
      return { ids: [], level: "approve" as const };
    },
    undo: async () => ({ ok: false as const, why: "" }),
  };
  bot = new Bot({ model: new Script(says("First."), says("Second.")), tools: [tool("pay", () => "")], changes });
  await firstLife();
  const at = Date.now() + 5_000;
  await bot.say(ANN, "hello again", { at });
  await bot.answer("Second.");
  const code = `${(await bot.journal.state(SESSION)).opened?.code}.1`;
  await bot.house.click({ platform: "stage", act: "undo", code, by: ANN, place: { ...PLACE }, at });
  expect(since[0]).toBeGreaterThanOrEqual((await bot.journal.events(SESSION))[0]?.event.at ?? 0);
  expect(since[0]).toBeGreaterThan(0);
});
const PLACE = { platform: "stage", team: "T", channel: "C", thread: "t1" };
