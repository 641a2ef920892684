import { afterAll, beforeAll, expect, test } from "vitest";
import { Team } from "./team.ts";

let team: Team;
beforeAll(async () => {
  team = await Team.open();
  await team.product.start();
});
afterAll(() => team.end());

test("P2 P3 a risky call waits", async () => {
  team.model.next(
    { thinking: "hm", calls: [["write_todos", { todos: [{ content: "Deploy", status: "in_progress" }] }], ["ops__echo", { text: "hi" }]] },
    { calls: [["ops__deploy", { target: "staging" }]] },
    { text: "All **done**." },
  );
  const said = team.slack.as("U1ANN").mention("C1", "please deploy");
  const card = await team.button(said, "Approve");
  expect(team.deploys("staging")).toBe(0);
  await team.slack.as("U2BEN").press(card, "Approve");
  await team.heard(said, "All **done**.");
  await team.quiet();
  console.log(JSON.stringify(team.slack.space.said("C1").map((m) => [m.text, m.metadata, m.blocks, m.edits]), null, 1));
  console.log(team.model.problems, team.effects(), JSON.stringify(team.product.log, null, 0));
});
