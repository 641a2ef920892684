/** The product with two workspaces that install its Slack app: each has its own home and its own token, also after a power cut. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { another, freePort } from "../adapters/slack/installing.ts";
import { until } from "../help/until.ts";
import { SlackRig, wordsOf } from "../rigs/slack.ts";
import { CLIENT, type SlackTeam } from "../rigs/slack-installs.ts";
import { House, openModel } from "./house.ts";

let rig: SlackRig;
let house: House;
let teams: SlackTeam[];
let url: string;
beforeAll(async () => {
  rig = await new SlackRig().start();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const env = {
    SLACK_CLIENT_ID: CLIENT.id,
    SLACK_CLIENT_SECRET: CLIENT.secret,
    SLACK_STATE_SECRET: "a-state-secret",
    SLACK_ALLOWED_TEAMS: "T1,T2",
    SLACK_APP_TOKEN: rig.appToken,
    SLACK_API_URL: rig.apiUrl,
    SLACK_PORT: String(port),
    PUBLIC_URL: url,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
  house = new House("slack-T1", await openModel(), env, {});
  teams = ["T1", "T2"].map((team) => rig.installs.team(another(team)));
  await house.product.start();
});
afterAll(async () => {
  await house.end();
  await rig.stop();
});

async function install({ space }: SlackTeam): Promise<number> {
  const begun = await fetch(`${url}/slack/install`, { redirect: "manual" });
  const back = rig.installs.allow(begun.headers.get("location") ?? "", [space]);
  return (await fetch(back, { headers: { cookie: begun.headers.get("set-cookie")?.split(";")[0] ?? "" } })).status;
}
const channel = ({ space }: SlackTeam) => `C1${space.facts.team}`;
const answered = (team: SlackTeam, words: string) =>
  until(
    () => team.space.said(channel(team)).some((message) => wordsOf(message).includes(words)),
    () => `“${words}” in ${team.space.facts.team}; log: ${house.product.tail()}`,
  );

test("P1 P6 both install it and are answered, each with its own token in its own home, and again after a power cut", async () => {
  for (const team of teams) expect(await install(team)).toBe(200);
  for (const team of teams) {
    const { team: id } = team.space.facts;
    house.script(`word of ${id}`, { text: `Heard in ${id}.` });
    await team.as("U1ANN").mention(channel(team), `a word of ${id}`).told;
    await answered(team, `Heard in ${id}.`);
    expect(existsSync(join(house.product.root, "workspaces", `slack-${id}`, "AGENTS.md"))).toBe(true);
  }
  const posts = rig.callsTo("chat.postMessage").map(({ args, token }) => `${String(args.channel)} ${token.split("-of-")[1]}`);
  expect([...new Set(posts)].sort()).toEqual(["C1T1 T1", "C1T2 T2"]);

  await house.product.restart();
  const [, two] = teams;
  if (!two) throw new Error("There are two.");
  house.script("once more", { text: "Heard again." });
  await two.as("U1ANN").mention(channel(two), "once more").told;
  await answered(two, "Heard again.");
  const all = readdirSync(house.product.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  expect(all.length).toBeGreaterThan(5);
  expect(all.some((text) => /xoxb-\d+-of-T/.test(text))).toBe(false);
  expect(JSON.stringify(house.product.log)).not.toMatch(/xoxb-\d+-of-T/);
});
