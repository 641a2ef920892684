/** P6: whose a server's request is, while several calls run. */
import { beforeEach, expect, it, vi } from "vitest";
import { Floor } from "../../src/mcp/floor.ts";

interface Call {
  name: string;
  of: string;
}
const [ann, again, ben]: [Call, Call, Call] = [
  { name: "ann", of: "a" },
  { name: "again", of: "a" },
  { name: "ben", of: "b" },
];
let floor: Floor<Call>;
beforeEach(() => {
  vi.useFakeTimers();
  floor = new Floor();
  return () => vi.useRealTimers();
});
/** It asks people, and what it may ask beside that has come. */
const rests = (call: Call) => {
  floor.rest(call);
  vi.advanceTimersByTime(100);
};

it("the only call's", () => {
  floor.enter(ann);
  expect(floor.asking()).toBe(ann);
});

it("nobody's, where two conversations talk at once; from then on they take turns", async () => {
  floor.enter(ann);
  floor.enter(ben);
  expect(floor.asking()).toBeUndefined();
  floor.leave(ann);
  floor.leave(ben);
  floor.enter(ann);
  const waits = floor.enter(ben);
  expect(floor.asking()).toBe(ann);
  floor.leave(ann);
  await waits;
  expect(floor.asking()).toBe(ben);
});

it("the other's, while one waits for people", () => {
  floor.enter(ann);
  floor.asking();
  rests(ann);
  floor.enter(ben);
  expect(floor.asking()).toBe(ben);
});

it("still the first one's, as long as what it asks side by side may come", () => {
  floor.enter(ann);
  floor.asking();
  floor.rest(ann);
  expect(floor.enter(ben)).toBeDefined();
  expect(floor.asking()).toBe(ann);
});

it("nobody's, if the one that waited had its question taken back, and so may ask again", () => {
  floor.enter(ann);
  floor.asking();
  rests(ann);
  floor.enter(ben);
  floor.freed(ann);
  expect(floor.asking()).toBeUndefined();
});

it("nobody's, if the one that waits was seen to ask beside its question", () => {
  floor.enter(ann);
  floor.asking();
  rests(ann);
  expect(floor.asking()).toBeUndefined();
  floor.enter(ben);
  expect(floor.asking()).toBeUndefined();
});

it("the talking one's, if all that could have asked are of one conversation", () => {
  floor.enter(ann);
  floor.asking();
  rests(ann);
  floor.enter(again);
  floor.freed(ann);
  expect(floor.asking()).toBe(again);
});
