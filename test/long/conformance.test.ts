/**
 * The protocol's own conformance suite, every scenario for clients that it has, against the product's MCP room. The suite needs Node 22; where
 * an older one runs, it is given one from npm for that.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const run = promisify(execFile);
const SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
const CLIENT = `${process.execPath} --import tsx test/conformance/client.ts`;
const NEEDED = 22;
const folder = mkdtempSync(join(tmpdir(), "denizen-suite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is not there, and why. */
const LEFT: Record<string, string> = {
  "auth/cross-app-access-complete-flow":
    "an extension for companies whose sign-in server vouches for people: nobody hands their identity to the product",
};

async function newerNode(): Promise<string> {
  if (Number(process.versions.node.split(".")[0]) >= NEEDED) return process.execPath;
  const { stdout } = await run("npx", ["--yes", "--package=node@22.23.3", "-c", "node -p process.execPath"], { cwd: tmpdir() });
  return stdout.trim();
}

const node = await newerNode();
const { stdout } = await run(node, [SUITE, "list", "--client"]);
const scenarios = [...stdout.matchAll(/^ {2}- (\S+)(?: \[(.*)\])?/gm)].map(([, name = "", versions = ""]) => ({ name, versions }));
const passed = async (scenario: string): Promise<string> => {
  const done = await run(node, [SUITE, "client", "--command", CLIENT, "--scenario", scenario, "-o", folder]).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return `${done.stdout}${done.stderr}`;
};

test("the suite has its scenarios, and those that are left out are known to it", () => {
  expect(scenarios.filter(({ versions }) => versions.includes("2025-11-25")).length).toBeGreaterThanOrEqual(18);
  expect(scenarios.length).toBeGreaterThanOrEqual(26);
  expect(scenarios.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(LEFT)));
});

test.each(scenarios.map(({ name }) => name).filter((name) => !LEFT[name]))("%s passes without a warning", async (scenario) => {
  const said = await passed(scenario);
  expect(said.split("\n").filter((line) => /FAILURE|WARNING/.test(line))).toEqual([]);
  expect(said).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
});
