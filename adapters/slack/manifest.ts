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
  "assistant.threads.setSuggestedPrompts": ["assistant:write"],
  "assistant.threads.setTitle": ["assistant:write"],
  "auth.revoke": [],
  "auth.teams.list": [],
  "auth.test": [],
  "chat.appendStream": ["chat:write"],
  "chat.delete": ["chat:write"],
  "chat.postEphemeral": ["chat:write"],
  "chat.postMessage": ["chat:write"],
  "chat.startStream": ["chat:write"],
  "chat.stopStream": ["chat:write"],
  "chat.update": ["chat:write"],
  "conversations.history": HISTORY,
  "conversations.info": CHANNELS,
  "conversations.members": CHANNELS,
  "conversations.open": ["im:write"],
  "conversations.replies": HISTORY,
  "files.completeUploadExternal": ["files:write"],
  "files.getUploadURLExternal": ["files:write"],
  "files.info": ["files:read"],
  "reactions.add": ["reactions:write"],
  "usergroups.list": ["usergroups:read"],
  "users.conversations": CHANNELS,
  "users.info": ["users:read"],
  "views.open": [],
  "views.publish": [],
  "views.update": [],
};
/** Subscriptions. Slack tells all kinds of `message.…` as `message`. */
export const EVENTS: Readonly<Record<string, readonly string[]>> = {
  app_context_changed: [],
  app_home_opened: [],
  app_mention: ["app_mentions:read"],
  app_uninstalled: [],
  "message.channels": ["channels:history"],
  "message.groups": ["groups:history"],
  "message.im": ["im:history"],
  "message.mpim": ["mpim:history"],
  reaction_added: ["reactions:read"],
  tokens_revoked: [],
};
/** Told only to an app of whole organisations. */
export const WIDE: readonly string[] = ["team_access_revoked"];
/** Heard from apps that still have Slack's earlier view for assistants; the manifest asks for the one that took its place. */
export const EARLIER: readonly string[] = ["assistant_thread_context_changed", "assistant_thread_started"];
/** Where installing begins, and where Slack leads back to. */
export const INSTALL = "/slack/install";
export const REDIRECT = "/slack/oauth_redirect";
/** The message shortcut. */
export const ASK = "ask";
export const COMMANDS = [
  { word: "todos", description: "What is open in the threads of this channel", hint: "" },
  { word: "memory", description: "What is remembered here", hint: "search <words>" },
  { word: "denizen", description: "Everything else: help, status, why", hint: "help" },
] as const;

const all = (table: Readonly<Record<string, readonly string[]>>): string[] => Object.values(table).flat();
export const scopes = (): string[] => [...new Set(["commands", ...all(METHODS), ...all(EVENTS)])].sort();

/** For an app that several workspaces install. */
export interface Shared {
  /** Where this machine is reached: Slack leads back there from installing. */
  publicUrl: string;
  /** Also by whole organisations. */
  org?: boolean;
  /** With tokens that expire and are replaced. Slack does not let an app go back. */
  rotation?: boolean;
}

/** `address`: of signed delivery over HTTP, as `https://denizen.example.org`; without it the app uses Socket Mode. */
export function manifest(address?: string, shared?: Shared): object {
  const path = address && `${address.replace(/\/+$/, "")}/slack/events`;
  const redirects = shared ? { redirect_urls: [`${shared.publicUrl.replace(/\/+$/, "")}${REDIRECT}`] } : {};
  const at = path === undefined ? {} : { url: path };
  const requested = path === undefined ? {} : { request_url: path };
  return {
    display_information: { name: "Denizen", description: "An AI teammate that asks before anything risky" },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      agent_view: { agent_description: "A teammate that plans, works with your tools, asks before anything risky, and remembers." },
      shortcuts: [{ name: "Ask Denizen", type: "message", callback_id: ASK, description: "Ask for something about this message" }],
      bot_user: { display_name: "Denizen", always_online: true },
      slash_commands: COMMANDS.map(({ word, description, hint }) => ({
        command: `/${word}`,
        description,
        ...(hint ? { usage_hint: hint } : {}),
        should_escape: false,
        ...at,
      })),
    },
    oauth_config: { ...redirects, scopes: { bot: scopes() } },
    settings: {
      event_subscriptions: { ...requested, bot_events: [...Object.keys(EVENTS), ...(shared?.org ? WIDE : [])].sort() },
      interactivity: { is_enabled: true, ...requested },
      org_deploy_enabled: shared?.org ?? false,
      socket_mode_enabled: address === undefined,
      token_rotation_enabled: shared?.rotation ?? false,
    },
  };
}
