import { afterAll, beforeAll, expect, test } from "vitest";
import { doubled, figures, lost, type Storm, stillPressable, storm, wrongDeploys } from "../e2e/storm.ts";

const KILLS = Number(process.env.RUNS ?? 50);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

let ended: Storm;
beforeAll(async () => {
  console.log(`${KILLS} kills, SEED=${SEED}`);
  ended = await storm(KILLS, SEED);
  console.log(JSON.stringify(figures(ended)));
}, 60_000 + KILLS * 15_000);
afterAll(() => ended?.team.end());

test("P1 nothing that Slack was told we have is lost, however often the process is killed", () => {
  const { team, asked } = ended;
  expect(lost(team, asked)).toEqual([]);
  expect(team.slack.deliveries.filter(({ kind, acked }) => kind === "events_api" && !acked)).toEqual([]);
});
test("P2 P5 nothing is answered twice, but for what is marked", () => expect(doubled(ended.team, ended.asked)).toEqual([]));
test("P3 what asks ran at most once for its approval, and never without", () => expect(wrongDeploys(ended.team, ended.asked)).toEqual([]));
test("P4 every request to the model was valid", () => expect(ended.team.model.problems).toEqual([]));
test("nothing decided can be pressed, and a last start finds nothing to do", () => {
  expect(stillPressable(ended.team)).toEqual([]);
  expect(ended.woken).toBe(0);
  expect(ended.team.product.troubles).toEqual([]);
});
