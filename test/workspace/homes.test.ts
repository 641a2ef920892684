import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Log, Standing } from "../../src/core/ports.ts";
import { homeName, openHomes } from "../../src/workspace/homes.ts";

const root = await mkdtemp(join(tmpdir(), "homes-"));
afterAll(() => rm(root, { recursive: true, force: true }));
const templateDir = fileURLToPath(new URL("../../workspaces/_template", import.meta.url));
const member: Standing = { member: true, guest: false, external: false, owner: false, bot: false, groups: [] };

let n = 0;
let workspacesDir = "";
let dataDir = "";
let lines: string[] = [];
beforeEach(() => {
  const dir = join(root, String(n++));
  workspacesDir = join(dir, "workspaces");
  dataDir = join(dir, "data");
  lines = [];
});
const put = async (path: string, content: string) => {
  const full = join(workspacesDir, path);
  await mkdir(join(full, ".."), { recursive: true });
  await writeFile(full, content);
};
const say = (_: object, msg: string) => void lines.push(msg);
const log: Log = { debug: say, info: say, warn: say, error: say };
const open = (template = templateDir) => openHomes({ workspacesDir, templateDir: template, dataDir, stepLimit: 50, log });

test("a team's home is made from the template at its first message", async () => {
  const homes = open();
  expect(await homes.find("slack", "T1")).toEqual({ ok: true, home: "slack-T1" });
  expect((await readdir(homes.home("slack-T1").dir)).sort()).toEqual(
    ["AGENTS.md", "KNOWLEDGE.md", "MEMORY.md", "files", "policy.json", "skills", "subagents", "tools.json"].sort(),
  );
  expect(await readdir(join(workspacesDir, "slack-T1", "skills"))).toEqual([]);
  expect((await homes.rules("slack-T1")).broken).toBeUndefined();
  expect(await homes.list()).toEqual(["slack-T1"]);
  expect(await readdir(workspacesDir)).toEqual(["slack-T1"]);
});

test("many first messages at once make one home", async () => {
  const found = await Promise.all(Array.from({ length: 12 }, () => open().find("discord", "99")));
  expect(new Set(found.map((it) => JSON.stringify(it)))).toEqual(new Set(['{"ok":true,"home":"discord-99"}']));
  expect(await readdir(workspacesDir)).toEqual(["discord-99"]);
});

test("a home that a person prepared is taken as it is", async () => {
  await put("slack-T1/AGENTS.md", "Marvin");
  expect(await open().find("slack", "T1")).toEqual({ ok: true, home: "slack-T1" });
  expect(await readdir(join(workspacesDir, "slack-T1"))).toEqual(["AGENTS.md"]);
});

test("an empty folder becomes a home", async () => {
  await mkdir(join(workspacesDir, "slack-T1"), { recursive: true });
  expect(await open().find("slack", "T1")).toMatchObject({ ok: true });
  expect(await open().home("slack-T1").read("AGENTS.md")).toMatchObject({ problem: undefined, text: expect.stringContaining("Denizen") });
});

test("P11: a home that cannot be made is refused in a sentence, and leaves nothing half made", async () => {
  expect(await open(join(root, "no-template")).find("slack", "T1")).toMatchObject({
    ok: false,
    why: expect.stringContaining("slack-T1 could not be made (ENOENT)"),
  });
  expect(await readdir(workspacesDir)).toEqual([]);
  await put("slack-T2", "a file in the way");
  expect(await open().find("slack", "T2")).toMatchObject({ ok: false });
});

test("a home may serve teams that its policy claims, of any platform", async () => {
  await put("acme/policy.json", '{"platforms": ["slack:T1", "discord:5"]}');
  await put("slack-T1/AGENTS.md", "not this one");
  const homes = open();
  expect(await homes.find("slack", "T1")).toEqual({ ok: true, home: "acme" });
  expect(await homes.find("discord", "5")).toEqual({ ok: true, home: "acme" });
  expect(await homes.find("discord", "6")).toEqual({ ok: true, home: "discord-6" });
  await homes.find("slack", "T1");
  expect(lines.filter((line) => line.includes("no longer by"))).toEqual([
    expect.stringMatching(/^slack:T1 is served by the home acme, .* no longer by slack-T1: .* take slack:T1 out of "platforms" of acme\.$/),
  ]);
  expect(await readFile(join(workspacesDir, "slack-T1/AGENTS.md"), "utf8")).toBe("not this one");
});

test("P11 a claim in a file that cannot be used, and never could, makes no new home with other rules", async () => {
  await put("acme/policy.json", '{ "platforms": ["slack:T1"], "people": { "approve": ["slack:U1"] }, }');
  const homes = open();
  expect(await homes.find("slack", "T1")).toEqual({ ok: true, home: "acme" });
  expect((await homes.rules("acme")).may("approve", "slack:U2", member)).toBe(false);
  expect(await homes.find("slack", "T")).toEqual({ ok: true, home: "slack-T" });
  await put("slack-T1/AGENTS.md", "Marvin");
  expect(await open().find("slack", "T1")).toEqual({ ok: true, home: "slack-T1" });
});

test("a team that two homes claim is served by neither, until one of them gives it up", async () => {
  await put("a/policy.json", '{"platforms": ["slack:T1"]}');
  await put("b/policy.json", '{"platforms": ["slack:T1"]}');
  const homes = open();
  const found = await homes.find("slack", "T1");
  expect(found).toMatchObject({ ok: false, why: expect.stringMatching(/slack:T1 .*a and b.*policy\.json/) });
  await put("b/policy.json", '{"platforms": []}');
  expect(await homes.find("slack", "T1")).toEqual({ ok: true, home: "a" });
});

test("P11: a policy that broke does not hand its teams to another home", async () => {
  await put("acme/policy.json", '{"platforms": ["slack:T1"]}');
  const homes = open();
  await homes.find("slack", "T1");
  await put("acme/policy.json", '{"platforms": ["slack:T1"');
  expect(await homes.find("slack", "T1")).toEqual({ ok: true, home: "acme" });
  expect(await open().find("slack", "T1")).toEqual({ ok: true, home: "acme" });
});

test("on the console a team is a home, and only its own is made", async () => {
  await put("slack-T1/AGENTS.md", "");
  const homes = open();
  expect(await homes.find("console", "console")).toEqual({ ok: true, home: "console" });
  expect(await homes.find("console", "slack-T1")).toEqual({ ok: true, home: "slack-T1" });
  for (const team of ["nowhere", "_template", "..", "../data", ".", ""])
    expect(await homes.find("console", team)).toMatchObject({ ok: false });
});

test("distinct teams have distinct folders inside the workspaces, whatever their ids are", () => {
  const team = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom("a", "/", ".", "%", "_", ":"), maxLength: 200 }));
  fc.assert(
    fc.property(team, team, (a, b) => {
      expect(homeName("slack", a)).toMatch(/^slack-[A-Za-z0-9_%-]{0,120}$/);
      expect(homeName("slack", a) === homeName("slack", b)).toBe(a === b);
    }),
  );
  expect(homeName("slack", "a/b")).not.toBe(homeName("slack", "a_b"));
  expect(homeName("slack", "T0123")).toBe("slack-T0123");
});

test("the template, hidden folders and files are no homes", async () => {
  await put("_template/AGENTS.md", "");
  await put(".draft/AGENTS.md", "");
  await put("notes.txt", "");
  await put("b/AGENTS.md", "");
  await put("a/AGENTS.md", "");
  expect(await open().list()).toEqual(["a", "b"]);
});

const STRICT = '{"people": {"talk": ["*"], "approve": ["slack:U1"]}, "interruptOn": {"*": true}, "approvals": {"quorum": 2}}';
test.each<[string, () => Promise<unknown>, RegExp]>([
  ["missing", () => rm(join(workspacesDir, "h/policy.json")), /It is missing/],
  ["no JSON", () => put("h/policy.json", '{\n"people": {'), /not valid JSON/],
  ["of another shape", () => put("h/policy.json", '{"people": []}'), /"people" should be an object/],
  ["mistyped", () => put("h/policy.json", '{"peeple": {}}'), /unknown key "peeple"/],
  ["too long", () => put("h/policy.json", `{"trust": ["${"x".repeat(300_000)}"]}`), /KB long/],
  ["not text", () => put("h/policy.json", "\0"), /UTF-8/],
  ["a folder", () => rm(join(workspacesDir, "h/policy.json")).then(() => mkdir(join(workspacesDir, "h/policy.json"))), /is a folder/],
  [
    "a link",
    () => rm(join(workspacesDir, "h/policy.json")).then(() => symlink("/etc/hostname", join(workspacesDir, "h/policy.json"))),
    /is a link/,
  ],
])("P11: with a policy.json that is %s the last valid one holds, also after a restart, and nobody approves", async (_, breakIt, words) => {
  await put("h/policy.json", STRICT);
  const before = open();
  expect((await before.home("h").policy()).broken).toBeUndefined();
  await breakIt();
  for (const homes of [before, open()]) {
    const { policy, broken } = await homes.home("h").policy();
    expect(policy).toMatchObject({ interruptOn: { "*": true }, approvals: { quorum: 2 }, people: { talk: ["*"], approve: ["slack:U1"] } });
    expect(broken?.what).toMatch(/^policy\.json of this home cannot be used\./);
    expect(broken?.what).toMatch(words);
    const rules = await homes.rules("h");
    expect(rules.may("approve", "slack:U1", member)).toBe(false);
    expect(rules.may("talk", "slack:U2", { ...member, member: false })).toBe(true);
  }
});

test("P11: with a policy.json that was never valid the defaults hold, and nobody approves", async () => {
  await put("h/policy.json", "{");
  const rules = await open().rules("h");
  expect(rules.may("talk", "slack:U1", member)).toBe(true);
  expect(rules.may("talk", "slack:U1", { ...member, member: false, guest: true })).toBe(false);
  expect(rules.may("approve", "slack:U1", member)).toBe(false);
});

test("a mended policy.json holds at once", async () => {
  const homes = open();
  await put("h/policy.json", "{");
  expect((await homes.rules("h")).broken).toBeDefined();
  await put("h/policy.json", STRICT);
  const rules = await homes.rules("h");
  expect(rules.broken).toBeUndefined();
  expect(rules.may("approve", "slack:U1", member)).toBe(true);
});

test("P11: a kept policy that was damaged counts as never kept", async () => {
  await put("h/policy.json", STRICT);
  await open().rules("h");
  const kept = join(dataDir, "policies", "h.json");
  expect(await readFile(kept, "utf8")).toBe(STRICT);
  await writeFile(kept, '{"people": {"talk": ["*"]');
  await put("h/policy.json", "{");
  const { policy } = await open().home("h").policy();
  expect(policy.people.talk).toEqual(["members"]);
});

test("P11: a policy that cannot be kept for later still holds now", async () => {
  await put("h/policy.json", STRICT);
  await writeFile(dataDir, "a file in the way");
  const homes = open();
  expect((await homes.home("h").policy()).policy.approvals.quorum).toBe(2);
  expect(lines).toEqual(["The last valid policy could not be kept."]);
  await put("h/policy.json", "{");
  expect((await homes.home("h").policy()).policy.approvals.quorum).toBe(2);
});

test("what is wrong with a file is logged once for each state of it", async () => {
  await put("h/AGENTS.md", "\0");
  await put("h/policy.json", "{");
  const home = open().home("h");
  for (let i = 0; i < 3; i++) await Promise.all([home.read("AGENTS.md"), home.policy()]);
  expect(lines).toHaveLength(2);
  await put("h/policy.json", "{ ");
  await home.policy();
  await home.policy();
  expect(lines).toHaveLength(3);
});

test.runIf(process.getuid?.() !== 0)("a folder of homes that cannot be written to is said", async () => {
  await mkdir(workspacesDir, { recursive: true });
  await chmod(workspacesDir, 0o500);
  expect(await open().find("slack", "T1")).toMatchObject({ ok: false, why: expect.stringContaining("EACCES") });
});
