/** Where everything is kept is tried before anything starts, and names that nobody reads are told. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ground, whyUnwritable } from "../src/ground.ts";
import { misspelt } from "../src/misspelt.ts";

const root = mkdtempSync(join(tmpdir(), "ground-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a folder that is there, and one that can be made, are fine, and nothing is left behind", async () => {
  mkdirSync(join(root, "there"));
  for (const dir of [join(root, "there"), join(root, "a", "b", "c")]) expect(await whyUnwritable("DATA_DIR", dir)).toBeUndefined();
  expect([readdirSync(root), readdirSync(join(root, "there"))]).toEqual([["there"], []]);
  expect(await ground(join(root, "a", "b", "c"))).toBe(root);
});
test("a file in the place of a folder is named, with the variable to set", async () => {
  writeFileSync(join(root, "file"), "");
  for (const dir of [join(root, "file"), join(root, "file", "below")])
    expect(await whyUnwritable("DATA_DIR", dir)).toMatch(/^DATA_DIR is .*, but .*file is not a folder\. Set DATA_DIR to one\.$/);
});
test.runIf(process.platform === "linux")("what cannot be written is said, also where making a folder would never end", async () => {
  expect(await whyUnwritable("WORKSPACES_DIR", "/proc/homes")).toMatch(/^\/proc cannot be written .* or set WORKSPACES_DIR\.$/);
});

test.each<[string, string[]]>([
  ["CONSOLE_PROT", ["CONSOLE_PROT is set, and nothing reads it. Did you mean CONSOLE_PORT?"]],
  ["ANTHROPIC_API_KY", [expect.stringContaining("ANTHROPIC_API_KEY?")]],
  ["SLACK_TOKEN", [expect.stringContaining("SLACK_TOKEN is set, and nothing reads it.")]],
  ["SLACK_MCP_XOXP_TOKEN", []],
  ["CONSOLE_PORT", []],
  ["SECRET_LOG_TOKEN", []],
  ["PATH", []],
  ["TZ", []],
  ["ANTHROPIC_LOG", []],
])("the variable %s is told of as %j", (name, told) => {
  expect(misspelt({ [name]: "1" }).map(({ text }) => text)).toEqual(told);
});
