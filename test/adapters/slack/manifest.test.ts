import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ASK, COMMANDS, EARLIER, EVENTS, METHODS, manifest, scopes, WIDE } from "../../../adapters/slack/manifest.ts";
import { methods as modelled } from "../../rigs/slack-api.ts";

const FOLDER = "adapters/slack";
const source = readdirSync(FOLDER)
  .map((name) => readFileSync(`${FOLDER}/${name}`, "utf8"))
  .join("\n");
const all = (pattern: RegExp) => [...new Set([...source.matchAll(pattern)].map((match) => match[1] ?? ""))].sort();

describe("the manifest", () => {
  it("names every method the code calls, and no other", () => {
    const called = all(
      /\.((?:assistant|auth|bookmarks|chat|conversations|files|pins|reactions|team|usergroups|users|views)(?:\.[a-zA-Z]+)+)\(/g,
    );
    expect(called).toEqual(Object.keys(METHODS).sort());
  });
  it("subscribes to every event the code hears, and no other", () => {
    const told = Object.keys(EVENTS).map((name) => name.replace(/^message\..*/, "message"));
    expect(all(/app\.event\("([a-z_.]+)"/g)).toEqual([...new Set([...told, ...EARLIER])].sort());
  });
  it("hears of workspaces taken from an organisation's app where there can be one", () => {
    const events = (org: boolean) => JSON.stringify(manifest(undefined, { publicUrl: "https://bot.example.org", org }));
    for (const name of WIDE) {
      expect(source).toContain(`"${name}"`);
      expect([events(true).includes(name), events(false).includes(name)]).toEqual([true, false]);
    }
  });
  it("puts a message shortcut and a Home tab where the code waits for them, and Slack's place for agents", () => {
    expect(all(/callback_id: ([A-Z]+), type: "message_action"/g)).toEqual(["ASK"]);
    expect(manifest()).toMatchObject({
      features: {
        app_home: { home_tab_enabled: true },
        agent_view: {},
        shortcuts: [{ type: "message", callback_id: ASK }],
      },
    });
    expect(EARLIER.filter((name) => Object.hasOwn(EVENTS, name))).toEqual([]);
  });
  it("asks for the scopes of those, each once", () => {
    expect(manifest()).toMatchObject({ oauth_config: { scopes: { bot: scopes() } } });
    const needed = [...Object.values(METHODS), ...Object.values(EVENTS)].flat();
    expect(scopes()).toEqual([...new Set([...needed, "commands"])].sort());
  });
  it("speaks of methods that the protocol server knows", () => {
    expect(Object.keys(METHODS).filter((name) => !modelled[name])).toEqual([]);
  });
  it("keeps Slack's limits on words", () => {
    expect(COMMANDS.every(({ word, description }) => word.length < 32 && description.length < 2000)).toBe(true);
    const { name, description } = (manifest() as { display_information: { name: string; description: string } }).display_information;
    expect([name.length <= 35, description.length <= 140]).toEqual([true, true]);
  });
  it("for several workspaces names the page that Slack leads back to, and asks for organisations and rotation where that is wished", () => {
    const shared = { publicUrl: "https://bot.example.org/" };
    expect(manifest(undefined, shared)).toMatchObject({
      oauth_config: { redirect_urls: ["https://bot.example.org/slack/oauth_redirect"] },
      settings: { socket_mode_enabled: true, org_deploy_enabled: false, token_rotation_enabled: false },
    });
    expect(manifest("https://bot.example.org", { ...shared, org: true, rotation: true })).toMatchObject({
      settings: { socket_mode_enabled: false, org_deploy_enabled: true, token_rotation_enabled: true },
    });
  });
  it("over HTTP leads everything to the one path", () => {
    expect(manifest()).toMatchObject({ settings: { socket_mode_enabled: true } });
    expect(JSON.stringify(manifest())).not.toContain("url");
    const url = "https://bot.example.org/slack/events";
    expect(manifest("https://bot.example.org/")).toMatchObject({
      features: { slash_commands: COMMANDS.map(({ word }) => ({ command: `/${word}`, url })) },
      settings: {
        socket_mode_enabled: false,
        event_subscriptions: { request_url: url },
        interactivity: { is_enabled: true, request_url: url },
      },
    });
  });
});
