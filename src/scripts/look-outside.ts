/** What the doctor asks of the services that are configured, with the keys that are set: nothing is posted and nothing is paid for. */
import { join } from "node:path";
import { PERMISSIONS } from "../../adapters/discord/invite.ts";
import { INSTALLATIONS, openInstallations } from "../../adapters/slack/installations.ts";
import { ASK, EVENTS, INSTALL, scopes } from "../../adapters/slack/manifest.ts";
import type { Config, SlackInstall } from "../config.ts";
import { sealedIn } from "../sealed.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

const PATIENCE = 8_000;
/** Discord's flags of an application: message content, allowed or allowed for few. */
const CONTENT = (1 << 18) | (1 << 19);

export async function lookOutside(config: Config): Promise<Finding[]> {
  const looked = await Promise.all([model(config), slack(config), discord(config.discord)]);
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

type SlackSettings = NonNullable<Config["slack"]>;

async function slack({ slack: config, dataDir }: Config): Promise<Finding[]> {
  if (!config) return [note("Slack", "not configured.")];
  const base = config.apiUrl ?? "https://slack.com/api/";
  const { findings, token, bot } = config.install
    ? await installed(base, config, config.install, join(dataDir, "slack"))
    : await oneTeam(base, config, config.botToken ?? "", "Install the app anew and set SLACK_BOT_TOKEN.");
  if (token === undefined) return config.install ? [...findings, ...(await appToken(base, config.appToken))] : findings;
  return [...findings, ...(await appToken(base, config.appToken)), ...(await appAsItIs(base, config, token, bot))];
}

interface Looked {
  findings: Finding[];
  /** One that Slack takes, and whose it is. */
  token?: string;
  bot: string;
}

/** Each workspace that installed the app. Tokens are only tried: a new one in place of one that expired is the running product's to get. */
async function installed(base: string, config: SlackSettings, { allowed, key, publicUrl }: SlackInstall, folder: string): Promise<Looked> {
  const sealed = sealedIn(folder, key, INSTALLATIONS);
  const store = await openInstallations(sealed);
  const link = `${publicUrl}${INSTALL}`;
  const findings = store
    .unreadable()
    .map((id) =>
      wrong(
        "Slack",
        `the installation of ${id} in ${sealed.folder} cannot be read with this ENCRYPTION_KEY. Set the one it was made with, or install it anew at ${link}.`,
      ),
    );
  if (allowed !== "any" && !allowed.length)
    findings.push(wrong("Slack", "SLACK_ALLOWED_TEAMS lists no workspace, so nobody may install the app."));
  const kept = store.all();
  if (!kept.length) findings.push(note("Slack", `no workspace has installed the app yet: ${link}`));
  const looked = await Promise.all(
    kept.map(({ id, installation }) => oneTeam(base, config, installation.bot?.token ?? "", `Install the app anew in ${id} at ${link}.`)),
  );
  const good = looked.find(({ token }) => token !== undefined);
  return { bot: "", ...good, findings: [...findings, ...looked.flatMap((one) => one.findings)] };
}

async function oneTeam(base: string, { apiUrl }: SlackSettings, token: string, mend: string): Promise<Looked> {
  const bot = await ask(`${base}auth.test`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  const no = (finding: Finding): Looked => ({ findings: [finding], bot: "" });
  if ("problem" in bot)
    return no(wrong("Slack", `cannot be reached (${bot.problem}). Check the network${apiUrl ? " and SLACK_API_URL" : ""}.`));
  if (bot.body.error === "token_expired") return no(note("Slack", "a token has expired; the product gets a new one when it runs."));
  if (bot.body.ok !== true) return no(wrong("Slack", `the bot token was refused (${String(bot.body.error)}). ${mend}`));
  const given = bot.headers
    .get("x-oauth-scopes")
    ?.split(",")
    .map((scope) => scope.trim());
  const missing = given ? scopes().filter((scope) => !given.includes(scope)) : [];
  const told = missing.length
    ? wrong("Slack scopes", `missing: ${missing.join(", ")}. Add them under "OAuth & Permissions" and install the app anew.`)
    : well("Slack scopes", given ? "all there." : "not told by this server.");
  const name = `${String(bot.body.user ?? "the bot")} in ${String(bot.body.team ?? "a team")}.`;
  return { findings: [well("Slack", name), told], token, bot: String(bot.body.bot_id ?? "") };
}

/** Slack tells what an app subscribes to only to who may change the app, for a day at most: without such a token there is nothing to say. */
async function appAsItIs(base: string, { configToken }: SlackSettings, botToken: string, bot: string): Promise<Finding[]> {
  if (!configToken) return [note("Slack app", "set SLACK_CONFIG_TOKEN to have its events and places compared with what is used.")];
  const call = (method: string, token: string, body: Record<string, string>) =>
    ask(`${base}${method}`, { method: "POST", headers: { authorization: `Bearer ${token}` }, body: new URLSearchParams(body) });
  const who = await call("bots.info", botToken, { bot });
  const { app_id: app = "" } = ("problem" in who ? {} : (who.body.bot ?? {})) as { app_id?: string };
  const found = await call("apps.manifest.export", configToken, { app_id: app });
  if ("problem" in found || found.body.ok !== true) {
    const why = "problem" in found ? found.problem : String(found.body.error);
    return [note("Slack app", `it could not be looked at (${why}). App configuration tokens live twelve hours: make a new one.`)];
  }
  const missing = lackOf((found.body.manifest ?? {}) as AppManifest);
  const mend = "Compare the app's manifest with what `npm run slack:manifest` prints, and install it anew.";
  return [
    missing.length
      ? wrong("Slack app", `missing: ${missing.join(", ")}. ${mend}`)
      : well("Slack app", "its events and places are all there."),
  ];
}

interface AppManifest {
  features?: { app_home?: { home_tab_enabled?: boolean; messages_tab_enabled?: boolean }; shortcuts?: { callback_id?: string }[] };
  settings?: { event_subscriptions?: { bot_events?: string[] }; interactivity?: { is_enabled?: boolean } };
}
function lackOf({ features = {}, settings = {} }: AppManifest): string[] {
  const { app_home: home, shortcuts = [] } = features;
  const heard = settings.event_subscriptions?.bot_events ?? [];
  return [
    ...Object.keys(EVENTS).filter((event) => !heard.includes(event)),
    ...(settings.interactivity?.is_enabled ? [] : ["interactivity"]),
    ...(home?.home_tab_enabled ? [] : ["the Home tab"]),
    ...(home?.messages_tab_enabled ? [] : ["the Messages tab"]),
    ...(shortcuts.some(({ callback_id: id }) => id === ASK) ? [] : ["the message shortcut"]),
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
  const guilds = await ask(`${base}/users/@me/guilds`, { headers });
  const places = "problem" in guilds || !Array.isArray(guilds.body) ? [] : guildsOf(config, guilds.body as ListedGuild[]);
  return [well("Discord", `${String(found.body.name ?? "the application")}.`), intents, ...places];
}

interface ListedGuild {
  id?: string;
  name?: string;
  /** What the bot may do in it, but for what channels say. */
  permissions?: string;
}
const ADMINISTRATOR = 1n << 3n;
function guildsOf({ guilds: allowed, dmGuild }: NonNullable<Config["discord"]>, all: readonly ListedGuild[]): Finding[] {
  const served = all.filter(({ id = "" }) => !allowed || allowed.includes(id));
  const away = (allowed ?? []).filter((id) => !all.some((guild) => guild.id === id));
  const found: Finding[] = [];
  if (!all.length) found.push(note("Discord guilds", "the bot is in none yet. `npm run discord:invite` prints the link that invites it."));
  else if (!served.length)
    found.push(wrong("Discord guilds", "the bot is in none of those that DISCORD_ALLOWED_GUILDS lists. Add one, or invite it there."));
  if (served.length && away.length)
    found.push(note("Discord guilds", `DISCORD_ALLOWED_GUILDS lists some that the bot is not in: ${away.join(", ")}.`));
  if (dmGuild && !served.some(({ id }) => id === dmGuild))
    found.push(
      wrong("Discord direct messages", `the bot does not serve the guild that DISCORD_DM_GUILD names (${dmGuild}), so it answers none.`),
    );
  for (const { id = "", name = id, permissions = "0" } of served) {
    const may = BigInt(permissions);
    const missing = (may & ADMINISTRATOR) !== 0n ? [] : PERMISSIONS.filter(({ flag }) => (may & flag) === 0n).map((one) => one.name);
    found.push(
      missing.length
        ? wrong(
            "Discord rights",
            `in ${name} the bot lacks: ${missing.join(", ")}. Give them to its role, or invite it anew with \`npm run discord:invite\`.`,
          )
        : well("Discord rights", `in ${name} all there.`),
    );
  }
  return found;
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
