import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaults, parsePolicy } from "../../src/workspace/policy.ts";

/** Every key that people may use, with a value of its kind. */
const WHOLE = {
  platforms: ["slack:T0123", "discord:998877"],
  timezone: "Europe/Berlin",
  model: "claude-sonnet-5-5",
  people: { talk: ["members", "guests"], approve: ["slack:U0AAA", "slack:group:S0OPS", "discord:role:1122"], admin: ["owners"] },
  interruptOn: { execute: true, write_file: { allow: ["approve", "edit", "deny"] }, "log-server/*": false },
  protected: ["files/legal/**"],
  trust: ["log-server"],
  sampling: ["log-server"],
  access: { "finance-db/*": { people: ["slack:group:S0FIN"], places: ["slack:C0FIN"] } },
  approvals: { expireMinutes: 1440, quorum: 1, selfApprove: true, notify: ["slack:C0OPS"] },
  followUps: "participants",
  budget: { stepsPerTurn: 50, tokensPerDay: 5_000_000, tokensPerPersonPerDay: 1_000_000, botRepliesPerThread: 5 },
  secrets: ["LOG_SERVER_TOKEN"],
  safeCommands: ["ls", "git status"],
  consolidation: { cron: "0 3 * * *", announce: "slack:C0OPS", people: ["members"], morning: "07:30" },
  retention: { sessionsDays: null },
  mentions: ["slack:U0AAA", "discord:998877"],
};

test("a policy that uses every key is understood as it stands", () => {
  expect(parsePolicy(JSON.stringify(WHOLE))).toEqual({ ok: true, policy: WHOLE });
});

test("an empty policy has the defaults", () => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(defaults()).toEqual({
    platforms: [],
    timezone: zone,
    people: { talk: ["members"], approve: ["members"], admin: ["owners"] },
    interruptOn: {},
    protected: [],
    trust: [],
    sampling: [],
    access: {},
    approvals: { expireMinutes: 1440, quorum: 1, selfApprove: true, notify: [] },
    followUps: "participants",
    budget: { tokensPerDay: 5_000_000, tokensPerPersonPerDay: 1_000_000, botRepliesPerThread: 5 },
    secrets: [],
    safeCommands: [],
    consolidation: { cron: "0 3 * * *", people: [], morning: "08:00" },
    retention: { sessionsDays: null },
    mentions: [],
  });
  expect(parsePolicy("\uFEFF{}")).toEqual({ ok: true, policy: defaults() });
});

test.each(["@everyone", "slack:group:S1", "everyone", "slack:"])("P10 mentions names people by id, and not %j", (id) => {
  expect(parsePolicy(JSON.stringify({ mentions: [id] }))).toMatchObject({
    ok: false,
    wrong: expect.stringContaining("is not the id of a person"),
  });
});

test("the template's policy is valid and changes no default", async () => {
  const text = await readFile(new URL("../../workspaces/_template/policy.json", import.meta.url), "utf8");
  expect(parsePolicy(text)).toEqual({ ok: true, policy: defaults() });
});

test("a protected path may be written as the agent sees it", () => {
  const found = parsePolicy('{"protected": ["/home/files/a/**", "home/files/b", "files/home/c"]}');
  expect(found.ok && found.policy.protected).toEqual(["files/a/**", "files/b", "files/home/c"]);
});

test.each([
  ["", "not valid JSON"],
  ["{\n\n]", "not valid JSON (line 3)"],
  ["[]", "it should be an object"],
  ["null", "it should be an object"],
  ['{"interupton": {}}', 'an unknown key "interupton"'],
  ['{"a": 1, "b": 2}', 'unknown keys "a", "b"'],
  ['{"people": {"aprove": []}}', 'an unknown key "aprove" in "people"'],
  ['{"__proto__": {}}', "unknown key"],
  ['{"people": {"approve": ["member"]}}', '"people.approve.0" is none of members, guests'],
  ['{"people": {"approve": "members"}}', '"people.approve" should be an array'],
  ['{"interruptOn": {"execute": "yes"}}', '"interruptOn.execute" is neither true nor false'],
  ['{"interruptOn": {"execute": {"allow": []}}}', '"interruptOn.execute.allow" is too small, or empty'],
  ['{"followUps": "never"}', '"followUps" should be one of participants, mention, all'],
  ['{"interruptOn": {"execute": {"allow": ["aprove"]}}}', '"interruptOn.execute'],
  ['{"protected": ["files/{a,b}/**"]}', "only * and ** are understood"],
  ['{"approvals": {"quorum": 0}}', '"approvals.quorum"'],
  ['{"approvals": {"quorum": 1.5}}', '"approvals.quorum" should be a whole number'],
  ['{"approvals": {"expireMinutes": 1e99}}', '"approvals.expireMinutes"'],
  ['{"approvals": {"selfApprove": "false"}}', '"approvals.selfApprove" should be a boolean'],
  ['{"timezone": "Berlin"}', "is not a time zone"],
  ['{"secrets": ["a b"]}', "is not the name of a secret"],
])("what is wrong with %s is said so that people find it", (text, words) => {
  const found = parsePolicy(text);
  expect(found).toMatchObject({ ok: false });
  expect(found.ok ? "" : found.wrong).toContain(words);
});

test("P11: no text makes reading a policy throw, and none widens approving beyond what it says", () => {
  const keys = fc.constantFrom(...Object.keys(WHOLE), "people", "approve", "x");
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, false, 0, 1, -1, "members", "*", "slack:U1", "", "files/**"),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(keys, tie("any"), { maxKeys: 4 }),
    ),
  })).any;
  const cut = fc.tuple(fc.nat(1200), fc.nat(40)).map(([at, length]) => {
    const text = JSON.stringify(WHOLE);
    return text.slice(0, at) + text.slice(at + length);
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        value.map((it) => JSON.stringify(it)),
        cut,
      ),
      (text) => {
        const found = parsePolicy(text);
        const said = found.ok ? JSON.parse(text.replace(/^\uFEFF/, "")).people?.approve : undefined;
        if (found.ok) expect(found.policy.people.approve).toEqual(said ?? ["members"]);
        else expect(found.wrong).toBeTypeOf("string");
      },
    ),
    { numRuns: 2000 },
  );
});

test("P11: a policy with one mistyped key never counts as one without that key", () => {
  const paths = Object.keys(WHOLE);
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.nat(20), fc.constantFrom("x", "", "E"), (key, at, letter) => {
      const wrong = key.slice(0, at % key.length) + letter + key.slice((at % key.length) + 1);
      fc.pre(wrong !== key);
      const text = JSON.stringify(WHOLE).replace(`"${key}":`, `"${wrong}":`);
      expect(parsePolicy(text)).toMatchObject({ ok: false });
    }),
  );
});
