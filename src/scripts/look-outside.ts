/** What the doctor asks of the services that are configured, with the keys that are set: nothing is posted and nothing is paid for. */
import { scopes } from "../../adapters/slack/manifest.ts";
import type { Config } from "../config.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

const PATIENCE = 8_000;
/** Discord's flags of an application: message content, allowed or allowed for few. */
const CONTENT = (1 << 18) | (1 << 19);

export async function lookOutside(config: Config): Promise<Finding[]> {
  const looked = await Promise.all([model(config), slack(config.slack), discord(config.discord)]);
  return looked.flat();
}

async function model({ anthropic: { key, baseUrl }, model: name }: Config): Promise<Finding[]> {
  if (!key) return [note("Model", "no ANTHROPIC_API_KEY is set, so the offline model answers.")];
  const base = (baseUrl ?? "https://api.anthropic.com").replace(/\/$/, "");
  const found = await ask(`${base}/v1/models?limit=100`, { headers: { "x-api-key": key, "anthropic-version": "2023-06-01" } });
  if ("problem" in found)
    return [wrong("Model", `${base} cannot be reached (${found.problem}). Check ANTHROPIC_BASE_URL and the network.`)];
  if (found.status === 401 || found.status === 403)
    return [wrong("Model", `the key was refused (${found.status}). Set a valid ANTHROPIC_API_KEY.`)];
  if (found.status !== 200) return [note("Model", `${base} does not tell its models (${found.status}), so the key could not be tried.`)];
  const known = Array.isArray(found.body.data) ? found.body.data.map((it: { id?: unknown }) => String(it.id)) : [];
  if (known.length && !known.includes(name))
    return [
      note("Model", `the key is valid. ${name} is not among the ${known.length} models that ${base} names; set MODEL if it is not served.`),
    ];
  return [well("Model", `the key is valid; ${name}.`)];
}

async function slack(config: Config["slack"]): Promise<Finding[]> {
  if (!config) return [note("Slack", "not configured.")];
  const base = config.apiUrl ?? "https://slack.com/api/";
  const bot = await ask(`${base}auth.test`, { method: "POST", headers: { authorization: `Bearer ${config.botToken}` } });
  if ("problem" in bot)
    return [wrong("Slack", `cannot be reached (${bot.problem}). Check the network${config.apiUrl ? " and SLACK_API_URL" : ""}.`)];
  if (bot.body.ok !== true)
    return [wrong("Slack", `the bot token was refused (${String(bot.body.error)}). Install the app anew and set SLACK_BOT_TOKEN.`)];
  const given = bot.headers
    .get("x-oauth-scopes")
    ?.split(",")
    .map((scope) => scope.trim());
  const missing = given ? scopes().filter((scope) => !given.includes(scope)) : [];
  const told = missing.length
    ? wrong("Slack scopes", `missing: ${missing.join(", ")}. Add them under "OAuth & Permissions" and install the app anew.`)
    : well("Slack scopes", given ? "all there." : "not told by this server.");
  return [
    well("Slack", `${String(bot.body.user ?? "the bot")} in ${String(bot.body.team ?? "a team")}.`),
    told,
    ...(await appToken(base, config.appToken)),
  ];
}

async function appToken(base: string, token: string | undefined): Promise<Finding[]> {
  if (!token) return [note("Slack events", "over HTTP: Slack has to reach /slack/events of this machine.")];
  const found = await ask(`${base}apps.connections.open`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  if (!("problem" in found) && found.body.ok === true) return [well("Slack events", "Socket Mode is open to this app.")];
  const why = "problem" in found ? found.problem : String(found.body.error);
  return [
    wrong("Slack events", `no socket was given (${why}). Turn on Socket Mode, and set SLACK_APP_TOKEN to a token with connections:write.`),
  ];
}

async function discord(config: Config["discord"]): Promise<Finding[]> {
  if (!config) return [note("Discord", "not configured.")];
  const base = `${(config.apiUrl ?? "https://discord.com/api").replace(/\/$/, "")}/v10`;
  const headers = { authorization: `Bot ${config.token}` };
  const found = await ask(`${base}/applications/@me`, { headers });
  if ("problem" in found) return [wrong("Discord", `cannot be reached (${found.problem}). Check the network.`)];
  if (found.status === 401) return [wrong("Discord", "the token was refused. Make a new one under “Bot” and set DISCORD_TOKEN.")];
  if (found.status !== 200)
    return [note("Discord", `does not tell about the application (${found.status}), so its intents could not be looked at.`)];
  const intents =
    (Number(found.body.flags ?? 0) & CONTENT) === 0
      ? wrong("Discord intents", "the message content intent is off. Turn it on under “Bot”, “Privileged Gateway Intents”.")
      : well("Discord intents", "message content is on.");
  return [well("Discord", `${String(found.body.name ?? "the application")}.`), intents];
}

type Answer = { status: number; headers: Headers; body: Record<string, unknown> } | { problem: string };

async function ask(url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE) });
    const body: unknown = await response.json().catch(() => ({}));
    return {
      status: response.status,
      headers: response.headers,
      body: typeof body === "object" && body ? (body as Record<string, unknown>) : {},
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : undefined;
    return { problem: cause ?? (error instanceof Error ? error.message : String(error)) };
  }
}
