import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, expect, test } from "vitest";
import { loadEnvFile, readConfig } from "../src/config.ts";
import { UserError } from "../src/core/ports.ts";

const root = await mkdtemp(join(tmpdir(), "config-"));
afterAll(() => rm(root, { recursive: true, force: true }));
const slack = { SLACK_BOT_TOKEN: "xoxb-1-2-abc", SLACK_APP_TOKEN: "xapp-1-A-2-abc" };
const installing = {
  SLACK_CLIENT_ID: "1.2",
  SLACK_CLIENT_SECRET: "c-secret",
  SLACK_STATE_SECRET: "s-secret",
  SLACK_SIGNING_SECRET: "sign",
  PUBLIC_URL: "https://bot.example.org/",
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
};

test("with nothing set the console opens on this machine and the offline model answers", () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    workspacesDir: resolve("workspaces"),
    dataDir: resolve(".data"),
    anthropic: { key: undefined, baseUrl: undefined },
    model: "claude-sonnet-5-5",
    slack: undefined,
    console: { host: "127.0.0.1", port: 4321, token: undefined },
    mcpStdio: true,
    stepLimit: 50,
    logLevel: "info",
    secrets: {},
    masked: [],
  });
  expect(config.templateDir).toBe(resolve("workspaces/_template"));
});

test("a variable that is empty, or only spaces, is as good as absent", async () => {
  const names = Object.keys(parseEnv(await readFile(".env.example", "utf8")));
  expect(readConfig(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(readConfig({}));
  expect(readConfig(Object.fromEntries(names.map((name) => [name, "  "])))).toEqual(readConfig({}));
});

test(".env.example as it stands changes no default, and names every variable that is read", async () => {
  const text = await readFile(".env.example", "utf8");
  expect(readConfig(parseEnv(text))).toEqual(readConfig({}));
  const source = await readFile("src/config.ts", "utf8");
  const read = [...source.matchAll(/^ {2}([A-Z]+(?:_[A-Z]+)*): (?:z|key|url|count|port)\b/gm)].map(([, name]) => name);
  expect(read.length).toBeGreaterThan(15);
  expect(Object.keys(parseEnv(text)).sort()).toEqual(read.sort());
});

test.each<[string, Record<string, string>, object]>([
  ["Slack", slack, { slack: { botToken: "xoxb-1-2-abc", appToken: "xapp-1-A-2-abc" } }],
  ["another Slack", { ...slack, SLACK_API_URL: "http://127.0.0.1:9/api/" }, { slack: { apiUrl: "http://127.0.0.1:9/api/" } }],
  [
    "Slack for those who install it",
    { ...installing, SLACK_ALLOWED_TEAMS: "T1, E2" },
    { slack: { install: { clientId: "1.2", publicUrl: "https://bot.example.org", allowed: ["T1", "E2"] } } },
  ],
  ["Slack for any who install it", { ...installing, SLACK_ALLOWED_TEAMS: "*" }, { slack: { install: { allowed: "any" } } }],
  ["Slack that nobody may install", installing, { slack: { install: { allowed: [] } } }],
  ["Slack on this machine alone", { ...installing, PUBLIC_URL: "http://127.0.0.1:3000" }, { slack: { install: {} } }],
  ["a pasted line end", { ANTHROPIC_API_KEY: "key\n" }, { anthropic: { key: "key" } }],
  ["any free port", { CONSOLE_PORT: "0" }, { console: { port: 0 } }],
  ["no console", { CONSOLE_PORT: "off", HEALTH_PORT: "8080" }, { console: undefined, healthPort: 8080 }],
  ["no console on a public host", { CONSOLE_PORT: "off", CONSOLE_HOST: "0.0.0.0" }, { console: undefined }],
  [
    "a public console with a token",
    { CONSOLE_HOST: "0.0.0.0", CONSOLE_TOKEN: "long-and-random" },
    { console: { host: "0.0.0.0", token: "long-and-random" } },
  ],
  ["loopback by name", { CONSOLE_HOST: "localhost" }, { console: { host: "localhost" } }],
  ["loopback in IPv6", { CONSOLE_HOST: "::1" }, { console: { host: "::1" } }],
  ["secrets", { SECRET_LOG_TOKEN: "s3cret", SECRET_: "x" }, { secrets: { LOG_TOKEN: "s3cret" } }],
  ["limits", { STEP_LIMIT: "7", CONTEXT_WINDOW: "200000" }, { stepLimit: 7, contextWindow: 200_000 }],
])("%s is understood", (_, env, expected) => {
  expect(readConfig(env)).toMatchObject(expected);
});

test.each<[Record<string, string>, string]>([
  [{ SLACK_BOT_TOKEN: "xoxb-1" }, "SLACK_BOT_TOKEN is set alone"],
  [{ SLACK_APP_TOKEN: "xapp-1" }, "without SLACK_BOT_TOKEN"],
  ...Object.keys(installing)
    .filter((name) => name !== "SLACK_SIGNING_SECRET")
    .map((name): [Record<string, string>, string] => [{ ...installing, [name]: "" }, `need ${name}: `]),
  [{ ...installing, SLACK_SIGNING_SECRET: "" }, "need SLACK_SIGNING_SECRET (HTTP), or SLACK_APP_TOKEN"],
  [{ ...installing, SLACK_BOT_TOKEN: "xoxb-1" }, "are both there. Keep one of them."],
  [{ ...installing, PUBLIC_URL: "http://bot.example.org" }, "PUBLIC_URL has to begin with https://"],
  [{ ...installing, SLACK_ALLOWED_TEAMS: "acme" }, "SLACK_ALLOWED_TEAMS has to be ids of workspaces"],
  [{ ...slack, SLACK_BOT_TOKEN: "xoxp-1" }, "SLACK_BOT_TOKEN has to be a bot token, which begins with xoxb-."],
  [{ ...slack, SLACK_APP_TOKEN: "xoxb-1" }, "SLACK_APP_TOKEN has to be an app-level token"],
  [{ ...slack, SLACK_API_URL: "https://slack.com/api" }, "ends in /api/"],
  [{ ANTHROPIC_BASE_URL: "localhost:8080" }, "begins with http:// or https://"],
  [{ CONSOLE_PORT: "99999" }, 'CONSOLE_PORT has to be a port between 0 and 65535, or "off".'],
  [{ CONSOLE_PORT: "-1" }, "CONSOLE_PORT has to be a port"],
  [{ CONSOLE_HOST: "0.0.0.0" }, "Set CONSOLE_TOKEN"],
  [{ CONSOLE_HOST: "::" }, "Set CONSOLE_TOKEN"],
  [{ CONSOLE_HOST: "127.0.0.1.example.com" }, "Set CONSOLE_TOKEN"],
  [{ CONSOLE_HOST: "192.168.1.7", CONSOLE_TOKEN: " " }, "Set CONSOLE_TOKEN"],
  [{ HEALTH_PORT: "http" }, "HEALTH_PORT has to be a port"],
  [{ STEP_LIMIT: "0" }, "STEP_LIMIT has to be a whole number above 0."],
  [{ CONTEXT_WINDOW: "200k" }, "CONTEXT_WINDOW has to be a whole number above 0"],
  [{ MCP_STDIO: "yes" }, 'MCP_STDIO has to be "on" or "off".'],
  [{ LOG_LEVEL: "loud" }, "LOG_LEVEL has to be one of trace"],
])("%j is refused at start in words that say what to set", (env, words) => {
  expect(() => readConfig(env)).toThrow(UserError);
  expect(() => readConfig(env)).toThrow(words);
});

test("everything that is wrong is said at once, and no value of a secret", () => {
  const env = { SLACK_BOT_TOKEN: "hunter2-hunter2", STEP_LIMIT: "x", LOG_LEVEL: "y" };
  const sentences = () => {
    try {
      readConfig(env);
      return [];
    } catch (error) {
      return error instanceof UserError ? error.message.split("\n") : [];
    }
  };
  expect(sentences()).toHaveLength(3);
  expect(sentences().join()).not.toContain("hunter2");
});

test("P9: every secret that is set is on the list of what is masked, also of parts that are not in use", () => {
  const env = {
    ...slack,
    ANTHROPIC_API_KEY: "a-key",
    CONSOLE_TOKEN: "c-token",
    SECRET_X: "x-secret",
    DISCORD_TOKEN: "d-token",
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
  expect(readConfig(env).masked.sort()).toEqual(Object.values(env).sort());
});

test("a .env file fills in what the environment does not say; none is no fault; a broken one is named", async () => {
  const file = join(root, ".env");
  expect(() => loadEnvFile(file)).not.toThrow();
  await writeFile(file, "DENIZEN_TEST_A=file\nDENIZEN_TEST_B=file\n");
  process.env.DENIZEN_TEST_A = "set";
  loadEnvFile(file);
  expect([process.env.DENIZEN_TEST_A, process.env.DENIZEN_TEST_B]).toEqual(["set", "file"]);
  expect(() => loadEnvFile(root)).toThrow(UserError);
});

test("Discord is set up by its token alone; guilds are a list, and what cannot be one is said", () => {
  const token = "MTIz.abc.def-ghi";
  expect(readConfig({}).discord).toBeUndefined();
  expect(readConfig({ DISCORD_TOKEN: token, DISCORD_ALLOWED_GUILDS: "*" }).discord).toEqual({ token });
  const all = { DISCORD_TOKEN: token, DISCORD_ALLOWED_GUILDS: "1, 22", DISCORD_DM_GUILD: "22", DISCORD_API_URL: "http://127.0.0.1:9/api" };
  expect(readConfig(all)).toMatchObject({
    discord: { token, guilds: ["1", "22"], dmGuild: "22", apiUrl: "http://127.0.0.1:9/api" },
    masked: [token],
  });
  expect(() => readConfig({ ...all, DISCORD_ALLOWED_GUILDS: "my guild", DISCORD_DM_GUILD: "it" })).toThrow(
    /DISCORD_ALLOWED_GUILDS has to be.*\n.*DISCORD_DM_GUILD has to be/s,
  );
});

test("the address for the outside loses its last slash, and a key that is no 32 bytes is refused in words", () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  const { publicUrl, encryptionKey } = readConfig({ PUBLIC_URL: "https://d.example/", ENCRYPTION_KEY: key });
  expect([publicUrl, encryptionKey?.length]).toEqual(["https://d.example", 32]);
  for (const wrong of ["short", Buffer.alloc(31).toString("base64"), Buffer.alloc(33).toString("base64")])
    expect(() => readConfig({ ENCRYPTION_KEY: wrong })).toThrow(/ENCRYPTION_KEY has to be 32 random bytes in base64/);
});
