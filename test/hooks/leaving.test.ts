import { expect, test } from "vitest";
import type { Speaker } from "../../src/core/event.ts";
import type { Gate, Standing, Tool } from "../../src/core/ports.ts";
import type { Scope } from "../../src/core/scope.ts";
import { INITIAL } from "../../src/core/state.ts";
import { approval } from "../../src/hooks/approval.ts";
import { parsePolicy } from "../../src/workspace/policy.ts";
import { rulesOf } from "../../src/workspace/rules.ts";

const NOW = 1_000_000;
const ALICE = "slack:U1";
const BOB: Speaker = { id: "slack:U2", name: "Bob", kind: "member" };
const CY: Speaker = { id: "slack:U3", name: "Cy", kind: "member" };
interface Case {
  risk?: ReturnType<Tool["risk"]>;
  leaves?: boolean;
  scope?: Scope;
  policy?: object;
  member?: boolean;
  /** Whose words the input carries. */
  others?: Speaker[];
}

async function gate({
  risk = "none",
  leaves = true,
  scope = "person:slack:U1",
  policy = {},
  member = true,
  others = [],
}: Case): Promise<Gate | undefined> {
  const parsed = parsePolicy(JSON.stringify(policy));
  if (!parsed.ok) throw new Error(parsed.wrong);
  const now = { policy: parsed.policy, broken: undefined };
  const standing: Standing = { member, guest: !member, external: false, owner: false, bot: false, groups: [] };
  const hook = approval({
    homes: {
      home: () => ({ name: "h", dir: "/h", read: async () => ({ text: undefined, problem: undefined }), policy: async () => now }),
      rules: async () => rulesOf(now, 50),
    },
    grants: async () => [
      { session: "home", grant: { id: "g", tool: "ops/deploy", subject: "*", by: { id: ALICE, name: "A", kind: "member" }, at: 0 } },
    ],
    standing: async () => standing,
    speakers: async () => [...others, { id: ALICE, name: "Alice", kind: "member" }],
  });
  const tool: Tool = {
    name: "ops__deploy",
    label: "ops/deploy",
    description: "",
    schema: {},
    digest: "d",
    repeatable: false,
    parse: (input) => ({ ok: true, input }),
    risk: () => risk,
    leaves: () => leaves,
    subject: () => "*",
    run: async () => ({ content: "", failed: false }),
  };
  const place = { platform: "slack", team: "T1", channel: "D1", thread: "1.0" };
  const by = { id: ALICE, name: "Alice", kind: "member" as const };
  const moment = { home: "h", session: "s", scope, place, by, state: INITIAL, now: NOW, signal: new AbortController().signal };
  return hook.preActing?.(moment, tool, {});
}

test.each<[string, Case, object]>([
  ["nothing that stays asks", { leaves: false }, { verdict: "allow" }],
  ["nothing asks where everybody may read it", { scope: "team" }, { verdict: "allow" }],
  [
    "what leaves a private place is its speaker's decision alone",
    {},
    {
      verdict: "ask",
      level: "asker",
      consent: { by: ALICE },
      quorum: 0,
      notBy: null,
      offers: ["approve", "edit", "deny"],
      reason: "It takes words out of this private place.",
      deciders: "Only Alice decides.",
    },
  ],
  ["also from a private channel", { scope: "place:slack:G1" }, { level: "asker", consent: { by: ALICE } }],
  ["no rule lifts that", { policy: { interruptOn: { "*": false } }, risk: "ask" }, { verdict: "ask", level: "asker" }],
  ["no grant lifts that", { risk: "ask" }, { verdict: "ask", offers: ["approve", "edit", "deny"] }],
  [
    "who may decide about the call decides, and its speaker agrees",
    { risk: "ask" },
    {
      level: "approve",
      quorum: 1,
      consent: { by: ALICE },
      deciders: "Who may decide: members of the team. It takes words out of this private place, so Alice has to agree as well.",
    },
  ],
  [
    "also a speaker whom the policy keeps from deciding agrees",
    { risk: "ask", policy: { approvals: { selfApprove: false } } },
    { quorum: 1, consent: { by: ALICE }, notBy: ALICE },
  ],
  [
    "what changes the home goes to administrators and to its speaker",
    { risk: "admin" },
    { level: "admin", quorum: 1, consent: { by: ALICE } },
  ],
  [
    "whose words it carries are asked all, and each has to agree",
    { others: [BOB, CY], scope: "place:slack:G1" },
    {
      level: "asker",
      quorum: 0,
      consent: { by: ALICE, also: [BOB.id, CY.id] },
      deciders: "Only Alice, Bob and Cy decide, all of them.",
    },
  ],
  [
    "beside those who decide about the call",
    { others: [BOB], risk: "ask", policy: { approvals: { quorum: 2 } } },
    {
      level: "approve",
      quorum: 2,
      consent: { by: ALICE, also: [BOB.id] },
      deciders: expect.stringContaining("Alice and Bob have to agree as well."),
    },
  ],
])("P6 %s", async (_, given, expected) => {
  expect(await gate(given)).toMatchObject(expected);
});
