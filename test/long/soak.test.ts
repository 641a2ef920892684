/** Hours of work in minutes: 300 mentions in 30 threads, each with parallel tools. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { think } from "../e2e/brain.ts";
import { HOME, Team } from "../e2e/team.ts";
import { until } from "../help/until.ts";
import { wordsOf } from "../rigs/slack.ts";

const THREADS = 30;
const ROUNDS = Number(process.env.RUNS ?? 10);
/** What ten rounds may add, in MB, when all that is loaded and cached once is there. */
const GROWTH = 60;
/** A small heap, so that what is only not collected yet does not count, and what is never let go ends the process. */
const HEAP = "--max-old-space-size=160";

let team: Team;
const memory: number[] = [];

beforeAll(async () => {
  team = await Team.open({ env: { NODE_OPTIONS: HEAP } });
  team.model.fallback = think;
  await team.product.start();
  const roots: { channel: string; ts: string }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const asked = Array.from({ length: THREADS }, (_, thread) => {
      const n = round * THREADS + thread;
      const said = team.slack.as("U1ANN").mention(thread % 2 ? "C1" : "C2", `[n${n}] plan please`, roots[thread]?.ts);
      roots[thread] ??= said;
      return { n, root: roots[thread] ?? said };
    });
    const open = () =>
      asked.filter(({ n, root }) => !team.slack.space.said(root.channel, root.ts).some((said) => wordsOf(said) === `done n${n}`));
    await until(
      () => open().length === 0,
      () => `round ${round} to end; open: ${open().length}; ${team.product.tail()}`,
      120_000,
    );
    await team.quiet(60_000);
    memory.push(Math.round(team.product.rss));
  }
  console.log(`memory after each round of ${THREADS}, in MB: ${memory.join(" ")}`);
}, 1_200_000);
afterAll(() => team?.end());

test("every mention is answered, each with its calls side by side", () => {
  const answers = team.slack.space.messages.filter((message) => !message.removed && wordsOf(message).startsWith("done n"));
  expect(answers).toHaveLength(THREADS * ROUNDS);
  expect(team.model.calls).toHaveLength(THREADS * ROUNDS * 2);
});
test("memory stays flat once everything is warm", () => {
  const [warm = 0] = memory.slice(1);
  expect((memory.at(-1) ?? 0) - warm).toBeLessThan((GROWTH * ROUNDS) / 10);
});
test("P1 P4 nothing is left to do, no request was wrong, and the log complains of nothing", async () => {
  expect(await team.product.unsettled(HOME)).toEqual([]);
  expect(team.model.problems).toEqual([]);
  expect(team.product.troubles).toEqual([]);
});
