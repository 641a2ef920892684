/** The same sandboxes, tried by a process that is not root: what is kept then is kept by user namespaces alone. */
import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const NOBODY = 65_534;
const root = fileURLToPath(new URL("../../", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "denizen-nobody-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
if (isRoot) chownSync(home, NOBODY, NOBODY);
const asNobody = (...command: string[]) =>
  spawnSync("setpriv", [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--", ...command], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: home, NO_COLOR: "1" },
    encoding: "utf8",
  });
/** Another user can be tried only by root, in a checkout that others can read. */
const possible = isRoot && asNobody("cat", join(root, "package.json"), join(root, "node_modules/vitest/package.json")).status === 0;

test.runIf(possible)("P7: everything that the sandboxes keep as root, they keep as an ordinary user", { timeout: 240_000 }, () => {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--configLoader", "runner", "--config", "test/vitest.config.ts"];
  const { status, stdout, stderr } = asNobody(process.execPath, ...vitest, "test/sandbox", "test/tools/execute.test.ts");
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/Tests\s+\d+ passed/);
  expect(stdout).not.toMatch(/failed|bubblewrap is not tried here/);
});
