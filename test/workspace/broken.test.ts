/** 300 broken homes: each broken file takes only itself down, is told in words, and never widens what anyone may do (P11). */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { Standing } from "../../src/core/ports.ts";
import { parseToolsFile } from "../../src/mcp/tools-file.ts";
import { openHomes } from "../../src/workspace/homes.ts";
import { parsePolicy } from "../../src/workspace/policy.ts";
import { readSkills } from "../../src/workspace/skills.ts";
import { readSubagents } from "../../src/workspace/subagents.ts";

const root = mkdtempSync(join(tmpdir(), "broken-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const log = { debug() {}, info() {}, warn() {}, error() {} };

const WHOLE: Record<string, string> = {
  "AGENTS.md": "You are Marvin.\n",
  "KNOWLEDGE.md": "We build lifts.\n",
  "tools.json": '{"mcpServers": {"ops": {"command": "true"}}, "allow": [], "deny": ["drop_*"]}',
  "policy.json": '{"people": {"talk": ["members"], "approve": ["slack:U1"], "admin": ["slack:U1"]}, "interruptOn": {"ops/*": true}}',
  "skills/good/SKILL.md": "---\nname: good\ndescription: Does good.\n---\n\nDo good.\n",
  "skills/other/SKILL.md": "---\nname: other\ndescription: Does other things.\n---\n\nDo.\n",
  "subagents/helper.md": "---\nname: helper\ndescription: Helps.\n---\n\nHelp.\n",
};
const FILES = Object.keys(WHOLE);

type Put = (path: string) => void;
const text =
  (content: string | Uint8Array): Put =>
  (path) =>
    writeFileSync(path, content);
const folder: Put = (path) => mkdirSync(join(path, "inside"), { recursive: true });
const linkTo =
  (target: string): Put =>
  (path) =>
    symlinkSync(target, path);
const json = fc.json({ maxDepth: 4 });
const wrongTypes = fc
  .constantFrom(
    "people",
    "interruptOn",
    "approvals",
    "budget",
    "access",
    "mcpServers",
    "allow",
    "name",
    "description",
    "__proto__",
    "constructor",
  )
  .chain((key) => json.map((value) => `{${JSON.stringify(key)}: ${value}}`));
const script = "globalThis.brokenHomeRan = true";

const breakage = fc.constantFrom(...FILES).chain((file) => {
  const whole = WHOLE[file] ?? "";
  return fc.record({
    file: fc.constant(file),
    put: fc.oneof(
      fc.nat(whole.length).map((cut): Put => text(whole.slice(0, cut))),
      wrongTypes.map(text),
      json.map(text),
      fc.string({ unit: "binary", maxLength: 200 }).map(text),
      fc.uint8Array({ maxLength: 300 }).map(text),
      fc.constantFrom<Put>(
        text(""),
        text(" \n"),
        text("\0"),
        text(`${whole}${"x".repeat(300_000)}`),
        text(`\uFEFF${whole}`),
        text(whole.replaceAll("\n", "\r\n")),
        text(`---js\n${script}\n---\nbody`),
        text(`---javascript\n${script}\n---\nbody`),
        text(`--- js\n{ name: (() => { ${script} })() }\n---\nbody`),
        text("---\nname: &a [*a, *a]\ndescription: x\n---\nbody"),
        text(`---\n${"a: &x {b: 1}\n".repeat(50)}\n---\nbody`),
        text('{"people": {"talk": ["*"], "approve": ["*"], "admin": ["*"]}, "peolpe": {}}'),
        text('{"people": {"approve": "*"}}'),
        text('{"people": {"approve": ["*"]},}'),
        text('{"people": null}'),
        folder,
        linkTo("/etc/passwd"),
        linkTo("../../../../../../../etc"),
        linkTo(file.split("/").at(-1) ?? ""),
        linkTo("."),
        linkTo("../memory"),
        linkTo("nowhere"),
        linkTo("/dev/zero"),
      ),
    ),
  });
});

const STANDINGS: [string, Standing][] = [
  ["slack:U1", { member: true, guest: false, external: false, owner: false, bot: false, groups: [] }],
  ["slack:U2", { member: true, guest: false, external: false, owner: true, bot: false, groups: ["slack:group:S1"] }],
  ["slack:U3", { member: false, guest: true, external: false, owner: false, bot: false, groups: [] }],
  ["slack:U4", { member: false, guest: false, external: true, owner: false, bot: false, groups: [] }],
  ["slack:U5", { member: false, guest: false, external: false, owner: false, bot: true, groups: [] }],
];
/** Who may do what, as one line. */
async function rights(homes: ReturnType<typeof openHomes>): Promise<Record<"talk" | "approve" | "admin", string[]>> {
  const rules = await homes.rules("h");
  const of = (what: "talk" | "approve" | "admin") => STANDINGS.filter(([id, standing]) => rules.may(what, id, standing)).map(([id]) => id);
  return { talk: of("talk"), approve: of("approve"), admin: of("admin") };
}
async function readAll(homes: ReturnType<typeof openHomes>) {
  const home = homes.home("h");
  const [agents, knowledge, tools] = await Promise.all(["AGENTS.md", "KNOWLEDGE.md", "tools.json"].map((file) => home.read(file)));
  const skills = await readSkills([{ root: home.dir, folder: "skills", mount: "/home/skills", read: home.read }]);
  const helpers = await readSubagents(home);
  const servers = parseToolsFile(tools?.text ?? "");
  return {
    "AGENTS.md": agents?.text,
    "KNOWLEDGE.md": knowledge?.text,
    "tools.json": servers.ok ? servers.file.servers.map(({ name }) => name).join() : undefined,
    "policy.json": JSON.stringify((await home.policy()).policy.interruptOn),
    "skills/good/SKILL.md": skills.found.find(({ path }) => path.includes("/good/"))?.description,
    "skills/other/SKILL.md": skills.found.find(({ path }) => path.includes("/other/"))?.description,
    "subagents/helper.md": helpers.found[0]?.prompt,
  };
}

test("P11: 300 broken homes", async () => {
  const dir = join(root, "w", "h");
  for (const [path, content] of Object.entries(WHOLE)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  const homes = openHomes({ workspacesDir: join(dir, ".."), templateDir: "none", dataDir: join(root, "d"), stepLimit: 50, log });
  const before = await readAll(homes);
  const mayBefore = await rights(homes);
  await homes.history("h").look();
  let n = 0;
  await fc.assert(
    fc.asyncProperty(breakage, async ({ file, put }) => {
      rmSync(join(dir, file));
      put(join(dir, file));
      const after = await readAll(homes);
      // Only the file itself is different. A skill's name may be lost to one that now has the same.
      for (const [path, value] of Object.entries(before))
        if (path !== file && !(path.startsWith("skills/") && file.startsWith("skills/")))
          expect([path, after[path as keyof typeof after]]).toEqual([path, value]);
      const may = await rights(homes);
      const { broken } = await homes.home("h").policy();
      if (broken) {
        expect(file).toBe("policy.json");
        expect(may).toEqual({ talk: mayBefore.talk, approve: [], admin: [] });
        expect(broken.what).toContain("policy.json");
        expect(after["policy.json"]).toBe(before["policy.json"]);
      } else if (file !== "policy.json") expect(may).toEqual(mayBefore);
      if (++n % 15 === 0) await homes.history("h").look();
      expect(Object.keys(globalThis)).not.toContain("brokenHomeRan");
      rmSync(join(dir, file), { recursive: true, force: true });
      writeFileSync(join(dir, file), WHOLE[file] ?? "");
      expect(await readAll(homes)).toEqual(before);
      expect(await rights(homes)).toEqual(mayBefore);
    }),
    { numRuns: 300 },
  );
  const { commits } = await homes.history("h").commits({ limit: 100 });
  for (const { id } of commits) expect(JSON.stringify(await homes.history("h").diff(id))).not.toContain("root:");
}, 60_000);

test("a policy that can be used after all is taken as it says, and no other", () => {
  for (const content of ["\uFEFF{}", "{}\r\n", '{"people": {"approve": ["slack:U9"]}}']) expect(parsePolicy(content).ok).toBe(true);
  for (const content of [
    "",
    "null",
    "[]",
    '"x"',
    "{",
    '{"people": {"approve": "*"}}',
    '{"__proto__": {"people": {}}}',
    '{"people": {"approve": ["everybody"]}}',
  ])
    expect(parsePolicy(content).ok).toBe(false);
});
