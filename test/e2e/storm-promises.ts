/** What a storm of kills has to leave behind: the promises, as tests of one storm. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { faults, figures, type Storm, storm } from "./storm.ts";

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

/** `life`: how long a life lasts at most, in ms, where the storm's own measure is not wanted. */
export function stormPromises(kills: number, life?: number): void {
  let ended: Storm;
  let found: Record<string, unknown[]> = {};
  beforeAll(
    async () => {
      ended = await storm(kills, SEED, life);
      found = faults(ended);
      console.log(`SEED=${SEED}: ${JSON.stringify(figures(ended))}`);
    },
    120_000 + kills * 15_000,
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
}
