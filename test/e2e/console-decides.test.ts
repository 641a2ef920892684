/** The operator, in the console of the real product, over the home of a real Slack team. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { buttonsOf, wordsOf } from "../rigs/slack.ts";
import { POLICY, Team } from "./team.ts";

const TOKEN = "the token of this test";
let team: Team;
let url = "";
let cookie = "";

beforeAll(async () => {
  team = await Team.open({ env: { CONSOLE_PORT: "0", CONSOLE_TOKEN: TOKEN } });
  url = String((await team.product.start()).console);
  const body = `token=${encodeURIComponent(TOKEN)}`;
  const headers = { origin: url, "content-type": "application/x-www-form-urlencoded" };
  cookie =
    (await fetch(`${url}/login`, { method: "POST", redirect: "manual", headers, body })).headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(() => team.end());
afterEach(() => {
  expect(team.model.problems).toEqual([]);
  expect(team.product.troubles).toEqual([]);
});

const text = async (path: string) => (await fetch(url + path, { headers: { cookie, accept: "text/html" } })).text();

test("P3 a card of Slack is approved from the console by the operator once policy.json lets them, and Slack shows by whom", async () => {
  team.script("staging", { words: "I deploy now.", calls: [["ops__deploy", { target: "staging" }]] }, { text: "It is **deployed**." });
  const said = team.slack.as("U1ANN").mention("C1", "deploy to staging please");
  const card = await team.button(said, "Approve");
  const page = await text("/approvals");
  expect(page).toContain("target: staging");
  const code = /data-act="approve" data-code="([^"]+)"/.exec(page)?.[1] ?? "";
  const headers = { "content-type": "application/json", "x-console": "1", origin: url, cookie };
  const body = JSON.stringify({ home: "slack-T1", act: "approve", code });
  const press = async () => (await fetch(`${url}/acts/press`, { method: "POST", headers, body })).text();
  expect(await press()).toMatch(/You may not decide this. Who may: .*U2BEN/);
  expect(team.deploys("staging")).toBe(0);
  const { people } = POLICY;
  team.write("policy.json", JSON.stringify({ ...POLICY, people: { ...people, approve: [...people.approve, "owners"] } }));
  expect(await press()).toBe("{}");
  await team.heard(said, "It is **deployed**.");
  await team.quiet();
  expect(team.deploys("staging")).toBe(1);
  expect([wordsOf(card), buttonsOf(card)]).toEqual([expect.stringContaining("Approved by Operator (console:operator)"), []]);
});

test("what the step was sent is there whole, and the numbers are for whoever shows the token", async () => {
  const sessions = await text("/sessions?home=slack-T1");
  const id = /\/session\?home=slack-T1&amp;id=([^"&]+)/.exec(sessions)?.[1] ?? "";
  const step = await text(`/step?home=slack-T1&id=${id}&turn=1&step=2`);
  for (const words of ["kept as they were sent", "You are Denizen.", "ops__deploy", "deploy to staging please", "material from="])
    expect(step).toContain(words);
  const metrics = (authorization: string) => fetch(`${url}/metrics`, { headers: { authorization } });
  expect((await metrics("Bearer wrong")).status).toBe(401);
  expect(await (await metrics(`Bearer ${TOKEN}`)).text()).toMatch(/denizen_tool_calls_total\{[^}]*tool="ops\/deploy"[^}]*\} 1/);
});
