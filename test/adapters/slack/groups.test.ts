import { afterEach, beforeEach, expect, it } from "vitest";
import { someSpace } from "../../rigs/slack-space.ts";
import { type Connected, connected } from "./connected.ts";

let on: Connected;
beforeEach(async () => {
  const space = {
    ...someSpace(),
    groups: [
      { id: "S1", users: ["U1ANN", "U2BEN"] },
      { id: "S2", users: ["U1ANN"] },
      { id: "S3", users: [] },
    ],
  };
  on = await connected({ space });
});
afterEach(() => on.close());
const groupsOf = async (person: string) =>
  (await on.adapter.standing({ platform: "slack", team: "T1", channel: "C1", thread: null }, person)).groups;
const asked = () => on.rig.callsTo("usergroups.list").length;

it("a person's user groups are part of their standing, looked up once for all", async () => {
  expect(await groupsOf("slack:U1ANN")).toEqual(["slack:group:S1", "slack:group:S2"]);
  expect(await groupsOf("slack:U2BEN")).toEqual(["slack:group:S1"]);
  expect(await groupsOf("slack:U4OLA")).toEqual([]);
  expect(asked()).toBe(1);
});

it("without the scope nobody is in a group: said once, with what mends it, and not asked again at every message", async () => {
  on.rig.fault({ method: "usergroups.list", times: 9, body: { ok: false, error: "missing_scope", needed: "usergroups:read" } });
  for (const person of ["slack:U1ANN", "slack:U2BEN", "slack:U1ANN"]) expect(await groupsOf(person)).toEqual([]);
  expect(on.log.filter((line) => line.includes("usergroups:read"))).toHaveLength(1);
  expect(on.log.join()).toContain("npm run slack:manifest");
  expect(asked()).toBe(1);
});

it("a trouble that passes leaves nobody in a group only until the next question", async () => {
  on.rig.rateLimit("usergroups.list", 1);
  expect(await groupsOf("slack:U1ANN")).toEqual([]);
  expect(await groupsOf("slack:U1ANN")).toEqual(["slack:group:S1", "slack:group:S2"]);
});

it("who is not known at all is in no group", async () => {
  expect(await groupsOf("slack:U9NOBODY")).toEqual([]);
});
