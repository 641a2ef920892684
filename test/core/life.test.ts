import fc from "fast-check";
import { describe, it } from "vitest";
import { live } from "./tape.ts";

const RUNS = Number(process.env.RUNS ?? 1);

describe("any life of a few sessions", () => {
  it("P1 P2 P3 P4 P5: comes to rest with every promise kept, whatever arrives, fails, dies or is taken over", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5039 }), { maxLength: 500, size: "max" }), (tape) => void live(tape)),
      { numRuns: 300 * RUNS },
    );
  });
});
