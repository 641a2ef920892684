import { expect, it } from "vitest";
import type { Journal, Platform } from "../../src/core/ports.ts";
import type { Scope } from "../../src/core/scope.ts";
import { scopesSeen } from "../../src/memory/seen.ts";
import { ANN } from "./place.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const dm = { platform: "slack", team: "T1", channel: "D1", thread: "1.1" };
const own: Scope = `person:${ANN.id}`;
const seen = (places: Platform["places"], scope: Scope = own, by = ANN) =>
  scopesSeen(
    {
      adapters: new Map([["slack", { ...(places ? { places } : {}) } as Platform]]),
      journal: async () => ({ memory: { scopes: async () => KNOWN } }) as unknown as Journal,
      log,
    },
    "home",
    scope,
    by,
    dm,
  );
const KNOWN: Scope[] = ["team", own, "place:slack:G1", "place:slack:G2", "place:discord:G3"];

it("P6 a person's direct messages see the private places they are a member of at this moment, and lose one they left", async () => {
  let member: Scope[] = ["place:slack:G1", "place:slack:G2"];
  const asked: (readonly Scope[])[] = [];
  const places: Platform["places"] = async (_team, _person, among) => {
    asked.push(among);
    return member;
  };
  expect(await seen(places)).toEqual(["team", own, "place:slack:G1", "place:slack:G2"]);
  expect(asked).toEqual([["place:slack:G1", "place:slack:G2"]]);
  member = ["place:slack:G2"];
  expect(await seen(places)).toEqual(["team", own, "place:slack:G2"]);
});

it("P6 in doubt they are a member of none, and nobody's list widens what a channel sees", async () => {
  expect(await seen(() => Promise.reject(new Error("rate limited")))).toEqual(["team", own]);
  expect(await seen(undefined)).toEqual(["team", own]);
  expect(await seen(async () => ["place:slack:G1"], "team")).toEqual(["team"]);
  expect(await seen(async () => ["place:slack:G1"], "place:slack:G2")).toEqual(["team", "place:slack:G2"]);
});

it.each(["guest", "external"] as const)("P6 a %s sees the place they are in and no other", async (kind) => {
  const places = async (): Promise<Scope[]> => ["place:slack:G1"];
  expect(await seen(places, own, { ...ANN, kind })).toEqual([own]);
  expect(await seen(places, "place:slack:G1", { ...ANN, kind })).toEqual(["place:slack:G1"]);
});
