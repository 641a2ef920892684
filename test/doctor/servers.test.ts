/** What the doctor says of the tool servers of a home. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openVault } from "../../src/mcp/vault.ts";
import { examineAll } from "../../src/scripts/examine.ts";
import { lineOf } from "../../src/scripts/finding.ts";
import { mcpEntry } from "../rigs/mcp.ts";
import { mcpHttp } from "../rigs/mcp-http.ts";
import { signInRig } from "../rigs/sign-in.ts";

const KEY = randomBytes(32);
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "doctor-servers-"));
  mkdirSync(join(dir, "w", "h", "files"), { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const wants = (servers: object) => writeFileSync(join(dir, "w", "h", "tools.json"), JSON.stringify({ mcpServers: servers }));
const lines = async (more: Record<string, string> = {}, start = true) => {
  const env = { WORKSPACES_DIR: join(dir, "w"), DATA_DIR: join(dir, "d"), SANDBOX: "virtual", ...more };
  return (await examineAll(env, false, start)).map(lineOf).filter((line) => line.includes("Tools of h"));
};

test("each server is asked for its tools, and one that is not there is named with the reason", async () => {
  wants({ good: mcpEntry(), gone: { command: "no-such-program" }, keyed: { url: "https://x.example/mcp", headers: { a: `\${KEY}` } } });
  const found = await lines();
  expect(found).toEqual([
    expect.stringMatching(/^✓ Tools of h: good offers \d+ tools\.$/),
    expect.stringMatching(/^✗ Tools of h: gone is not available: .*no-such-program.*tools\.json/),
    expect.stringMatching(/^✗ Tools of h: keyed is not available: \$\{KEY\} in tools\.json has no value: .*SECRET_<NAME>/),
  ]);
  expect(await lines({ MCP_STDIO: "off" })).toContainEqual(expect.stringMatching(/^✗ Tools of h: good is not available: .*MCP_STDIO=off/));
});

test("programs are left alone where that is wanted, and addresses are asked all the same", async () => {
  const rig = await mcpHttp();
  wants({ good: mcpEntry("", { EFFECTS: join(dir, "effects") }), far: { url: rig.url } });
  expect(await lines({}, false)).toEqual([
    "· Tools of h: good is a program: it was not started.",
    expect.stringMatching(/^✓ Tools of h: far offers \d+ tools\.$/),
  ]);
  expect(existsSync(join(dir, "effects"))).toBe(false);
  await rig.stop();
});

test("a server that people sign in at names what is not set, then who has to connect it, and nothing is changed by looking", async () => {
  const people = await signInRig(() => rig.url);
  const rig = await mcpHttp({ token: "nobody has it", metadata: people.metadata });
  const oauth = { issuer: people.origin };
  wants({ far: { url: rig.url, oauth }, mine: { url: rig.url, oauth, auth: "person" } });
  expect(await lines()).toEqual([
    expect.stringMatching(/^✗ .*far wants people to sign in, and nobody can\. Set ENCRYPTION_KEY and PUBLIC_URL and CONSOLE_TOKEN/),
    expect.stringMatching(/^✗ .*mine wants people to sign in/),
  ]);
  const set = { ENCRYPTION_KEY: KEY.toString("base64"), PUBLIC_URL: "https://bot.example", CONSOLE_TOKEN: "a-token-of-some-length" };
  expect((await lines({ ...set, CONSOLE_PORT: "off" }))[0]).toMatch(/Set HEALTH_PORT/);
  const folder = join(dir, "d", "mcp");
  expect(await readdir(folder).catch(() => [])).toEqual([]);
  const vault = openVault(folder, KEY, () => undefined);
  const tokens = { access_token: "at", token_type: "Bearer", refresh_token: "rt" };
  await vault.write("h", "mine slack:U1", { url: rig.url, tokens });
  expect(await lines(set)).toEqual([
    expect.stringMatching(/^· .*far wants a sign-in: an administrator says `\/tools connect far`/),
    expect.stringMatching(/^· .*mine is used in people's own names; signed in: 1\./),
  ]);
  await vault.write("h", "far", { url: rig.url, tokens });
  const [file = ""] = await readdir(folder);
  const before = await readFile(join(folder, file));
  expect((await lines(set))[0]).toMatch(/^· .*far is signed in to/);
  const other = { ...set, ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  expect((await lines(other))[0]).toMatch(/^✗ .*far cannot be read with this ENCRYPTION_KEY/);
  expect(await readFile(join(folder, file))).toEqual(before);
  expect(people.asked).toEqual([]);
  await Promise.all([rig.stop(), people.stop()]);
});
