import fc from "fast-check";
import { expect, test } from "vitest";
import type { Call } from "../../src/core/calls.ts";
import type { Grant, JsonObject, Speaker } from "../../src/core/event.ts";
import type { Gate, Moment, Standing, Tool } from "../../src/core/ports.ts";
import { INITIAL } from "../../src/core/state.ts";
import { approval } from "../../src/hooks/approval.ts";
import { parsePolicy } from "../../src/workspace/policy.ts";
import { rulesOf } from "../../src/workspace/rules.ts";

const alice: Speaker = { id: "slack:U1", name: "Alice", kind: "member" };
const standing: Standing = { member: true, guest: false, external: false, owner: false, bot: false, groups: ["slack:group:S1"] };
const NOW = 1_000_000;

const tool = (label: string, risk: ReturnType<Tool["risk"]>, subject: string | null = "*"): Tool => ({
  name: label.replace("/", "__"),
  label,
  description: "",
  schema: {},
  digest: label,
  repeatable: false,
  parse: (input) => ({ ok: true, input: typeof input.n === "string" ? { ...input, n: Number(input.n) } : input }),
  risk: () => risk,
  subject: () => subject,
  run: async () => ({ content: "", failed: false }),
});
const deploy = tool("ops/deploy", "ask");
const read = tool("read_file", "none");
const write = tool("write_file", "none", "files");

interface Case {
  policy?: object;
  broken?: boolean;
  grants?: Partial<Grant>[];
  calls?: Partial<Call>[];
  input?: JsonObject;
  by?: Speaker;
}
async function gate(
  tool: Tool,
  { policy = {}, broken = false, grants = [], calls = [], input = { target: "blue" }, by = alice }: Case = {},
): Promise<Gate | undefined> {
  const parsed = parsePolicy(JSON.stringify(policy));
  if (!parsed.ok) throw new Error(parsed.wrong);
  const now = { policy: parsed.policy, broken: broken ? { file: "policy.json", what: "It is missing.", version: "1" } : undefined };
  const home = { name: "h", dir: "/h", read: async () => ({ text: undefined, problem: undefined }), policy: async () => now };
  const hook = approval({
    homes: { home: () => home, rules: async () => rulesOf(now, 50) },
    grants: async () =>
      grants.map((grant, i) => ({ session: "home", grant: { id: `g${i}`, tool: "ops/deploy", subject: "*", by: alice, at: 0, ...grant } })),
    standing: async () => standing,
  });
  const blank = { id: "1.1.0", turn: 1, tool: tool.name, input, edited: null, outcome: null };
  const denied = { how: "denied", by: [alice], at: 0, reason: "" } as const;
  const byId = Object.fromEntries(
    calls.map((call, i) => [`1.1.${i}`, { ...blank, decided: call.outcome === "denied" ? denied : null, ...call } as Call]),
  );
  const moment: Moment = {
    home: "h",
    session: "slack:T1:C1:1.0",
    scope: "team",
    place: { platform: "slack", team: "T1", channel: "C1", thread: "1.0" },
    by,
    state: { ...INITIAL, talk: { ...INITIAL.talk, turn: 1 }, calls: { ...INITIAL.calls, byId } },
    now: NOW,
    signal: new AbortController().signal,
  };
  return hook.preActing?.(moment, tool, input);
}

const ALL = ["approve", "edit", "deny", "thread", "always"];
const to = (path: string) => ({ file_path: path, content: "" });

test("a risky call asks: who decides, until when, with which buttons, and why", async () => {
  expect(await gate(deploy)).toEqual({
    verdict: "ask",
    risky: true,
    reason: "ops/deploy asks first, unless policy.json says otherwise.",
    level: "approve",
    offers: ALL,
    quorum: 1,
    expires: NOW + 24 * 60 * 60_000,
    notBy: null,
    deciders: "Who may decide: members of the team.",
  });
});

test.each<[string, Tool, Case, Partial<Gate>]>([
  ["a harmless call runs", read, {}, { verdict: "allow", risky: false }],
  [
    "a rule makes a harmless call ask",
    read,
    { policy: { interruptOn: { read_file: true } } },
    { verdict: "ask", risky: true, reason: "policy.json asks for read_file." },
  ],
  ["a rule lifts what asks by itself", deploy, { policy: { interruptOn: { "ops/*": false } } }, { verdict: "allow", risky: false }],
  [
    "a rule lists the buttons, and grants come with Approve",
    deploy,
    { policy: { interruptOn: { "ops/*": { allow: ["approve", "deny"] } } } },
    { offers: ["approve", "deny", "thread", "always"] },
  ],
  [
    "where nothing can be approved nothing can be granted",
    deploy,
    { policy: { interruptOn: { "*": { allow: ["edit", "deny"] } } } },
    { offers: ["edit", "deny"] },
  ],
  ["an input without a class cannot be granted", tool("ops/deploy", "ask", null), {}, { offers: ["approve", "edit", "deny"] }],
  [
    "with a quorum nothing can be granted",
    deploy,
    { policy: { approvals: { quorum: 2 } } },
    { quorum: 2, offers: ["approve", "edit", "deny"] },
  ],
  ["a card expires when policy says", deploy, { policy: { approvals: { expireMinutes: 5 } } }, { expires: NOW + 300_000 }],
  [
    "who asked may be kept from deciding",
    deploy,
    { policy: { approvals: { selfApprove: false } } },
    { notBy: "slack:U1", deciders: "Who may decide: members of the team, but not the person who asked." },
  ],
])("%s", async (_, tool, setting, expected) => {
  expect(await gate(tool, setting)).toMatchObject(expected);
});

test.each<[string, Tool, Case]>([
  ["a change of the home itself", tool("write_file", "admin"), { input: to("/home/AGENTS.md") }],
  ["a protected file", write, { policy: { protected: ["files/legal/**"] }, input: to("/home/files/legal/x.md") }],
  ["a protected file, spelled otherwise", write, { policy: { protected: ["files/legal/**"] }, input: to("/home//files/./Legal/x.md") }],
  ["an edit of a protected file", tool("edit_file", "ask"), { policy: { protected: ["files/*.key"] }, input: to("/home/files/a.key") }],
  [
    "erasing a folder with protected files in it",
    tool("delete", "ask"),
    { policy: { protected: ["files/legal/**"] }, input: to("/home/files") },
  ],
])("P7: %s always asks an administrator; no rule and no grant lifts that", async (_, tool, setting) => {
  const lifting = { ...setting, policy: { ...setting.policy, interruptOn: { "*": false, [tool.label]: false } } };
  const given = [
    { tool: tool.label, subject: "*" },
    { tool: tool.label, subject: "files" },
  ];
  expect(await gate(tool, { ...lifting, grants: given })).toMatchObject({
    verdict: "ask",
    risky: true,
    level: "admin",
    offers: ["approve", "edit", "deny"],
    deciders: "Who may decide: the owners.",
  });
});

test.each<[string, Tool, JsonObject]>([
  ["beside a protected folder", write, to("/home/files/legalese.md")],
  ["in the session's own scratch", write, to("/files/legal/x.md")],
  ["by reading", read, { file_path: "/home/files/legal/x.md" }],
  ["with a path that is refused anyway", write, to("/home/files/../files/legal/x.md")],
])("a file %s is not protected", async (_, tool, input) => {
  expect(await gate(tool, { policy: { protected: ["files/legal/**"] }, input })).toMatchObject({ verdict: "allow" });
});

test.each<[string, Case, boolean]>([
  ["of this tool and class", { grants: [{}] }, true],
  ["of another tool", { grants: [{ tool: "ops/delete" }] }, false],
  ["of another class", { grants: [{ subject: "files" }] }, false],
  ["found among others", { grants: [{ tool: "x" }, {}] }, true],
  ["given before a quorum was wanted", { grants: [{}], policy: { approvals: { quorum: 2 } } }, false],
  ["given before approving was taken off the list", { grants: [{}], policy: { interruptOn: { "*": { allow: ["deny"] } } } }, false],
])("a grant %s waives the question: %s", async (_, setting, waived) => {
  const found = await gate(deploy, setting);
  expect(found?.verdict).toBe(waived ? "allow" : "ask");
  expect(found?.risky).toBe(true);
  if (waived) expect(found?.grant).toEqual({ session: "home", id: `g${(setting.grants?.length ?? 1) - 1}` });
});

test.each<[string, Case, "ask" | "deny"]>([
  ["unchanged", { calls: [{ outcome: "denied" }] }, "deny"],
  ["unchanged, its keys in another order", { input: { a: 1, b: 2 }, calls: [{ outcome: "denied", input: { b: 2, a: 1 } }] }, "deny"],
  ["unchanged but for a number's spelling", { input: { n: 5 }, calls: [{ outcome: "denied", input: { n: "5" } }] }, "deny"],
  [
    "as it was before somebody edited it",
    { calls: [{ outcome: "denied", input: { target: "green" }, edited: { by: alice, from: { target: "blue" } } }] },
    "deny",
  ],
  ["with another input", { calls: [{ outcome: "denied", input: { target: "green" } }] }, "ask"],
  ["after it ran", { calls: [{ outcome: "ran" }] }, "ask"],
  ["after it expired", { calls: [{ outcome: "expired" }] }, "ask"],
  ["of another tool", { calls: [{ outcome: "denied", tool: "ops__delete" }] }, "ask"],
  ["in a later turn", { calls: [{ outcome: "denied", turn: 0 }] }, "ask"],
])("a denied call that comes again %s: %s", async (_, setting, verdict) => {
  expect((await gate(deploy, setting))?.verdict).toBe(verdict);
});

test("a call that was denied stays denied in its turn although a grant was given since", async () => {
  expect(await gate(deploy, { calls: [{ outcome: "denied" }], grants: [{}] })).toMatchObject({ verdict: "deny" });
});

test("P11: while policy.json cannot be used what asked goes on asking, and the card says why nobody can decide", async () => {
  const policy = { interruptOn: { read_file: true, "ops/*": false } };
  expect(await gate(read, { policy, broken: true })).toMatchObject({
    verdict: "ask",
    deciders: "Nobody can approve until policy.json is mended.",
  });
  expect(await gate(deploy, { broken: true })).toMatchObject({ verdict: "ask" });
  expect(await gate(deploy, { policy, broken: true })).toMatchObject({ verdict: "allow" });
});

test.each<[string, object, "ask" | "deny"]>([
  ["people who are meant", { people: ["slack:group:S1"] }, "ask"],
  ["other people", { people: ["slack:group:S2"] }, "deny"],
  ["this place", { places: ["slack:C1"] }, "ask"],
  ["another place", { places: ["slack:C2"] }, "deny"],
  ["the right people elsewhere", { people: ["slack:U1"], places: ["slack:C2"] }, "deny"],
  ["nobody", { people: [] }, "deny"],
])("a tool that policy.json restricts to %s: %s", async (_, limit, verdict) => {
  expect((await gate(deploy, { policy: { access: { "ops/*": limit } } }))?.verdict).toBe(verdict);
});

test("no rule ever makes an administrator's question go away, and a rule of false is the only one that lifts others", async () => {
  const rule = fc.oneof(fc.boolean(), fc.constant({ allow: ["approve"] }));
  const rules = fc.dictionary(fc.constantFrom("*", "ops/*", "ops/deploy", "*deploy"), rule);
  const risk = fc.constantFrom("none" as const, "ask" as const, "admin" as const);
  await fc.assert(
    fc.asyncProperty(rules, risk, fc.boolean(), async (interruptOn, own, broken) => {
      const found = await gate(tool("ops/deploy", own), { policy: { interruptOn }, broken });
      if (own === "admin") expect(found).toMatchObject({ verdict: "ask", level: "admin" });
      if (own === "ask" && !Object.values(interruptOn).includes(false)) expect(found).toMatchObject({ verdict: "ask", level: "approve" });
      expect(found?.risky).toBe(found?.verdict === "ask");
    }),
  );
});
