/**
 * The protocol's own conformance suite, every scenario for clients of 2025-11-25 and those of the versions before it, against the product's MCP room.
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
const folder = mkdtempSync(join(tmpdir(), "denizen-suite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { stdout } = await run(process.execPath, [SUITE, "list", "--client"]);
const scenarios = [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name);

test("the suite has its scenarios", () => expect(scenarios.length).toBeGreaterThanOrEqual(20));

test.each(scenarios)("%s passes without a warning", async (scenario) => {
  const done = await run(process.execPath, [SUITE, "client", "--command", CLIENT, "--scenario", scenario, "-o", folder]).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  const said = `${done.stdout}${done.stderr}`;
  expect(said.split("\n").filter((line) => /FAILURE|WARNING/.test(line))).toEqual([]);
  expect(said).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
});
