/**
 * The environment, read once at start: what is configured, and what is wrong with it in sentences.
 *
 * E1. A variable that is empty is as good as absent.
 * E2. Everything that is wrong is said at once, and nothing starts.
 * E3. The console is never opened to other machines without a token.
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { UserError } from "./core/ports.ts";

export interface Config {
  workspacesDir: string;
  templateDir: string;
  dataDir: string;
  /** Without a key the offline model answers. */
  anthropic: { key: string | undefined; baseUrl: string | undefined };
  model: string;
  contextWindow: number | undefined;
  /** With an app token Socket Mode, else signed HTTP on `port`. */
  slack: Slack | undefined;
  /** `guilds`: the only ones it serves. `dmGuild`: whose home serves direct messages. */
  discord: { token: string; apiUrl?: string; guilds?: string[]; dmGuild?: string } | undefined;
  console: { host: string; port: number; token: string | undefined } | undefined;
  /** Where `/healthz` and `/metrics` are served when there is no console. */
  healthPort: number | undefined;
  /** Whoever reads the metrics there shows it. */
  metricsToken: string | undefined;
  /** Where the outside reaches this process. */
  publicUrl: string | undefined;
  /** 32 bytes, for what is kept encrypted. */
  encryptionKey: Buffer | undefined;
  /** `SECRET_<NAME>` by NAME, for tools.json. */
  secrets: Record<string, string>;
  sandbox: "auto" | "virtual" | "bubblewrap" | "off";
  mcpStdio: boolean;
  /** A module of people's own hooks. */
  hooks: string | undefined;
  stepLimit: number;
  logLevel: string;
  /** Every value that must never be seen. */
  masked: string[];
}
interface Slack {
  /** Of the one workspace that is served; without it `install`. */
  botToken?: string;
  install?: SlackInstall;
  appToken?: string;
  signingSecret?: string;
  port: number;
  apiUrl?: string;
  configToken?: string;
}
/** Workspaces that install the app. */
export interface SlackInstall {
  clientId: string;
  clientSecret: string;
  stateSecret: string;
  publicUrl: string;
  key: Buffer;
  /** Ids of the workspaces and organisations that may. */
  allowed: "any" | readonly string[];
}
type Environment = Record<string, string | undefined>;

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const port = z.string().regex(/^\d+$/).transform(Number).pipe(z.number().max(65_535));
const count = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number);
const url = z.string().regex(/^https?:\/\/\S+$/);
const key = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]{43}=?$/)
  .transform((text) => Buffer.from(text, "base64"));

const Variables = z.object({
  WORKSPACES_DIR: z.string().default("workspaces"),
  DATA_DIR: z.string().default(".data"),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: url.optional(),
  MODEL: z.string().default("claude-sonnet-5-5"),
  CONTEXT_WINDOW: count.optional(),
  SLACK_BOT_TOKEN: z
    .string()
    .regex(/^(xoxe\.)?xoxb-/)
    .optional(),
  SLACK_APP_TOKEN: z.string().startsWith("xapp-").optional(),
  SLACK_SIGNING_SECRET: z.string().optional(),
  SLACK_PORT: port.default(3000),
  SLACK_CLIENT_ID: z.string().optional(),
  SLACK_CLIENT_SECRET: z.string().optional(),
  SLACK_STATE_SECRET: z.string().optional(),
  SLACK_ALLOWED_TEAMS: z
    .string()
    .regex(/^(\*|[TE][A-Z0-9]+(\s*,\s*[TE][A-Z0-9]+)*)$/)
    .optional(),
  SLACK_CONFIG_TOKEN: z.string().startsWith("xoxe.xoxp-").optional(),
  SLACK_API_URL: url.endsWith("/api/").optional(),
  DISCORD_TOKEN: z.string().optional(),
  DISCORD_ALLOWED_GUILDS: z
    .string()
    .regex(/^(\*|\d+(\s*,\s*\d+)*)$/)
    .default("*"),
  DISCORD_DM_GUILD: z.string().regex(/^\d+$/).optional(),
  DISCORD_API_URL: url.optional(),
  CONSOLE_HOST: z.string().default("127.0.0.1"),
  CONSOLE_PORT: z.union([z.literal("off"), port]).default(4321),
  CONSOLE_TOKEN: z.string().optional(),
  HEALTH_PORT: port.optional(),
  PUBLIC_URL: url.refine((text) => URL.canParse(text)).optional(),
  ENCRYPTION_KEY: key.optional(),
  SANDBOX: z.enum(["auto", "virtual", "bubblewrap", "off"]).default("auto"),
  MCP_STDIO: z.enum(["on", "off"]).default("on"),
  HOOKS: z.string().optional(),
  STEP_LIMIT: count.default(50),
  LOG_LEVEL: z.enum(LEVELS).default("info"),
});
type Variables = z.output<typeof Variables>;
export const SETTINGS = Object.keys(Variables.shape);

const PORT = "has to be a port between 0 and 65535";
const COUNT = "has to be a whole number above 0";
const URL_WORDS = "has to be an address that begins with http:// or https://";
const WANTED: Partial<Record<keyof Variables, string>> = {
  ANTHROPIC_BASE_URL: URL_WORDS,
  CONTEXT_WINDOW: `${COUNT}: the input tokens that the model takes`,
  SLACK_BOT_TOKEN: "has to be a bot token, which begins with xoxb-",
  SLACK_APP_TOKEN: "has to be an app-level token, which begins with xapp-",
  SLACK_PORT: PORT,
  SLACK_ALLOWED_TEAMS: "has to be ids of workspaces (T…) or organisations (E…) joined by commas, or * for any",
  SLACK_CONFIG_TOKEN: "has to be an app configuration token, which begins with xoxe.xoxp-",
  SLACK_API_URL: `${URL_WORDS} and ends in /api/`,
  DISCORD_ALLOWED_GUILDS: "has to be ids of guilds joined by commas, or * for all",
  DISCORD_DM_GUILD: "has to be the id of a guild: digits",
  DISCORD_API_URL: URL_WORDS,
  CONSOLE_PORT: `${PORT}, or "off"`,
  HEALTH_PORT: PORT,
  PUBLIC_URL: URL_WORDS,
  ENCRYPTION_KEY: "has to be 32 random bytes in base64, as `openssl rand -base64 32` prints them",
  SANDBOX: "has to be auto, virtual, bubblewrap or off",
  MCP_STDIO: 'has to be "on" or "off"',
  STEP_LIMIT: COUNT,
  LOG_LEVEL: `has to be one of ${LEVELS.join(", ")}`,
};

/** Throws a UserError with one sentence for each thing that is wrong. */
export function readConfig(env: Environment): Config {
  const given = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()] as const] : [])));
  const found = Variables.safeParse(given);
  if (!found.success) throw new UserError([...new Set(found.error.issues.map(inWords))].join("\n"));
  const set = found.data;
  const wrong = contradictions(set);
  if (wrong.length) throw new UserError(wrong.join("\n"));
  const secrets = secretsOf(given);
  const own = [set.ANTHROPIC_API_KEY, set.CONSOLE_TOKEN, ...platformSecrets(given), ...Object.values(secrets)];
  return {
    workspacesDir: resolve(set.WORKSPACES_DIR),
    templateDir: fileURLToPath(new URL("../workspaces/_template", import.meta.url)),
    dataDir: resolve(set.DATA_DIR),
    anthropic: { key: set.ANTHROPIC_API_KEY, baseUrl: set.ANTHROPIC_BASE_URL },
    model: set.MODEL,
    contextWindow: set.CONTEXT_WINDOW,
    slack: slackOf(set),
    discord: discordOf(set),
    console: set.CONSOLE_PORT === "off" ? undefined : { host: set.CONSOLE_HOST, port: set.CONSOLE_PORT, token: set.CONSOLE_TOKEN },
    healthPort: set.HEALTH_PORT,
    metricsToken: set.CONSOLE_TOKEN,
    publicUrl: set.PUBLIC_URL?.replace(/\/+$/, ""),
    encryptionKey: set.ENCRYPTION_KEY,
    secrets,
    sandbox: set.SANDBOX,
    mcpStdio: set.MCP_STDIO === "on",
    hooks: set.HOOKS,
    stepLimit: set.STEP_LIMIT,
    logLevel: set.LOG_LEVEL,
    masked: own.filter((value) => value !== undefined),
  };
}

/** Adds what a `.env` file says to the environment, where that is silent. No file is no fault. */
export function loadEnvFile(file: string): void {
  try {
    process.loadEnvFile(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw new UserError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const isVariable = (name: unknown): name is keyof Variables => typeof name === "string" && name in Variables.shape;

function inWords(issue: z.core.$ZodIssue): string {
  const name = issue.path[0];
  return `${String(name)} ${(isVariable(name) && WANTED[name]) || "cannot be understood"}.`;
}

function contradictions(set: Variables): string[] {
  const wrong: string[] = [];
  const installs = set.SLACK_CLIENT_ID ?? set.SLACK_CLIENT_SECRET ?? set.SLACK_STATE_SECRET;
  if (installs !== undefined) wrong.push(...installing(set));
  if (set.SLACK_BOT_TOKEN && !set.SLACK_APP_TOKEN && !set.SLACK_SIGNING_SECRET) {
    wrong.push("SLACK_BOT_TOKEN is set alone. Set SLACK_APP_TOKEN as well for Socket Mode, or SLACK_SIGNING_SECRET for HTTP.");
  }
  if (installs === undefined && !set.SLACK_BOT_TOKEN && (set.SLACK_APP_TOKEN || set.SLACK_SIGNING_SECRET)) {
    wrong.push("Slack is set up without SLACK_BOT_TOKEN; it needs the bot's token, which begins with xoxb-.");
  }
  if (set.CONSOLE_PORT !== "off" && !set.CONSOLE_TOKEN && !isLoopback(set.CONSOLE_HOST)) {
    wrong.push(
      `CONSOLE_HOST is ${set.CONSOLE_HOST}, which other machines can reach. Set CONSOLE_TOKEN to a long random value, or leave CONSOLE_HOST at 127.0.0.1.`,
    );
  }
  return wrong;
}

/** What workspaces that install the app need, one sentence each. */
function installing(set: Variables): string[] {
  const wanted: Partial<Record<keyof Variables, string>> = {
    SLACK_CLIENT_ID: 'the app\'s, from "Basic Information"',
    SLACK_CLIENT_SECRET: 'the app\'s, from "Basic Information"',
    SLACK_STATE_SECRET: "a long random text, as `openssl rand -hex 32` prints one",
    ENCRYPTION_KEY: "32 random bytes in base64, as `openssl rand -base64 32` prints them; the tokens are kept with it",
    PUBLIC_URL: "the address at which Slack and browsers reach this machine",
  };
  const wrong = Object.entries(wanted).flatMap(([name, what]) =>
    isVariable(name) && set[name] === undefined ? [`Workspaces that install the Slack app need ${name}: ${what}.`] : [],
  );
  if (set.SLACK_BOT_TOKEN) {
    wrong.push(
      "SLACK_BOT_TOKEN (one workspace) and the settings for workspaces that install the app (SLACK_CLIENT_ID and the like) are both there. Keep one of them.",
    );
  } else if (!set.SLACK_APP_TOKEN && !set.SLACK_SIGNING_SECRET) {
    wrong.push("Workspaces that install the Slack app need SLACK_SIGNING_SECRET (HTTP), or SLACK_APP_TOKEN (Socket Mode).");
  }
  if (set.PUBLIC_URL && !set.PUBLIC_URL.startsWith("https://") && !isLoopback(new URL(set.PUBLIC_URL).hostname)) {
    wrong.push("PUBLIC_URL has to begin with https:// for workspaces to install the Slack app: Slack leads nobody elsewhere.");
  }
  return wrong;
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

function slackOf(set: Variables): Config["slack"] {
  const {
    SLACK_BOT_TOKEN: botToken,
    SLACK_APP_TOKEN: appToken,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_PORT: port,
    SLACK_API_URL: apiUrl,
    SLACK_CONFIG_TOKEN: configToken,
  } = set;
  const install = slackInstallOf(set);
  if (!botToken && !install) return undefined;
  return {
    port,
    ...(botToken && { botToken }),
    ...(install && { install }),
    ...(appToken && { appToken }),
    ...(signingSecret && { signingSecret }),
    ...(apiUrl && { apiUrl }),
    ...(configToken && { configToken }),
  };
}

function slackInstallOf(set: Variables): SlackInstall | undefined {
  const { SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret, SLACK_STATE_SECRET: stateSecret } = set;
  const { PUBLIC_URL: publicUrl, ENCRYPTION_KEY: key, SLACK_ALLOWED_TEAMS: listed } = set;
  if (!clientId || !clientSecret || !stateSecret || !publicUrl || !key) return undefined;
  const allowed = listed === "*" ? "any" : (listed?.split(",").map((id) => id.trim()) ?? []);
  return { clientId, clientSecret, stateSecret, publicUrl: publicUrl.replace(/\/+$/, ""), key, allowed };
}

function discordOf(set: Variables): Config["discord"] {
  const { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl, DISCORD_ALLOWED_GUILDS: allowed, DISCORD_DM_GUILD: dmGuild } = set;
  if (!token) return undefined;
  const guilds = allowed === "*" ? undefined : allowed.split(",").map((id) => id.trim());
  return { token, ...(apiUrl && { apiUrl }), ...(guilds && { guilds }), ...(dmGuild && { dmGuild }) };
}

function secretsOf(env: Environment): Record<string, string> {
  const named = Object.entries(env).flatMap(([name, value]) =>
    /^SECRET_./.test(name) && value ? [[name.slice("SECRET_".length), value] as const] : [],
  );
  return Object.fromEntries(named);
}

/** Tokens and keys are secret also where nothing reads them. */
const platformSecrets = (env: Environment): string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    /^(SLACK|DISCORD|ENCRYPTION)_(\w*_)?(TOKEN|SECRET|KEY)$/.test(name) && value ? [value] : [],
  );
