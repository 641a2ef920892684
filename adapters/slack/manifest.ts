/**
 * What the app asks of a workspace, in one table: each method it calls and each event it hears, with the scopes that takes.
 *
 * F1. Nothing is asked for that the code does not use, and nothing is used that is not in the table.
 */
const HISTORY = ["channels:history", "groups:history", "im:history", "mpim:history"] as const;
const CHANNELS = ["channels:read", "groups:read", "im:read", "mpim:read"] as const;

/** Methods of the Web API, by what a bot's token needs for them. */
export const METHODS: Readonly<Record<string, readonly string[]>> = {
  "assistant.threads.setStatus": ["assistant:write"],
  "auth.test": [],
  "chat.delete": ["chat:write"],
  "chat.postEphemeral": ["chat:write"],
  "chat.postMessage": ["chat:write"],
  "chat.update": ["chat:write"],
  "conversations.history": HISTORY,
  "conversations.info": CHANNELS,
  "conversations.open": ["im:write"],
  "conversations.replies": HISTORY,
  "usergroups.list": ["usergroups:read"],
  "users.conversations": CHANNELS,
  "users.info": ["users:read"],
  "views.open": [],
  "views.update": [],
};
/** Subscriptions. Slack tells all kinds of `message.…` as `message`. */
export const EVENTS: Readonly<Record<string, readonly string[]>> = {
  app_mention: ["app_mentions:read"],
  "message.channels": ["channels:history"],
  "message.groups": ["groups:history"],
  "message.im": ["im:history"],
  "message.mpim": ["mpim:history"],
  reaction_added: ["reactions:read"],
};
export const COMMANDS = [
  { word: "todos", description: "What is open in the threads of this channel", hint: "" },
  { word: "memory", description: "What is remembered here", hint: "search <words>" },
  { word: "denizen", description: "Everything else: help, status, why", hint: "help" },
] as const;

const all = (table: Readonly<Record<string, readonly string[]>>): string[] => Object.values(table).flat();
export const scopes = (): string[] => [...new Set(["commands", ...all(METHODS), ...all(EVENTS)])].sort();

/** `address`: of signed delivery over HTTP, as `https://denizen.example.org`; without it the app uses Socket Mode. */
export function manifest(address?: string): object {
  const path = address && `${address.replace(/\/+$/, "")}/slack/events`;
  const at = path === undefined ? {} : { url: path };
  const requested = path === undefined ? {} : { request_url: path };
  return {
    display_information: { name: "Denizen", description: "An AI teammate that asks before anything risky" },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: "Denizen", always_online: true },
      slash_commands: COMMANDS.map(({ word, description, hint }) => ({
        command: `/${word}`,
        description,
        ...(hint ? { usage_hint: hint } : {}),
        should_escape: false,
        ...at,
      })),
    },
    oauth_config: { scopes: { bot: scopes() } },
    settings: {
      event_subscriptions: { ...requested, bot_events: Object.keys(EVENTS) },
      interactivity: { is_enabled: true, ...requested },
      org_deploy_enabled: false,
      socket_mode_enabled: address === undefined,
      token_rotation_enabled: false,
    },
  };
}
