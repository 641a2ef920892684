import { expect, it } from "vitest";
import { groupCommits } from "../../src/store/queue.ts";

/** Transactions that only remember what was done in them. */
function remembered(fails: () => boolean = () => false) {
  const groups: string[][] = [];
  let written = 0;
  const transact = (body: () => void): void => {
    written = 0;
    groups.push([]);
    body();
    if (fails()) throw new Error("the commit failed");
  };
  const queue = groupCommits(transact, () => written);
  const write = (what: string): string => {
    written++;
    groups.at(-1)?.push(what);
    return what;
  };
  return { groups, queue, write };
}
const fail = (): never => {
  throw new Error("a bug");
};

it("what is asked for in one turn of the loop is one transaction, and the next turn another", async () => {
  const { groups, queue, write } = remembered();
  await Promise.all([queue.push(() => write("a")), queue.push(() => write("b"))]);
  await queue.push(() => write("c"));
  expect(groups).toEqual([["a", "b"], ["c"]]);
});

it("what the platform waits for does not wait for the loop, and takes along what was asked for before it", async () => {
  const { groups, queue, write } = remembered();
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  const record = queue.push(() => write("record"));
  await Promise.all([queue.push(() => write("a"), "soon"), queue.push(() => write("b"), "soon"), record]);
  expect(turned).toBe(false);
  expect(groups).toEqual([["record", "a", "b"]]);
});

it("what throws before it wrote rejects alone", async () => {
  const { queue, write } = remembered();
  const outcomes = await Promise.allSettled([queue.push(() => write("a")), queue.push(fail), queue.push(() => write("b"))]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

it("what throws after it wrote takes its transaction with it, and no other", async () => {
  const { queue, write } = remembered();
  const half = (): never => {
    write("half");
    return fail();
  };
  const outcomes = await Promise.allSettled([queue.push(() => write("a")), queue.push(half)]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await queue.push(() => write("b"))).toBe("b");
});

it("P1 nothing resolves if the commit fails, and later ones do again", async () => {
  let full = true;
  const { queue, write } = remembered(() => full);
  const outcomes = await Promise.allSettled(["a", "b"].map((what) => queue.push(() => write(what))));
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  full = false;
  expect(await queue.push(() => write("c"))).toBe("c");
});

it("the loop runs between large groups", async () => {
  const { groups, queue, write } = remembered();
  const order: string[] = [];
  const all = Promise.all(Array.from({ length: 1200 }, (_, n) => queue.push(() => write(`${n}`)).then(() => order.push(`${n}`))));
  setImmediate(() => order.push("other work"));
  await all;
  expect(groups.length).toBeGreaterThan(1);
  expect(order.indexOf("other work")).toBeLessThan(1200);
});
