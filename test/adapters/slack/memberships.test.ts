import { afterEach, beforeEach, expect, it } from "vitest";
import type { Scope } from "../../../src/core/scope.ts";
import { until } from "../../help/until.ts";
import { someSpace } from "../../rigs/slack-space.ts";
import { type Connected, connected } from "./connected.ts";

let on: Connected;
beforeEach(async () => {
  const space = someSpace();
  space.channels.push(
    { id: "G2", name: "without-ann", kind: "group", members: ["U2BEN", "UBOT"] },
    { id: "G3", name: "without-bot", kind: "group", members: ["U1ANN", "U2BEN"] },
    { id: "G4", name: "old", kind: "group", members: ["U1ANN", "UBOT"], archived: true },
    { id: "G5", name: "three", kind: "mpim", members: ["U1ANN", "U2BEN", "UBOT"] },
    { id: "C5", name: "partners-without-bot", kind: "channel", members: ["U1ANN", "U5XEN"], shared: true },
    { id: "D1", name: "dm", kind: "im", members: ["U1ANN", "UBOT"] },
  );
  on = await connected({ space });
});
afterEach(() => on.close());
const all = (): Scope[] => on.rig.space.facts.channels.map(({ id }): Scope => `place:slack:${id}`);
const placesOf = async (person: string, among = all()) =>
  [...((await on.adapter.places?.("T1", `slack:${person}`, among)) ?? ["(not asked)"])].sort();
const asked = () =>
  on.rig.callsTo("users.conversations").filter(({ args }) => String(args.types) === "public_channel,private_channel,mpim");

it("P6: the private places of a person are those that both are in now: private channels, group DMs, shared channels; no archive, no DM", async () => {
  expect(await placesOf("U1ANN")).toEqual(["place:slack:C3", "place:slack:G1", "place:slack:G5"]);
  expect(await placesOf("U2BEN")).toEqual(["place:slack:C3", "place:slack:G2", "place:slack:G5"]);
  expect(await placesOf("U3GIL")).toEqual(["place:slack:C3"]);
});
it("P6: whoever is not known, and whoever Slack does not tell about, sees none of them", async () => {
  expect(await placesOf("U9NOBODY")).toEqual([]);
  on.rig.fault({ method: "users.conversations", times: 9, body: { ok: false, error: "missing_scope", needed: "groups:read" } });
  expect(await placesOf("U1ANN")).toEqual([]);
});
it("P6: whoever was taken out of one of a few places sees it no more at that moment; one that does not tell its members is left out", async () => {
  const among: Scope[] = ["place:slack:G1", "place:slack:G5"];
  const three = on.rig.space.channel("G5");
  expect(await placesOf("U1ANN", among)).toEqual(among);
  three.members = three.members.filter((id) => id !== "U1ANN");
  await until(async () => (await placesOf("U1ANN", among)).length === 1 || undefined, "the place to go", 3_000);
  expect(await placesOf("U1ANN", among)).toEqual(["place:slack:G1"]);
  on.rig.fault({ method: "conversations.members", times: 99, body: { ok: false, error: "internal_error" } });
  await until(async () => (await placesOf("U1ANN", among)).length === 0 || undefined, "both to be in doubt", 5_000);
});
it("they are looked up once for a moment, page by page to their end", async () => {
  const many = Array.from({ length: 450 }, (_, n) => ({ id: `G9${n}`, name: `g${n}`, kind: "group" as const, members: ["U1ANN", "UBOT"] }));
  on.rig.space.facts.channels.push(...many);
  expect(await placesOf("U1ANN", ["place:slack:G9449", "place:slack:G1", "place:slack:G2"])).toEqual([
    "place:slack:G1",
    "place:slack:G9449",
  ]);
  expect(await placesOf("U1ANN")).toHaveLength(50);
  const before = asked().length;
  expect(before).toBe(6);
  const members = on.rig.callsTo("conversations.members").length;
  await placesOf("U1ANN");
  expect(on.rig.callsTo("conversations.members")).toHaveLength(members);
  expect(asked()).toHaveLength(before);
  await placesOf("U2BEN");
  expect(asked()).toHaveLength(before + 1);
});
it("P6: a list that breaks off counts only as far as it was read; a limit of the rate is rested out", async () => {
  on.rig.rateLimit("users.conversations", 1, 2);
  expect(await placesOf("U1ANN")).toEqual([]);
  const before = asked().length;
  expect(await placesOf("U1ANN")).toEqual([]);
  expect(asked()).toHaveLength(before);
});
