/** A long turn as a phone shows it: read `slack-phone.txt` by eye when it changes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { phone } from "../help/phone.ts";
import { ABOUT, QUESTION, steady, TURNS } from "./long-turn.ts";
import { Team } from "./team.ts";

let team: Team;
beforeAll(async () => {
  team = await Team.open();
  await team.product.start();
});
afterAll(() => team.end());

test("a plan, tools, a decision, a table, code and a long answer read well on a phone", async () => {
  team.script(ABOUT, ...TURNS);
  const said = team.slack.as("U1ANN").mention("C1", QUESTION);
  const card = await team.button(said, "Approve");
  await team.heard(said, "⏸ ops/deploy");
  const waiting = phone(team.slack.space.said("C1", said.ts));
  await team.slack.as("U2BEN").press(card, "Approve");
  await team.heard(said, "What happened");
  await team.quiet();
  const over = phone(team.slack.space.said("C1", said.ts));
  await expect(`While it waits\n\n${steady(waiting)}\n\nWhen it is over\n\n${steady(over)}\n`).toMatchFileSnapshot("slack-phone.txt");
});
