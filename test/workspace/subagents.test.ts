import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { readSubagents } from "../../src/workspace/subagents.ts";
import { Folder } from "../help/folder.ts";

let folder = new Folder();
afterEach(() => {
  folder.end();
  folder = new Folder();
});
const read = () => readSubagents(folder.home);

it("a file is a helper: its head names it, its body is its prompt", async () => {
  folder.write(
    "subagents/auditor.md",
    "---\nname: auditor\ndescription: Audits\n  ledgers\nmodel: m-1\ntools: read_file, ops/*\nsteps: '7'\n---\nYou audit.\n",
  );
  folder.write("subagents/reader.md", "---\ndescription: Reads\ntools:\n  - grep\nmodel: inherit\n---\nYou read.");
  expect(await read()).toEqual({
    found: [
      {
        file: "subagents/auditor.md",
        name: "auditor",
        description: "Audits ledgers",
        prompt: "You audit.",
        model: "m-1",
        tools: ["read_file", "ops/*"],
        skills: undefined,
        steps: 7,
      },
      {
        file: "subagents/reader.md",
        name: "reader",
        description: "Reads",
        prompt: "You read.",
        model: undefined,
        tools: ["grep"],
        skills: undefined,
        steps: undefined,
      },
    ],
    warnings: [],
  });
});

it("files that come and go are seen at the next look, each with its own prompt", async () => {
  folder.write("subagents/a.md", "---\ndescription: A\n---\nPrompt A");
  folder.write("subagents/b.md", "---\ndescription: B\n---\nPrompt B");
  expect((await read()).found.map(({ name, prompt }) => [name, prompt])).toEqual([
    ["a", "Prompt A"],
    ["b", "Prompt B"],
  ]);
  folder.remove("subagents/a.md");
  expect((await read()).found.map(({ name }) => name)).toEqual(["b"]);
});

it.each([
  ["no head", "You audit.", /begin with a head/],
  ["broken YAML", "---\nname: [a\n---\nP", /not valid YAML/],
  ["no description", "---\nname: a\n---\nP", /its description is missing/],
  ["a name that could be anything", "---\nname: ../x\ndescription: d\n---\nP", /its name is made of letters/],
  ["no prompt", "---\ndescription: d\n---\n\n", /no prompt/],
  ["steps that are no number", "---\ndescription: d\nsteps: many\n---\nP", /its steps/],
  ["no text", "a\0b", /not text/],
])("P11: a file with %s costs only itself and says what is wrong", async (_, text, wrong) => {
  folder.write("subagents/broken.md", text);
  folder.write("subagents/whole.md", "---\ndescription: W\n---\nPrompt");
  const { found, warnings } = await read();
  expect(found.map(({ name }) => name)).toEqual(["whole"]);
  expect(warnings).toEqual([expect.stringMatching(wrong)]);
  expect(warnings[0]).toContain("subagents/broken.md");
});

it("a name belongs to the first file that has it", async () => {
  folder.write("subagents/1.md", "---\nname: same\ndescription: first\n---\nP");
  folder.write("subagents/2.md", "---\nname: same\ndescription: second\n---\nP");
  const { found, warnings } = await read();
  expect(found.map(({ description }) => description)).toEqual(["first"]);
  expect(warnings).toEqual(["subagents/2.md is not used: another file names its helper same, too."]);
});

it("P7: a folder behind a link has no helpers", async () => {
  const other = new Folder();
  other.write("x/evil.md", "---\ndescription: d\n---\nP");
  mkdirSync(folder.dir, { recursive: true });
  symlinkSync(join(other.dir, "x"), join(folder.dir, "subagents"));
  expect(await read()).toEqual({ found: [], warnings: [] });
  other.end();
});
