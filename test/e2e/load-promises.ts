/** What a crowd has to find, however little Slack takes: the promises, as tests of one load. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { wordsOf } from "../rigs/slack.ts";
import { answersTo, figures, type Load, load, overtaken, percentile, type Size, signs } from "./load.ts";
import { HOME, slotOf } from "./team.ts";

/** What a crowd may add for a while, in MB, and what of it may stay. */
const GROWTH = { most: 120, after: 90 };

/** `sign`: the ms within which a first sign comes, where Slack lets it. */
export function loadPromises(size: Size & { sign: number }): void {
  let on: Load;
  beforeAll(
    async () => {
      on = await load(size);
      console.log(JSON.stringify(figures(on)));
    },
    60_000 + size.mentions * 8000,
  );
  afterAll(() => on?.team.end());

  test("P1 P5 every mention is answered, once", () => {
    const counts = on.asked.map((one) => [one.n, answersTo(on.team, one).length]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
    const answers = on.team.slack.space.messages.filter((message) => slotOf(message).startsWith("answer/"));
    expect(answers.filter((message) => wordsOf(message).includes("may be a repeat"))).toEqual([]);
  });
  test("a first sign comes at once, at the 95th percentile", () => {
    expect(percentile(signs(on), 0.95)).toBeLessThan(size.sign);
  });
  test("no answer waits behind progress that came after it", () => expect(overtaken(on)).toBe(0));
  test("little is sent only to be refused, and no queue grows", () => {
    const { calls } = on.team.slack;
    const refused = calls.filter(({ answer }) => answer.error === "ratelimited").length;
    expect(refused).toBeLessThan(on.asked.length);
    expect(calls.length).toBeLessThan(on.asked.length * 25);
  });
  test("memory is flat", () => {
    const { before, most, after } = on.memory;
    expect(most - before).toBeLessThan(GROWTH.most);
    expect(after - before).toBeLessThan(GROWTH.after);
  });
  test("nothing is left to do, no button is left, no status stands, and the log complains of nothing", async () => {
    const { team } = on;
    expect(await team.product.unsettled(HOME)).toEqual([]);
    const stopped = team.slack.space.messages.filter((message) => !message.removed && /"Stop"/.test(JSON.stringify(message.blocks)));
    expect(stopped.map(wordsOf)).toEqual([]);
    expect(team.product.troubles).toEqual([]);
    expect(team.model.problems).toEqual([]);
  });
}
