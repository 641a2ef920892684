/** The random lives of the core, in larger numbers than the normal suite has time for: `RUNS` times as many. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const RUNS = process.env.RUNS ?? "20";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const VITEST = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));

test(`P1 P2 P3 P4 P5 P6: the properties of the core hold in ${RUNS} times as many lives`, async () => {
  const child = spawn(process.execPath, [VITEST, "run", "--config", "test/vitest.config.ts", "--testTimeout", "3600000", "test/core"], {
    cwd: ROOT,
    env: { ...process.env, RUNS },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((done) => child.once("close", done));
  expect(code, said.slice(-5_000)).toBe(0);
}, 3_600_000);
