import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "../../src/operator/check.ts";

const SKILL = "---\nname: lifts\ndescription: How lifts are built.\n---\n\nBuild.\n";
const HELPER = "---\nname: finder\ndescription: Finds.\n---\n\nFind it.\n";

test.each([
  ["/policy.json", "{}"],
  ["/tools.json", '{ "mcpServers": {} }'],
  ["/skills/lifts/SKILL.md", SKILL],
  ["/skills/lifts/notes.md", "anything"],
  ["/skills/README.md", "anything"],
  ["/subagents/finder.md", HELPER],
  ["/AGENTS.md", "anything"],
  ["/files/policy.json", "{ not json"],
])("nothing is wrong with a good %s", (path, text) => {
  expect(check(path, text)).toEqual({ problem: "", hint: "" });
});

test.each<[string, string, number | undefined, string]>([
  ["/policy.json", '{\n "people": {\n  "aprove": []\n }\n}', 3, 'unknown key "aprove" in "people"'],
  ["/policy.json", '{\n "people": {\n  "approve": [],,\n }\n}', 3, "not valid JSON"],
  ["/policy.json", '{\n "budget": {\n  "stepsPerTurn": "x" }\n}', 3, "should be a number"],
  ["/tools.json", '{\n "mcpServers": {\n  "logs": { "command": "x",\n   "args": 5 }\n }\n}', 4, "the server logs: args"],
  ["/tools.json", '{\n "mcpServers": {\n  "logs": {"command": "x"]\n }\n}', 3, "in JSON"],
  ["/skills/lifts/SKILL.md", "---\nname: lifts\ndescription: [x\n---\nx", 4, "not valid YAML"],
  ["/skills/lifts/SKILL.md", "---\nname: lifts\n---\nx", undefined, "has no description"],
  ["/skills/lifts.md", "no head", undefined, "does not begin with a head"],
  ["/subagents/a.md", "---\ndescription: d\nsteps: many\n---\nx", 3, "its steps is"],
  ["/subagents/a.md", "---\ndescription: d\n---\n", undefined, "no prompt below its head"],
])("what would not be used is said with its line: %s %j", (path, text, line, words) => {
  const found = check(path, text);
  expect([found.problem, found.line]).toEqual([expect.stringContaining(words), line]);
});

test("what is odd but used is a hint, and does not keep anybody from saving", () => {
  const night = '{\n "consolidation": {\n  "cron": "at three" }\n}';
  expect(check("/policy.json", night)).toEqual({ problem: "", hint: expect.stringContaining("which is no pattern such as"), line: 3 });
  expect(check("/skills/lifts/SKILL.md", SKILL.replace("name: lifts", "name: elevators"))).toEqual({
    problem: "",
    hint: expect.stringContaining("its name “elevators” is not that of its folder “lifts”"),
    line: 2,
  });
  expect(check("/AGENTS.md", "x".repeat(300 * 1024)).hint).toContain("first 200 KB");
});

test("P11 of any text whatever something is said, or nothing, and never an error; a line lies within it", () => {
  const path = fc.constantFrom("/policy.json", "/tools.json", "/skills/a/SKILL.md", "/subagents/a.md");
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.string().map((head) => `---\n${head}\n---\nx`),
  );
  fc.assert(
    fc.property(path, text, (at, given) => {
      const { line = 1 } = check(at, given);
      expect(line).toBeGreaterThan(0);
      expect(line).toBeLessThanOrEqual(given.split("\n").length + 1);
    }),
    { numRuns: 400 },
  );
});
