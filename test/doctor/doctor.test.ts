import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { inviteLink } from "../../adapters/discord/invite.ts";
import { INSTALLATIONS } from "../../adapters/slack/installations.ts";
import { manifest, scopes } from "../../adapters/slack/manifest.ts";
import { examineAll } from "../../src/scripts/examine.ts";
import { lineOf } from "../../src/scripts/finding.ts";
import { sealedIn } from "../../src/sealed.ts";
import { openJournal } from "../../src/store/journal.ts";

const root = mkdtempSync(join(tmpdir(), "doctor-"));
const ALL = scopes();
const LAST = ALL.at(-1) ?? "";
const RIGHTS = new URL(inviteLink("1")).searchParams.get("permissions") ?? "";
const SCOPES = ALL.slice(0, -1).join(",");
let server: Server;
let base = "";
/** What the services answer, by path. */
let answers: Record<string, { status?: number; body: object; headers?: Record<string, string> }>;
let heard: IncomingMessage[] = [];
let n = 0;
let dir = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    heard.push(request);
    const { status = 200, body, headers = {} } = answers[request.url?.split("?")[0] ?? ""] ?? { status: 404, body: {} };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  dir = join(root, String(n++));
  heard = [];
  answers = {
    "/api/auth.test": { body: { ok: true, user: "denizen", team: "Acme" }, headers: { "x-oauth-scopes": ALL.join(",") } },
    "/api/apps.connections.open": { body: { ok: true } },
    "/api/bots.info": { body: { ok: true, bot: { app_id: "A1" } } },
    "/api/apps.manifest.export": { body: { ok: true, manifest: manifest() } },
    "/v1/models": { body: { data: [{ id: "claude-sonnet-5-5" }] } },
    "/api/v10/applications/@me": { body: { name: "Denizen", flags: 1 << 19 } },
    "/api/v10/users/@me/guilds": { body: [{ id: "7", name: "Acme", permissions: RIGHTS }] },
  };
});
const env = (more: Record<string, string> = {}) => ({
  WORKSPACES_DIR: join(dir, "w"),
  DATA_DIR: join(dir, "d"),
  SANDBOX: "virtual",
  ...more,
});
const everything = () =>
  env({
    SLACK_BOT_TOKEN: "xoxb-1-secret-token",
    SLACK_APP_TOKEN: "xapp-1-secret-token",
    SLACK_API_URL: `${base}/api/`,
    SLACK_CONFIG_TOKEN: "xoxe.xoxp-1-secret-token",
    ANTHROPIC_API_KEY: "sk-ant-secret-key",
    ANTHROPIC_BASE_URL: base,
    DISCORD_TOKEN: "MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.discord-secret-token-of-some-length",
    DISCORD_API_URL: `${base}/api`,
  });
/** An app made from an earlier manifest. */
function heardLess(): object {
  const { settings } = manifest() as { settings: { event_subscriptions: { bot_events: string[] } } };
  const bot_events = settings.event_subscriptions.bot_events.filter((event) => event !== "app_home_opened");
  return { features: { app_home: { messages_tab_enabled: true } }, settings: { ...settings, event_subscriptions: { bot_events } } };
}
const lines = async (given: Record<string, string>, mend = false) => (await examineAll(given, mend)).map(lineOf);
const wrong = async (given: Record<string, string>) => (await lines(given)).filter((line) => line.startsWith("✗"));
const put = (path: string, text: string) => {
  mkdirSync(join(dir, "w", path, ".."), { recursive: true });
  writeFileSync(join(dir, "w", path), text);
};

test("each workspace that installed the Slack app is looked at, and those that cannot be read are named", async () => {
  const key = Buffer.alloc(32, 7);
  const several = env({
    SLACK_CLIENT_ID: "1.2",
    SLACK_CLIENT_SECRET: "c-secret",
    SLACK_STATE_SECRET: "s-secret",
    SLACK_APP_TOKEN: "xapp-1-secret-token",
    SLACK_API_URL: `${base}/api/`,
    PUBLIC_URL: "https://bot.example.org",
    ENCRYPTION_KEY: key.toString("base64"),
  });
  expect(await lines(several)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^✗.*lists no workspace/),
      expect.stringMatching(/no workspace has installed.*\/slack\/install/),
    ]),
  );
  const installation = { team: { id: "T1" }, bot: { token: "xoxb-kept-secret-token", userId: "U", id: "B", scopes: [] } };
  const kept = JSON.stringify({ id: "T1", installation, url: "", teams: ["T1"] });
  await sealedIn(join(dir, "d", "slack"), key, INSTALLATIONS).write("T1", kept);
  await sealedIn(join(dir, "d", "slack"), Buffer.alloc(32, 8), INSTALLATIONS).write("T2", kept);
  const listed = { ...several, SLACK_ALLOWED_TEAMS: "*" };
  const found = await lines(listed);
  expect(found).toEqual(expect.arrayContaining([expect.stringContaining("denizen in Acme")]));
  expect(found.filter((line) => line.startsWith("✗"))).toEqual([expect.stringContaining("installation of T2")]);
  expect(heard.some(({ headers }) => headers.authorization === "Bearer xoxb-kept-secret-token")).toBe(true);
  expect(found.join()).not.toMatch(/secret/);
  answers["/api/auth.test"] = { body: { ok: false, error: "token_revoked" } };
  expect(await wrong(listed)).toEqual(expect.arrayContaining([expect.stringMatching(/token_revoked.*anew in T1/)]));
});

test("with an empty environment nothing is wrong, and it says what is not configured", async () => {
  const found = await lines(env());
  expect(found.filter((line) => line.startsWith("✗"))).toEqual([]);
  expect(found.join("\n")).toMatch(/offline model.*Slack: not configured.*Discord: not configured.*none yet/s);
});

test("every service is asked with its key, and nothing is posted", async () => {
  expect(await wrong(everything())).toEqual([]);
  expect(heard.map(({ url }) => url?.split("?")[0]).sort()).toEqual(Object.keys(answers).sort());
});

test.each<[string, () => void, string]>([
  [
    "a revoked bot token",
    () => (answers["/api/auth.test"] = { body: { ok: false, error: "token_revoked" } }),
    "✗ Slack: the bot token was refused (token_revoked). Install the app anew and set SLACK_BOT_TOKEN.",
  ],
  [
    "a missing scope",
    () => (answers["/api/auth.test"] = { body: { ok: true }, headers: { "x-oauth-scopes": SCOPES } }),
    `✗ Slack scopes: missing: ${LAST}.`,
  ],
  [
    "Socket Mode turned off",
    () => (answers["/api/apps.connections.open"] = { body: { ok: false, error: "not_allowed_token_type" } }),
    "✗ Slack events: no socket was given (not_allowed_token_type).",
  ],
  [
    "an app that does not hear everything",
    () => (answers["/api/apps.manifest.export"] = { body: { ok: true, manifest: heardLess() } }),
    "✗ Slack app: missing: app_home_opened, the Home tab, the message shortcut. Compare the app's manifest",
  ],
  [
    "a model key that is refused",
    () => (answers["/v1/models"] = { status: 401, body: {} }),
    "✗ Model: the key was refused (401). Set a valid ANTHROPIC_API_KEY.",
  ],
  [
    "a missing intent",
    () => (answers["/api/v10/applications/@me"] = { body: { flags: 0 } }),
    "✗ Discord intents: the message content intent is off.",
  ],
  [
    "a refused Discord token",
    () => (answers["/api/v10/applications/@me"] = { status: 401, body: {} }),
    "✗ Discord: the token was refused.",
  ],
  [
    "a right that is missing in a guild",
    () =>
      (answers["/api/v10/users/@me/guilds"] = { body: [{ id: "7", name: "Acme", permissions: String(BigInt(RIGHTS) & ~(1n << 35n)) }] }),
    "✗ Discord rights: in Acme the bot lacks: Create Public Threads.",
  ],
])("%s is said in one line, with what mends it", async (_, breaks, line) => {
  breaks();
  const found = await wrong(everything());
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(line);
});

test("guilds that are listed and not there are named, and an administrator lacks nothing", async () => {
  answers["/api/v10/users/@me/guilds"] = { body: [{ id: "7", name: "Acme", permissions: "8" }] };
  const said = (more: Record<string, string>) => wrong({ ...everything(), ...more });
  expect(await said({ DISCORD_ALLOWED_GUILDS: "7" })).toEqual([]);
  expect(await said({ DISCORD_ALLOWED_GUILDS: "8,9" })).toEqual([expect.stringMatching(/none of those that DISCORD_ALLOWED_GUILDS lists/)]);
  expect(await said({ DISCORD_DM_GUILD: "8" })).toEqual([expect.stringMatching(/the guild that DISCORD_DM_GUILD names \(8\)/)]);
});

test("a server that answers with a key does not get it into the lines (P9)", async () => {
  answers["/api/auth.test"] = { body: { ok: false, error: "no: xoxb-1-secret-token" } };
  expect((await lines(everything())).join("\n")).not.toContain("secret-token");
});

test("what is wrong in the environment is said for each variable", async () => {
  expect(await wrong(env({ SLACK_APP_TOKEN: "nonsense", CONSOLE_PORT: "x" }))).toEqual([
    "✗ Environment: SLACK_APP_TOKEN has to be an app-level token, which begins with xapp-.",
    expect.stringContaining("CONSOLE_PORT"),
  ]);
});

test("a folder that cannot be written is named", async () => {
  writeFileSync(join(root, "file"), "");
  expect((await wrong({ ...env(), DATA_DIR: join(root, "file", "below") })).join()).toContain("DATA_DIR");
});

test("each broken file of a home is named with what mends it, and two homes that claim a team (P11)", async () => {
  put("a/policy.json", '{"peeple": {}, "platforms": ["slack:T1"]}');
  put("b/policy.json", '{"platforms": ["slack:T2"], "secrets": ["TOKEN"]}');
  put("b/tools.json", "{");
  put("b/AGENTS.md", "a\0b");
  put("b/skills/x/SKILL.md", "no head");
  put("c/policy.json", '{"platforms": ["slack:T2"]}');
  const found = (await wrong(env())).join("\n");
  expect(found).toContain("Homes: slack:T2 is claimed by b and c");
  expect(found).toContain('Home a: policy.json of this home cannot be used. It has an unknown key "peeple"');
  expect(found).toContain("Home b: tools.json is not valid");
  expect(found).toContain("Home b: AGENTS.md is not text");
  expect(found).toContain("Home b: policy.json lists the secret TOKEN, but SECRET_TOKEN is not set");
  expect(found).toContain("Home b: /home/skills/x/SKILL.md");
  expect(found).not.toContain("Home c");
});

test("a home whose team another home has claimed is told of, and is nothing wrong", async () => {
  put("a/policy.json", '{"platforms": ["slack:T1", "slack:T9"]}');
  put("slack-T1/AGENTS.md", "mine");
  const found = await examineAll(env(), false);
  const told = found.filter(({ text }) => text.includes("no longer by"));
  expect(told).toMatchObject([{ text: expect.stringMatching(/slack:T1 is served by the home a, .* no longer by slack-T1/) }]);
  expect(told.map(lineOf).join()).not.toMatch(/wrong|✗/i);
});

test("a night that never comes, and one that nobody would be told of, are named", async () => {
  put("a/policy.json", '{"consolidation": {"cron": "at three"}}');
  put("b/policy.json", '{"platforms": ["slack:T2"], "consolidation": {"announce": "discord:1"}}');
  put("c/policy.json", '{"platforms": ["slack:T3"], "consolidation": {"announce": "slack:C1"}}');
  put("console/policy.json", '{"consolidation": {"announce": "console:console"}}');
  expect(await wrong(env())).toEqual([
    expect.stringMatching(/^✗ Home a: "consolidation.cron" .* "at three", which is no pattern .* no night is kept/),
    expect.stringMatching(/^✗ Home b: consolidation.announce names discord:1, but this home serves no team there.*"platforms"/),
  ]);
});

test("a module of HOOKS that is not there, or is no list, is named", async () => {
  mkdirSync(dir, { recursive: true });
  const missing = env({ HOOKS: join(dir, "own.mjs") });
  expect(await wrong(missing)).toEqual([expect.stringMatching(/^✗ Hooks: HOOKS names .*own\.mjs, which cannot be loaded: /)]);
  const list = join(dir, "list.mjs");
  writeFileSync(list, "export default [];");
  expect(await lines(env({ HOOKS: list }))).toContainEqual(expect.stringMatching(/^✓ Hooks: .*list\.mjs has 0\./));
});

test("a torn journal is told, and mended only when asked, with what became of it", async () => {
  put("h/policy.json", "{}");
  const path = join(dir, "w", "h", "agents", "main", "context", "journal.db");
  mkdirSync(join(path, ".."), { recursive: true });
  const journal = openJournal(path);
  const place = { platform: "slack", team: "T", channel: "C", thread: "1" };
  for (let i = 0; i < 100; i++)
    await journal.receive(
      "slack:T:C:1",
      `m${i}`,
      { type: "message.received", at: i, id: `m${i}`, by: { id: "u", name: "A", kind: "member" }, text: "words ".repeat(50), heard: true },
      { home: "h", scope: "team", place, code: "c" },
    );
  await journal.close();
  truncateSync(path, 512 * 60);
  expect((await wrong(env())).join()).toMatch(/✗ Journal of h: .* is damaged .* Stop the product, and run `npm run doctor -- --repair`/);
  expect((await lines(env(), true)).join("\n")).toMatch(
    /✓ Journal of h: mended: \d+ events up to .* are kept; .*\n.*The damaged file is kept as /,
  );
  expect(await wrong(env())).toEqual([]);
});

test("the command ends with 1 if something is wrong, else with 0", () => {
  const script = fileURLToPath(new URL("../../src/scripts/doctor.ts", import.meta.url));
  const ran = (more: Record<string, string>) =>
    spawnSync(process.execPath, ["--import", "tsx", script], { env: { PATH: process.env.PATH ?? "", ...env(more) }, encoding: "utf8" });
  const well = ran({});
  expect([well.status, well.stdout.trim().split("\n").at(-1), well.stderr]).toEqual([0, "All is well.", ""]);
  const ill = ran({ CONSOLE_PORT: "x" });
  expect([ill.status, ill.stdout.trim().split("\n").at(-1)]).toEqual([1, "1 thing is wrong."]);
});
