/** What one person needs to see: theirs, what they may decide, what they may know, and nothing of anybody else's (P6). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandsOn } from "../../src/commands/asked.ts";
import { commands } from "../../src/commands/commands.ts";
import { suggestions } from "../../src/commands/suggestions.ts";
import type { Event, Place, Speaker, Verdict } from "../../src/core/event.ts";
import type { Command, Journal, Standing } from "../../src/core/ports.ts";
import { type Scope, visibleScopes } from "../../src/core/scope.ts";
import { plain, type View } from "../../src/core/view.ts";
import { openJournal } from "../../src/store/journal.ts";
import { openHomes } from "../../src/workspace/homes.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const NOW = Date.UTC(2026, 0, 5, 12);
const ann: Speaker = { id: "slack:U1", name: "Ann", kind: "member" };
const ben: Speaker = { id: "slack:U2", name: "Ben", kind: "member" };
const FACTS: Record<string, string> = {
  team: "the team's fact",
  "person:slack:U1": "Ann's fact",
  "person:slack:U2": "Ben's fact",
  "place:slack:G1": "the board's fact",
};

let root: string;
let homes: ReturnType<typeof openHomes>;
let journal: Journal;
let places: Scope[];
let run: ReturnType<typeof commands>;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "desk-"));
  mkdirSync(join(root, "w", "h"), { recursive: true });
  policy({ people: { approve: ["slack:U2"], admin: ["slack:U2"] } });
  writeFileSync(join(root, "w", "h", "AGENTS.md"), "You are Marvin.");
  homes = openHomes({ workspacesDir: join(root, "w"), templateDir: "none", dataDir: join(root, "d"), stepLimit: 50, log });
  journal = openJournal(join(root, "journal.db"));
  places = [];
  const standing: Standing = { member: true, guest: false, external: false, owner: false, bot: false, groups: [] };
  const on = {
    homes,
    journal: async () => journal,
    memory: () => ({ list: async (scopes: readonly Scope[]) => scopes.map((scope) => ({ scope, text: FACTS[scope] ?? "" })) }),
    scopes: async (_home: string, own: Scope, by: Speaker) => visibleScopes(own, by, places),
    standing: async () => standing,
    link: ({ channel }: Place, message: string) => `https://chat/${channel}/${message}`,
    cost: ({ input, output }: { input: number; output: number }) => (input + output) / 1000,
    now: () => NOW,
  };
  run = commands(on as unknown as CommandsOn);
});
afterEach(async () => {
  await journal.close();
  rmSync(root, { recursive: true, force: true });
});
const policy = (text: object) => writeFileSync(join(root, "w", "h", "policy.json"), JSON.stringify(text));

async function tab(by: Speaker, more: Partial<Command> = {}): Promise<View> {
  const place = { platform: "slack", team: "T", channel: by.id, thread: null };
  const at = { home: "h", session: "s", why: [], stop: async () => ({ to: "nobody" as const }), wake: async () => {} };
  const reply = await run({ place, channel: "dm", shared: false, by, text: "home", at: NOW, ...more }, at);
  if (!("view" in reply) || reply.to !== "asker") throw new Error("not for the asker");
  return reply.view;
}
const words = async (by: Speaker, more?: Partial<Command>) => plain(await tab(by, more));
const buttons = async (by: Speaker) => (await tab(by)).parts.flatMap((part) => (part.kind === "buttons" ? part.buttons : []));

/** A thread in which somebody asked for something that waits for a decision. */
async function waiting(name: string, scope: Scope, channel: string, by: Speaker, verdict: Partial<Verdict> = {}): Promise<void> {
  const session = `slack:T:${channel}:${name}`;
  const place = { platform: "slack", team: "T", channel, thread: name };
  await journal.receive(
    session,
    `m:${name}`,
    { type: "message.received", at: NOW, id: name, by, text: `please ${name}`, heard: false },
    { home: "h", scope, place, code: `s-${name}` },
  );
  const lease = await journal.lease(session);
  if (!lease) throw new Error("held");
  const gate: Verdict = {
    verdict: "ask",
    label: `tool-${name}`,
    digest: name,
    reason: "It asks.",
    risky: true,
    helper: false,
    quorum: 1,
    expires: null,
    code: `c-${name}`,
    offers: ["approve", "deny"],
    level: "approve",
    notBy: null,
    asker: by.name,
    deciders: "",
    subject: null,
    ...verdict,
  };
  const usage = { model: "m", input: 900, output: 100, cacheRead: 0, cacheWrite: 0 };
  const events: Event[] = [
    { type: "step.opened", at: NOW, turn: 1, step: 1, upTo: 1 },
    {
      type: "model.answered",
      at: NOW,
      turn: 1,
      step: 1,
      content: [],
      calls: [{ tool: "t", input: { secret: `input of ${name}` } }],
      usage,
    },
    { type: "call.gated", at: NOW, call: "1.1.0", ...gate },
    { type: "todos.written", at: NOW, todos: [{ content: `plan of ${name}`, status: "pending" }] },
  ];
  if (!(await journal.record(lease, [[session, events]]))) throw new Error("not recorded");
  await journal.release(lease);
}

describe("home", () => {
  test("shows what waits for this person's decision, with its buttons, and nothing that others decide", async () => {
    await waiting("deploy", "team", "C1", ann);
    await waiting("rename", "team", "C1", ann, { level: "admin" });
    expect((await buttons(ben)).map(({ word, code }) => `${word} ${code}`).sort()).toEqual([
      "Approve c-deploy",
      "Approve c-rename",
      "Deny c-deploy",
      "Deny c-rename",
    ]);
    expect(await words(ben)).toContain("input of deploy");
    expect(await buttons(ann)).toEqual([]);
    expect(await words(ann)).toContain("Nothing waits for your decision.");
  });

  test("P6: shows nothing of a private place that this person is not in, nor of anybody's direct messages, also to approvers", async () => {
    await waiting("board", "place:slack:G1", "G1", ann);
    await waiting("diary", "person:slack:U1", "D1", ann);
    const outside = await words(ben);
    for (const hidden of ["board", "diary", "Ann's fact"]) expect(outside).not.toContain(hidden);
    expect(outside).toContain("Ben's fact");
    places = ["place:slack:G1"];
    const inside = await words(ben);
    expect([inside.includes("input of board"), inside.includes("the board's fact"), inside.includes("diary")]).toEqual([true, true, false]);
  });

  test("P6: asked for where others read the place, it keeps to what that place may see", async () => {
    await waiting("board", "place:slack:G1", "G1", ben);
    places = ["place:slack:G1"];
    const shown = await words(ben, { channel: "public", place: { platform: "slack", team: "T", channel: "C1", thread: null } });
    for (const hidden of ["board", "Ben's fact"]) expect(shown).not.toContain(hidden);
    expect(shown).toContain("the team's fact");
  });

  test("shows one's own open threads with plan and link, and nobody else's", async () => {
    await waiting("deploy", "team", "C1", ann);
    const own = await words(ann);
    expect(own).toContain("[please deploy](https://chat/C1/deploy)");
    expect(own).toContain("☐ plan of deploy");
    expect((await words(ben)).split("Your open threads")[1]).not.toContain("plan of deploy");
  });

  test("a question waits for whom it was asked for", async () => {
    await waiting("tea", "team", "C1", ann, { verdict: "question", level: "talk", question: { text: "Tea?", options: ["Yes", "No"] } });
    expect((await buttons(ann)).map(({ word }) => word)).toEqual(["Yes", "No"]);
    expect(await buttons(ben)).toEqual([]);
  });

  test("says what today cost, and what there is", async () => {
    await waiting("deploy", "team", "C1", ann);
    const shown = await words(ann);
    expect(shown).toMatch(/You: 1,000 of [\d,]+ tokens, about \$1\.00/);
    expect(await words(ben)).toMatch(/You: 0 of .*\nThis home: 1,000 of .* about \$1\.00/);
  });

  test("is bounded, and counts the rest", async () => {
    for (let n = 0; n < 12; n++) await waiting(`job${n}`, "team", "C1", ben, { notBy: null });
    const view = await tab(ben);
    expect(view.parts.filter(({ kind }) => kind === "buttons")).toHaveLength(5);
    expect(plain(view)).toContain("and 7 more; `approvals`");
    expect(plain(view)).toContain("and 4 more");
    expect(view.parts.length).toBeLessThan(70);
  });

  test("P11: while policy.json is broken nobody is offered a decision, and it says what mends it", async () => {
    await waiting("deploy", "team", "C1", ann);
    writeFileSync(join(root, "w", "h", "policy.json"), "{ not json");
    expect(await buttons(ben)).toEqual([]);
    expect(await words(ben)).toContain("policy.json");
  });

  test("tells whoever may not talk who may, and nothing else", async () => {
    policy({ people: { talk: ["slack:U2"] } });
    await waiting("deploy", "team", "C1", ann);
    expect(await words(ann)).toBe("Denizen\nI may not talk with you here. Who may: slack:U2.");
  });
});

test("suggestions are the home's own skills first, then what always helps, four at most", async () => {
  const skill = (name: string) => {
    mkdirSync(join(root, "w", "h", "skills", name), { recursive: true });
    writeFileSync(join(root, "w", "h", "skills", name, "SKILL.md"), `---\nname: ${name}\ndescription: How ${name} is done.\n---\nDo it.`);
  };
  const ask = suggestions({ homes, sharedSkills: [] });
  expect((await ask("h")).map(({ title }) => title)).toEqual(["What can you do?", "What is open?"]);
  for (const name of ["weekly-report", "a-b", "c-d", "e-f"]) skill(name);
  const found = await ask("h");
  expect(found.map(({ title }) => title)).toEqual(["a b", "c d", "e f", "What can you do?"]);
  expect(found[0]?.text).toContain("“a-b”");
});
