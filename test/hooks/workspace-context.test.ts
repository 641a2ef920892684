import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type Moment, type Offer, RANKS } from "../../src/core/ports.ts";
import type { Scope } from "../../src/core/scope.ts";
import { INITIAL } from "../../src/core/state.ts";
import { BASE_RULES } from "../../src/hooks/base-rules.ts";
import { workspaceContext } from "../../src/hooks/workspace-context.ts";
import type { Recalled } from "../../src/memory/recall.ts";
import { openHomes } from "../../src/workspace/homes.ts";

const root = await mkdtemp(join(tmpdir(), "context-"));
afterAll(() => rm(root, { recursive: true, force: true }));
const silent = { debug() {}, info() {}, warn() {}, error() {} };
let n = 0;
let dir = "";
let memory: Recalled[] = [];
let offer: (home?: string, scope?: Scope) => Promise<Offer>;
beforeEach(async () => {
  dir = join(root, String(n++));
  await mkdir(join(dir, "h"), { recursive: true });
  memory = [];
  const homes = openHomes({ workspacesDir: dir, templateDir: dir, dataDir: join(dir, ".data"), stepLimit: 50, log: silent });
  const hook = workspaceContext({ homes, memoryFor: async () => memory });
  offer = async (home = "h", scope = "team") => (await hook.preReasoning?.(momentIn(home, scope))) ?? {};
  await put("policy.json", "{}");
});
const put = (file: string, content: string) => writeFile(join(dir, "h", file), content);
const momentIn = (home: string, scope: Scope): Moment => ({
  home,
  session: "slack:T1:C1:1.0",
  scope,
  place: { platform: "slack", team: "T1", channel: "C1", thread: "1.0" },
  by: { id: "slack:U1", name: "Alice", kind: "member" },
  state: INITIAL,
  now: 0,
  signal: new AbortController().signal,
});

test("the home is in the prompt, the most stable first, to the letter", async () => {
  await put("AGENTS.md", "You are Marvin $& $1 $`.");
  await put("KNOWLEDGE.md", "We build lifts.");
  memory = [{ scope: "team", text: "- Alice likes tea.", left: 0 }];
  const { system = [], warnings } = await offer();
  expect(system.map(({ rank }) => rank)).toEqual(RANKS.filter((rank) => ["rules", "character", "knowledge", "memory"].includes(rank)));
  const text = (rank: string) => system.find((part) => part.rank === rank)?.text ?? "";
  expect(text("rules")).toBe(BASE_RULES);
  expect(text("character").endsWith("\n\nYou are Marvin $& $1 $`.")).toBe(true);
  expect(text("knowledge").endsWith("\n\nWe build lifts.")).toBe(true);
  expect(text("memory").endsWith("\n\n## The whole team's\n\n- Alice likes tea.")).toBe(true);
  expect(warnings).toBeUndefined();
});

test("files that are missing or empty leave only the rules", async () => {
  await put("KNOWLEDGE.md", " \n");
  expect(await offer()).toEqual({ system: [{ rank: "rules", text: BASE_RULES }] });
});

test("what did not change is the same to the letter; a changed character holds at the next step", async () => {
  await put("AGENTS.md", "You are Marvin.");
  const before = await offer();
  expect(await offer()).toEqual(before);
  await put("AGENTS.md", "You are Eddie.");
  expect((await offer()).system?.[1]?.text).toContain("You are Eddie.");
});

test("P11: a broken file costs only itself, and is told for as long as it is broken (the harness says each sentence once)", async () => {
  await put("AGENTS.md", "a\0b");
  await put("KNOWLEDGE.md", "We build lifts.");
  await put("policy.json", "{");
  const first = await offer();
  expect(first.system?.map(({ rank }) => rank)).toEqual(["rules", "knowledge"]);
  expect(first.warnings).toEqual([
    expect.stringContaining("AGENTS.md is not text"),
    expect.stringContaining("policy.json of this home cannot be used"),
  ]);
  expect((await offer()).warnings).toEqual(first.warnings);
  await put("AGENTS.md", "fine");
  expect((await offer()).warnings).toEqual([expect.stringContaining("policy.json")]);
  await put("policy.json", "{}");
  expect((await offer()).warnings).toBeUndefined();
});

test("memory stands apart by where it was learned, and says what had no room", async () => {
  memory = [
    { scope: "team", text: "- a", left: 0 },
    { scope: "place:slack:C9", text: "- b", left: 3 },
    { scope: "person:slack:U1", text: "- c", left: 0 },
  ];
  const { system = [] } = await offer("h", "person:slack:U1");
  const headings = system.at(-1)?.text.match(/^(## .*|\(.*\))$/gm);
  expect(headings).toEqual([
    "## The whole team's",
    "## Only of slack:C9, where this person is a member",
    "(3 more lines had no room here.)",
    "## Only of these direct messages",
  ]);
});

test("P11: a memory that cannot be read costs only itself and is told", async () => {
  memory = [
    { scope: "team", text: "", left: 0, problem: "this is a folder" },
    { scope: "place:slack:C1", text: "- b", left: 0 },
  ];
  const first = await offer("h", "place:slack:C1");
  expect(first.system?.at(-1)?.text).toContain("## Only of this place\n\n- b");
  expect(first.warnings).toEqual(["MEMORY.md of team cannot be read: this is a folder. Until it is mended, nothing of it is remembered."]);
  memory = [];
  expect((await offer("h", "place:slack:C1")).warnings).toBeUndefined();
});

test("each home is told of its own files", async () => {
  await put("AGENTS.md", "a\0b");
  await mkdir(join(dir, "other"));
  await writeFile(join(dir, "other", "AGENTS.md"), "a\0b");
  await writeFile(join(dir, "other", "policy.json"), "{}");
  expect((await offer("h")).warnings).toHaveLength(1);
  expect((await offer("other")).warnings).toHaveLength(1);
});

test("the base rules are short", () => {
  // Prose in English is never below three and a half letters a token.
  expect(BASE_RULES.length / 3.5).toBeLessThan(700);
});
