/** One home, with a team at Slack and a guild at Discord: one memory of the team, separate conversations, private things kept where they were said. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { until } from "../help/until.ts";
import { buttonsOf, type DiscordRig, wordsOf } from "../rigs/discord.ts";
import { buttonsIn, type Said, SlackRig, wordsOf as slackWords } from "../rigs/slack.ts";
import { found, furnished, reachingDiscord } from "./guild.ts";
import { House, openModel, promptOf, talkOf } from "./house.ts";
import { reaching } from "./team.ts";

const town = furnished();
const discord: DiscordRig = town.rig;
let slack: SlackRig;
let house: House;

beforeAll(async () => {
  await discord.start();
  slack = await new SlackRig().start();
  const policy = {
    platforms: ["slack:T1", `discord:${town.guild.id}`],
    people: { talk: ["members"], approve: ["slack:U2BEN"], admin: ["slack:U2BEN"] },
    trust: ["ops"],
  };
  house = new House("team", await openModel(), { ...reaching(slack), ...reachingDiscord(discord) }, { policy });
  await house.product.start();
});
afterAll(async () => {
  await house.end();
  await Promise.all([slack.stop(), discord.stop()]);
});
afterEach(() => {
  expect(house.model.problems).toEqual([]);
  expect(house.product.troubles).toEqual([]);
});

const onDiscord = (channel: string, text: string) =>
  found({ discord, product: house.product }, channel, (message) => wordsOf(message).includes(text), `“${text}”`);
const onSlack = ({ channel, ts }: Said, text: string) =>
  until(
    () => slack.space.said(channel, ts).find((message) => slackWords(message).includes(text)),
    () => `“${text}”; log: ${house.product.tail()}`,
  );
const ann = () => discord.as(town.ann);
const tells = (words: string, fact: string) => house.script(words, { calls: [["remember", { text: fact }]] }, { text: `I keep ${words}` });

test("P6 what the team is told on one platform is known on the other; what was said in private is known nowhere else", async () => {
  tells("the coffee", "The coffee is on the second floor");
  tells("the gift", "Ann plans a gift for Ben");
  tells("the merger", "The merger is in May");
  await onSlack(slack.as("U1ANN").mention("C1", "remember: the coffee is on the second floor"), "I keep the coffee");
  const direct = discord.world.direct(town.ann);
  ann().say(direct, "remember the gift: Ann plans a gift for Ben");
  await onDiscord(direct.id, "I keep the gift");
  await onSlack(slack.as("U1ANN").dm("remember the merger: The merger is in May"), "I keep the merger");

  house.script("what do you know", { text: "That much." });
  const root = ann().mention(town.channel, "what do you know here?");
  await onDiscord(root.id, "That much.");
  const open = promptOf(house.lastAbout("what do you know here"));
  expect(open).toContain("second floor");
  expect(open).not.toMatch(/gift|merger/);

  house.script("what else", { text: "Not much." });
  await onSlack(slack.as("U1ANN").mention("C1", "what else?"), "Not much.");
  expect(promptOf(house.lastAbout("what else"))).not.toMatch(/gift|merger/);
  expect(talkOf(house.lastAbout("what else"))).not.toContain("what do you know here");

  house.script("my own", { text: "Yours." });
  await onSlack(slack.as("U1ANN").dm("and of my own?"), "Yours.");
  const own = promptOf(house.lastAbout("of my own"));
  expect(own).toContain("merger");
  expect(own).not.toContain("gift");
});

test("P3 a decision on one platform is taken by a person of the other if policy names them, and by nobody else", async () => {
  house.script("deploy blue", { calls: [["ops__deploy", { target: "blue" }]] }, { text: "Blue is out." });
  const root = ann().mention(town.channel, "deploy blue please");
  const card = await found(
    { discord, product: house.product },
    root.id,
    (message) => buttonsOf(message).some(({ label }) => label === "Approve"),
    "a card",
  );
  expect(wordsOf(card)).toContain("slack:U2BEN");
  const pressed = discord.as(town.ben).press(card, "Approve");
  await until(
    () => pressed.original && wordsOf(discord.world.message(card.channel_id, pressed.original)).includes("You may not decide"),
    "a refusal",
  );

  await slack.as("U1ANN").opens("home");
  expect(buttonsIn(slack.as("U1ANN").home().view).map(({ word }) => word)).not.toContain("Approve");
  const ben = slack.as("U2BEN");
  const may = async () => {
    await ben.opens("home");
    return buttonsIn(ben.home().view).some(({ word }) => word === "Approve");
  };
  await until(may, "the decision on Ben's Home tab");
  expect(house.deploys("blue")).toBe(0);
  await ben.pressIn(ben.home(), "Approve");
  await onDiscord(root.id, "Blue is out.");
  await house.quiet();
  expect(house.deploys("blue")).toBe(1);
  expect(discord.said(root.id).flatMap(buttonsOf)).toEqual([]);
});
