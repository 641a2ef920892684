/** A long turn as a phone shows it: read `discord-phone.txt` by eye when it changes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { discordPhone } from "../help/discord-phone.ts";
import { Guild } from "./guild.ts";
import { ABOUT, QUESTION, steady, TURNS } from "./long-turn.ts";

let guild: Guild;
beforeAll(async () => {
  guild = await Guild.open();
  await guild.product.start();
});
afterAll(() => guild.end());

test("a plan, tools, a decision, a table, code and a long answer read well on a phone", async () => {
  guild.script(ABOUT, ...TURNS);
  const { discord, ann, ben, channel } = guild;
  const root = discord.as(ann).mention(channel, QUESTION);
  const card = await guild.button(root.id, "Approve");
  await guild.heard(root.id, "⏸ ops/deploy");
  const waiting = discordPhone(discord.said(root.id));
  discord.as(ben).press(card, "Approve");
  await guild.heard(root.id, "What happened");
  await guild.quiet();
  const over = discordPhone(discord.said(root.id));
  expect(discord.pings()).toEqual([]);
  const known = (drawing: string) => steady(drawing).replaceAll(ben.id, "BEN").replaceAll(ann.id, "ANN");
  await expect(`While it waits\n\n${known(waiting)}\n\nWhen it is over\n\n${known(over)}\n`).toMatchFileSnapshot("discord-phone.txt");
});
