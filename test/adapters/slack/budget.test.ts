import fc from "fast-check";
import { expect, it } from "vitest";
import { budget, type Rank } from "../../../adapters/slack/budget.ts";

const GAP = 1000;
const at = (start = 1_000_000) => {
  const clock = { now: start };
  return {
    clock,
    limits: budget({ gap: GAP }, () => clock.now),
    moments: budget({ gap: GAP, together: { gap: 1300, burst: 3 } }, () => clock.now),
  };
};

it("what Slack takes goes at once, in bursts too", () => {
  const { limits } = at();
  expect(["a", "b", "c"].map((key) => limits.wait("C", key, "first"))).toEqual([0, 0, 0]);
});
it("where Slack refused, what waits comes back one after the other, answers and cards before all else", () => {
  const { clock, limits } = at();
  limits.refused("C", 5000);
  expect(limits.wait("C", "progress", "kept")).toBe(5000);
  expect(limits.wait("C", "answer", "first")).toBe(5000);
  expect(limits.wait("C", "card", "first")).toBe(6000);
  expect(limits.wait("C", "other", "kept")).toBe(7000);
  expect(limits.wait("C", "now", "moment")).toBe(8000);
  expect(limits.wait("D", "elsewhere", "first"), "other channels are not held").toBe(0);
  clock.now += 5000;
  expect(limits.wait("C", "answer", "first")).toBe(0);
  expect(limits.wait("C", "progress", "kept"), "behind the card, and behind all who wait since").toBe(3000);
});
it("what is of this moment keeps the gap in a channel, and its share in all of them", () => {
  const { clock, moments } = at();
  const went = (channel: string) => moments.wait(channel, "", "moment");
  expect([went("A"), went("A"), went("B"), went("C"), went("D")]).toEqual([0, 1000, 0, 0, 1300]);
  clock.now += 1300;
  expect([went("D"), went("A")]).toEqual([0, 1300]);
});
it("a place that is not needed any more is the next one's", () => {
  const { limits } = at();
  limits.refused("C", 5000);
  expect(["a", "b", "c"].map((key) => limits.wait("C", key, "kept"))).toEqual([5000, 6000, 7000]);
  limits.forget("C", "b");
  expect(["d", "e"].map((key) => limits.wait("C", key, "kept"))).toEqual([6000, 8000]);
});
it("a place nobody came for is given up, and the line ends", () => {
  const { clock, limits } = at();
  limits.refused("C", 1000);
  for (let n = 0; n < 50; n++) limits.wait("C", `gone ${n}`, "kept");
  clock.now += 70_000;
  expect(limits.wait("C", "new", "kept")).toBe(0);
});

/** Slack takes one call in so many ms; everybody comes back when they were told to, or somewhat later. */
it("under a limit of one a second everything gets through, hardly anything is refused, and answers wait least", () => {
  const waiting = fc.record({ rank: fc.constantFrom<Rank>("first", "kept"), late: fc.integer({ min: 0, max: 400 }) });
  fc.assert(
    fc.property(fc.array(waiting, { minLength: 1, maxLength: 40 }), (all) => {
      const { clock, limits } = at();
      let taken = Number.NEGATIVE_INFINITY;
      let refusals = 0;
      const done: Rank[] = [];
      let left = all.map((one, n) => ({ ...one, key: `k${n}`, due: clock.now }));
      for (let turns = 0; left.length && turns < 2_000; turns++) {
        clock.now = Math.max(clock.now, Math.min(...left.map(({ due }) => due)));
        left = left.flatMap((one) => {
          if (one.due > clock.now) return [one];
          const wait = limits.wait("C", one.key, one.rank);
          if (wait > 0) return [{ ...one, due: clock.now + wait + one.late }];
          if (clock.now - taken >= GAP) {
            taken = clock.now;
            done.push(one.rank);
            return [];
          }
          refusals++;
          limits.refused("C", GAP);
          return [{ ...one, due: clock.now + limits.wait("C", one.key, one.rank) + one.late }];
        });
      }
      expect(left).toEqual([]);
      expect(refusals).toBeLessThanOrEqual(all.length);
      expect(clock.now - 1_000_000, "hardly slower than Slack and those who come late").toBeLessThanOrEqual((all.length + 2) * GAP * 2);
      const firsts = all.filter(({ rank }) => rank === "first").length;
      const late = done.lastIndexOf("first") + 1 - firsts;
      expect(late, "what goes before the last answer though it need not").toBeLessThanOrEqual(2 + firsts / 2);
    }),
    { numRuns: 200 },
  );
});
