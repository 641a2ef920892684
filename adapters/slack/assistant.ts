/**
 * Slack's own place for agents: what could be asked, before anything is said, and a title for each conversation. Best effort: without it
 * everything can be said all the same.
 *
 * S1. What is suggested comes from the home that serves the workspace.
 * S2. A conversation is titled once, when it begins. What Slack refuses for good is not asked of it again.
 */
import type { App, webApi } from "@slack/bolt";
import { clip, hushAll } from "../shared/escape.ts";
import type { Desk } from "./desk.ts";
import type { HomeTab } from "./home-tab.ts";
import { attempt } from "./outcome.ts";

const PROMPTS = 4;
const TITLE = 60;
/** The app has no such place, or may not write to it. */
const NEVER = /^(missing_scope|unknown_method|not_allowed_token_type|feature_not_enabled|not_allowed)$/;

export interface Assistant {
  /** A conversation begins in a direct message. */
  title(channel: string, thread: string, text: string): void;
}

export function assistant(app: App, client: webApi.WebClient, { inbox, self, log, scrub }: Desk, tab: HomeTab): Assistant {
  const off = new Set<string>();
  async function call(method: string, made: () => Promise<unknown>): Promise<void> {
    if (off.has(method)) return;
    const outcome = await attempt(made());
    if (outcome.ok) return;
    if (NEVER.test(outcome.code)) off.add(method);
    log.debug({ adapter: "slack", code: outcome.code }, `${method} was not taken: ${outcome.reason}`);
  }
  async function suggest(channel: string, thread: string | undefined): Promise<void> {
    const found = (await inbox.suggestions("slack", self.team)).slice(0, PROMPTS);
    const [first, ...rest] = found.map(({ title, text }) => ({ title: clip(hushAll(scrub(title)), TITLE), message: hushAll(scrub(text)) }));
    if (!first) return;
    const at = { channel_id: channel, ...(thread === undefined ? {} : { thread_ts: thread }) };
    // Slack's types still ask for a thread, which the newer place for agents has none of before anything is said.
    const asked = {
      ...at,
      title: "What I can help with",
      prompts: [first, ...rest],
    } as webApi.AssistantThreadsSetSuggestedPromptsArguments;
    await call("Suggesting", () => client.assistant.threads.setSuggestedPrompts(asked));
  }
  const begun = (thread: { channel_id: string; thread_ts: string } | undefined): void => {
    if (thread) soon(suggest(thread.channel_id, thread.thread_ts));
  };
  const soon = (work: Promise<void>): void =>
    void work.catch((error: unknown) => log.warn({ adapter: "slack", err: error }, "What could be asked was not suggested."));

  app.event("app_home_opened", async ({ event }) => {
    if (event.tab === "home" && event.user) return tab.show(event.user);
    if (event.channel) soon(suggest(event.channel, undefined));
  });
  app.event("assistant_thread_started", async ({ event }) => {
    begun(event.assistant_thread);
  });
  app.event("assistant_thread_context_changed", async ({ event }) => {
    begun(event.assistant_thread);
  });
  // Where this is subscribed to, direct messages come with what their author has open; the change itself says nothing more.
  app.event("app_context_changed", async () => {});
  return {
    title(channel, thread, text) {
      const title = clip(hushAll(scrub(text.replace(/\s+/g, " ").trim())), TITLE);
      if (title) soon(call("Titling", () => client.assistant.threads.setTitle({ channel_id: channel, thread_ts: thread, title })));
    },
  };
}
