/** What adapters can ask of conversations, to look up what became of their messages. */
import { afterEach, expect, test } from "vitest";
import type { Incoming } from "../../src/core/ports.ts";
import { ANN, Bot } from "../help/bot.ts";
import { Script, says } from "../help/script.ts";

let bot: Bot;
afterEach(() => bot.end());

test("what people said since a time is told with its place, but for what was deleted, and what was said in a form", async () => {
  bot = new Bot({ model: new Script(says("One."), says("Two."), says("Three.")) });
  const place = { platform: "stage", team: "T", channel: "C", thread: "t1" };
  const told = async (text: string, more: Partial<Incoming> = {}) => {
    const id = await bot.say(ANN, text, more);
    await bot.quiet();
    return id;
  };
  const aside = { mentioned: false, toOthers: true };
  const long = await told("long ago", { at: 1000 });
  const first = await told("hi");
  await told("from a form", { unseen: true });
  const heard = await told("by the way", aside);
  const gone = await told("forget this", aside);
  await bot.house.deleted(place, gone, Date.now());
  const ids = async (team: string, since: number) => (await bot.house.said("stage", team, since)).map(({ id }) => id);
  expect(await ids("T", 2000)).toEqual([first, heard]);
  expect(await ids("T", 0)).toEqual([long, first, heard]);
  expect(await ids("U", 0)).toEqual([]);
  expect(await ids("T", Date.now() + 60_000)).toEqual([]);
  expect((await bot.house.said("stage", "T", 0))[0]?.place).toEqual(place);
});
