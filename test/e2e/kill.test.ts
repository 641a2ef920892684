import { afterAll, beforeAll, expect, test } from "vitest";
import { faults, figures, type Storm, storm } from "./storm.ts";

const KILLS = 5;
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

let ended: Storm;
let found: Record<string, unknown[]> = {};
beforeAll(
  async () => {
    ended = await storm(KILLS, SEED, 1_500);
    found = faults(ended);
    console.log(`SEED=${SEED}: ${JSON.stringify(figures(ended))}`);
  },
  120_000 + KILLS * 15_000,
);
afterAll(() => ended?.team.end());

test.each([
  ["P1 nothing that people said is lost", "lost"],
  ["P1 and Slack was told that we have all of it", "never acknowledged"],
  ["P2 P5 nothing is answered twice, but for what is marked", "doubled"],
  ["P3 what asks ran at most once for its approval, and never without", "deploys that are wrong"],
  ["P4 every request to the model was valid", "requests that were not valid"],
  ["nothing that is decided can be pressed", "still with buttons"],
  ["a last start finds nothing to do", "unsettled"],
  ["the log complains of nothing", "troubles in the log"],
])("%s, however often the process is killed", (_, fault) => expect(found[fault]).toEqual([]));
