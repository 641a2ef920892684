import fc from "fast-check";
import { expect, test } from "vitest";
import type { Standing } from "../../src/core/ports.ts";
import { defaults } from "../../src/workspace/policy.ts";
import { rulesOf } from "../../src/workspace/rules.ts";

const NOBODY: Standing = { member: false, guest: false, external: false, owner: false, bot: false, groups: [] };
const member: Standing = { ...NOBODY, member: true };
const owner: Standing = { ...member, owner: true };
const guest: Standing = { ...NOBODY, guest: true };
const external: Standing = { ...NOBODY, external: true };
const bot: Standing = { ...NOBODY, bot: true };

const rules = (people: Partial<{ talk: string[]; approve: string[]; admin: string[] }>, what?: string) =>
  rulesOf(
    {
      policy: { ...defaults(), people: { ...defaults().people, ...people } },
      broken: what === undefined ? undefined : { file: "policy.json", what, version: "1" },
    },
    50,
  );

test.each<[string, string[], Standing, boolean]>([
  ["a member", ["members"], member, true],
  ["an owner, who is a member", ["members"], owner, true],
  ["a guest where members may", ["members"], guest, false],
  ["a guest who counts as a member too", ["members"], { ...member, guest: true }, false],
  ["a guest where guests may", ["guests"], guest, true],
  ["somebody of another organisation", ["members", "guests"], external, false],
  ["somebody of another organisation where they may", ["external"], external, true],
  ["an owner where only owners may", ["owners"], owner, true],
  ["a member where only owners may", ["owners"], member, false],
  ["anybody", ["*"], NOBODY, true],
  ["a bot, where any human may", ["*", "members"], { ...bot, member: true }, false],
  ["a bot that is named", ["slack:U1"], bot, true],
  ["a bot in a group that may", ["slack:group:S1"], { ...bot, groups: ["slack:group:S1"] }, false],
  ["a member of a group", ["slack:group:S1"], { ...member, groups: ["slack:group:S1"] }, true],
  ["a guest of a group", ["slack:group:S1"], { ...guest, groups: ["slack:group:S1"] }, true],
  ["a member of another group", ["slack:group:S1"], { ...member, groups: ["slack:group:S12"] }, false],
  ["somebody with a role", ["discord:role:7"], { ...member, groups: ["discord:role:7"] }, true],
  ["nobody is named", [], owner, false],
])("talking: %s", (_, talk, standing, may) => {
  expect(rules({ talk }).may("talk", "slack:U1", standing)).toBe(may);
});

test.each(["approve", "admin"] as const)("to %s, guests, externals and bots have to be named by id", (what) => {
  const everybody = ["*", "members", "guests", "external", "owners", "slack:group:S1"];
  for (const standing of [guest, external, bot]) {
    const grouped = { ...standing, owner: true, groups: ["slack:group:S1"] };
    expect(rules({ [what]: everybody }).may(what, "slack:U1", grouped)).toBe(false);
    expect(rules({ [what]: ["slack:U1"] }).may(what, "slack:U1", grouped)).toBe(true);
  }
  expect(rules({ [what]: ["slack:group:S1"] }).may(what, "slack:U1", { ...member, groups: ["slack:group:S1"] })).toBe(true);
});

test("by default members talk and approve, and owners administer", () => {
  const may = (standing: Standing) => (["talk", "approve", "admin"] as const).filter((what) => rules({}).may(what, "slack:U1", standing));
  expect(may(member)).toEqual(["talk", "approve"]);
  expect(may(owner)).toEqual(["talk", "approve", "admin"]);
  expect([guest, external, bot, NOBODY].flatMap(may)).toEqual([]);
});

test("P11: while policy.json cannot be used nobody approves or administers, and talking stays as it was", () => {
  const standing = fc.record({
    member: fc.boolean(),
    guest: fc.boolean(),
    external: fc.boolean(),
    owner: fc.boolean(),
    bot: fc.boolean(),
    groups: fc.subarray(["slack:group:S1"]),
  });
  const words = fc.subarray(["*", "members", "guests", "external", "owners", "slack:U1", "slack:group:S1"]);
  fc.assert(
    fc.property(words, words, words, standing, (talk, approve, admin, who) => {
      const broken = rules({ talk, approve, admin }, "it is missing");
      expect(broken.may("approve", "slack:U1", who)).toBe(false);
      expect(broken.may("admin", "slack:U1", who)).toBe(false);
      expect(broken.may("talk", "slack:U1", who)).toBe(rules({ talk }).may("talk", "slack:U1", who));
    }),
  );
  expect(rules({}, "it is missing").broken).toBe("it is missing");
  expect(rules({}, "it is missing").who("approve")).toBe("nobody until policy.json is mended");
});

test.each([
  [[], "nobody"],
  [["members"], "members of the team"],
  [["owners", "owners"], "the owners"],
  [["slack:U1", "slack:group:S1", "discord:role:7"], "slack:U1, the group slack:group:S1 or the role discord:role:7"],
])("people %j are called %s", (approve, words) => {
  expect(rules({ approve }).who("approve")).toBe(words);
});

test.each([
  [["slack:U1", "discord:2", "owners"], "slack", "slack:U1 or the owners"],
  [["slack:U1", "discord:2", "owners"], "discord", "discord:2 or the owners"],
  [["discord:2", "discord:role:7"], "slack", "discord:2 or the role discord:role:7"],
])("of %j, people of %s are told: %s", (approve, platform, words) => {
  expect(rules({ approve }).who("approve", platform)).toBe(words);
});

test("a policy's steps beat the operator's", () => {
  const policy = { ...defaults(), budget: { ...defaults().budget, stepsPerTurn: 7 } };
  expect(rulesOf({ policy, broken: undefined }, 50).stepsPerTurn).toBe(7);
  expect(rules({}).stepsPerTurn).toBe(50);
});
