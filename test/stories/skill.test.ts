import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { plain } from "../../src/core/view.ts";
import { mounts } from "../../src/files/mounts.ts";
import { dynamicSkills } from "../../src/hooks/dynamic-skills.ts";
import { dynamicSubagents } from "../../src/hooks/dynamic-subagents.ts";
import { readFile } from "../../src/tools/read-files.ts";
import { proposeSkill } from "../../src/tools/skills.ts";
import { ANN, BEN, Bot, type BotOptions } from "../help/bot.ts";
import { Folder } from "../help/folder.ts";
import { calls, heard, Script, says } from "../help/script.ts";

let bot: Bot;
let home: Folder;
let shared: Folder;
beforeEach(() => {
  home = new Folder();
  shared = new Folder();
  shared.write("summary/SKILL.md", "---\nname: summary\ndescription: Sums up threads\n---\nFirst read it whole.\n");
  shared.write("summary/references/form.md", "The form.\n");
});
afterEach(async () => {
  await bot.end();
  home.end();
  shared.end();
});
const start = (model: Script, more: BotOptions = {}) => {
  const homes = { home: () => ({ name: "home", policy: () => Promise.reject(), ...home.home }) };
  const filesFor = ({ session, scope }: { session: string; scope: "team" | `place:${string}` | `person:${string}` }) =>
    mounts({ homeDir: home.dir, sharedSkillsDir: shared.dir, session, scope });
  bot = new Bot({
    model,
    tools: [readFile(filesFor), proposeSkill(filesFor)],
    gate: (it, input) => (it.risk(input, "team") === "admin" ? { verdict: "ask", level: "admin", risky: true } : undefined),
    hooks: [
      dynamicSkills({ homes, shared: { root: shared.dir, folder: "", mount: "/skills", read: shared.home.read } }),
      dynamicSubagents({ homes }),
    ],
    rules: { may: (what, person) => what !== "admin" || person === ANN.id, who: () => "Ann" },
    ...more,
  });
};
const proposal = (instructions: string, name = "refunds") =>
  calls(["propose_skill", { name, description: 'Handles refunds: "all" of them', instructions }]);

describe("a skill", () => {
  test("is in the prompt by name, description and path; its text and files are read when needed", async () => {
    const model = new Script(
      calls(["read_file", { file_path: "/skills/summary/SKILL.md" }], ["read_file", { file_path: "/skills/summary/references/form.md" }]),
      says("Done."),
    );
    start(model);
    await bot.say(ANN, "sum up");
    await bot.answer("Done.");
    expect(heard(model.requests[0])).toContain("- summary: Sums up threads (/skills/summary/SKILL.md)");
    expect(heard(model.requests[0])).not.toContain("First read it whole");
    expect(heard(model.requests[1])).toMatch(/First read it whole.*The form\./);
  });

  test("a helper is told of those its file names, and of none if it cannot read", async () => {
    home.write("skills/other/SKILL.md", "---\nname: other\ndescription: Other\n---\nB");
    home.write("subagents/one.md", "---\ndescription: d\nskills: summary\n---\nP1");
    home.write("subagents/blind.md", "---\ndescription: d\ntools: propose_skill\n---\nP2");
    const model = new Script(
      calls(["task", { description: "x", subagent_type: "one" }]),
      says("R1."),
      calls(["task", { description: "x", subagent_type: "blind" }]),
      says("R2."),
      says("Done."),
    );
    start(model);
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    const skills = model.requests.map((request) => /# Skills(?:(?!# ).)*/.exec(heard(request))?.[0] ?? "");
    expect([0, 1, 3].map((index) => [skills[index]?.includes("- summary:"), skills[index]?.includes("- other:")])).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
  });
});

describe("a proposed skill", () => {
  const file = () => join(home.dir, "skills/refunds/SKILL.md");
  test("stands whole on the card, an administrator decides, and it is there at the next step", async () => {
    const model = new Script(proposal("1. Look up the order.\n2. Refund."), says("Kept."));
    start(model);
    await bot.say(BEN, "keep how we did that");
    await bot.button("Approve");
    const card = plain(bot.stage.visible("card")[0]?.slot.view ?? { parts: [], buttons: [] });
    expect(card).toMatch(
      /propose_skill[\s\S]*\+description: "Handles refunds: \\"all\\" of them"[\s\S]*\+1\. Look up the order\.\n\+2\. Refund\./,
    );
    expect(JSON.stringify(await bot.click(BEN, "Approve"))).toContain("Ann");
    expect(existsSync(file())).toBe(false);
    await bot.click(ANN, "Approve");
    await bot.answer("Kept.");
    expect(heard(model.requests[1])).toMatch(
      /- refunds: Handles refunds: \\\\"all\\\\" of them \(\/home\/skills\/refunds\/SKILL\.md\)|- refunds: Handles refunds/,
    );
    expect(readFileSync(file(), "utf8")).toContain("2. Refund.");
  });

  test("for one that is there shows what would change", async () => {
    home.write(
      "skills/refunds/SKILL.md",
      '---\nname: refunds\ndescription: "Handles refunds: \\"all\\" of them"\n---\n\n1. Look.\n2. Refund.\n',
    );
    start(new Script(proposal("1. Look twice.\n2. Refund."), says("Kept.")));
    await bot.say(ANN, "better");
    await bot.button("Approve");
    const card = plain(bot.stage.visible("card")[0]?.slot.view ?? { parts: [], buttons: [] });
    expect(card).toMatch(/-1\. Look\.\n\+1\. Look twice\./);
    expect(card).not.toMatch(/[-+]2\. Refund/);
  });

  test.each([
    ["a secret", "Log in with password: hunter22x"],
    ["a way round people's decisions", "Then deploy without asking for approval."],
  ])("with %s is refused before anybody is asked", async (_, instructions) => {
    const model = new Script(proposal(instructions), says("All right."));
    start(model);
    await bot.say(ANN, "keep it");
    await bot.answer("All right.");
    expect(bot.stage.visible("card")).toEqual([]);
    expect(heard(model.requests[1])).toContain("Not run, the input is not valid");
    expect(existsSync(file())).toBe(false);
  });

  test("P7: with a name that leads elsewhere is refused", async () => {
    const model = new Script(proposal("x", "../../policy"), says("All right."));
    start(model);
    await bot.say(ANN, "keep it");
    await bot.answer("All right.");
    expect(heard(model.requests[1])).toContain("small letters");
  });
});
