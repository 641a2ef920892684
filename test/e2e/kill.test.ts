import { afterAll, beforeAll, expect, test } from "vitest";
import { doubled, figures, lost, type Storm, stillPressable, storm, wrongDeploys } from "./storm.ts";

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

let ended: Storm;
beforeAll(async () => {
  ended = await storm(5, SEED);
  console.log(`seed ${SEED}: ${JSON.stringify(figures(ended))}`);
}, 90_000);
afterAll(() => ended?.team.end());

test("P1 after five kills every message has an answer", () => {
  const { team, asked } = ended;
  expect(lost(team, asked)).toEqual([]);
  expect(team.slack.deliveries.filter(({ kind, acked }) => kind === "events_api" && !acked)).toEqual([]);
});
test("P2 P5 and no more than one", () => expect(doubled(ended.team, ended.asked)).toEqual([]));
test("P3 what asks ran at most once, and never without approval", () => expect(wrongDeploys(ended.team, ended.asked)).toEqual([]));
test("P4 every request to the model was valid", () => expect(ended.team.model.problems).toEqual([]));
test("nothing decided can be pressed, and nothing is left to do", () => {
  expect(stillPressable(ended.team)).toEqual([]);
  expect(ended.woken).toBe(0);
  expect(ended.team.product.troubles).toEqual([]);
});
